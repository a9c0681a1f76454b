"""What is done to jobs that are there: by callers, one by one or many together, and by the clock."""
