"""What happened to jobs, told: the log, read; webhooks, and their deliveries."""
