"""The use cases, one a file; read in the order of the pipeline they are the product. Knows no SQL, HTTP or Celery."""
