"""Extractions of one document become one record, and no page or value is lost without a word."""
