"""Fieldmark: documents into records in which every value carries its page, its box and whether to trust it."""

__version__ = "0.1.0"
