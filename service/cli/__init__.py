"""The `fieldmark` command: each command a file, put together in `main`. The top floor; nothing imports it."""
