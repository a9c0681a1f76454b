"""What workers do, a step at a time, and in this order the pipeline: open, read, find documents, extract, merge."""
