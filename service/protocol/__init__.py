"""The wire, both ways: requests, completions, chunks, `additional_values`, jobs and errors as bytes and as models.

Knows no domain noun, no transport and no other room: what a value means is decided above.
"""
