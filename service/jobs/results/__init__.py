"""A result as it stands, in the shapes that callers get."""
