"""`fieldmark doctor`: whether everything is here, and what became of a job."""
