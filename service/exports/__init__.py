"""Results as files for other programs: JSON, JSON Lines, CSV, XLSX, Parquet.

Knows the shape of a result and the schema it was made with; no store, no job, no HTTP.
"""
