"""What could be the value of a field, and what speaks for it; each module is one way to find candidates."""
