"""What workers do, a step at a time: open, read, find documents, extract, merge."""
