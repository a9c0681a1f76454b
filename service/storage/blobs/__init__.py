"""Bytes by key: uploads and what was made of them. A store a file; knows no table."""
