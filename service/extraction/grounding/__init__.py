"""Where each value stands on its pages, and whether a given place is the right one."""
