"""A schema for a document that has none: which fields and tables it shows."""
