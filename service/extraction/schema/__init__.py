"""What a schema asks for: its whole shape, a part of it, what values satisfy it. Knows no answers."""
