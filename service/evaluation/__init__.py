"""Measures extractions against known truth: cases from a folder, comparison, a report per field.

It knows no model and no store: whoever calls it says how a case is extracted.
"""
