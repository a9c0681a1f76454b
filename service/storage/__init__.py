"""SQL tables, migrations and blobs: what is true, and nothing about what it means."""
