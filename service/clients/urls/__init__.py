"""Addresses that callers name: files are fetched from there and webhooks sent, never into the operator's network."""
