"""Where a command hands its files in: a running service, or this process itself."""
