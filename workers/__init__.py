"""The processes that do the work: a Celery application and its two queues. The work itself is in `service.jobs`."""
