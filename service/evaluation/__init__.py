"""Measures extractions against known truth: cases from a folder, comparison, a report per field, two runs compared.

It knows no model and no store: whoever calls it brings the answer of each case.
"""
