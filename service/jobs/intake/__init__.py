"""A file and a schema become a job, whoever hands them in."""
