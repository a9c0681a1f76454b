"""Bytes to pages, words and pictures, all of it in sandbox processes; knows nothing of jobs, schemas or models."""
