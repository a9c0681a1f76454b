"""The way to a model server: what may go out, how often it is tried, what went wrong; not what is asked or answered."""
