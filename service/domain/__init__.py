"""Nouns and errors of the field: frozen, without I/O, known to every room above."""
