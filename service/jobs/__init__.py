"""The use cases, a room for each part of a job's life; beside them what all stand on. Knows no SQL, HTTP or Celery."""
