"""From letters with places to words in printed lines, and whether they can be trusted. Pure."""
