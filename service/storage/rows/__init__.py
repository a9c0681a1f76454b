"""The rows of each subject, read and written inside a transaction that `store` opened; they open none."""
