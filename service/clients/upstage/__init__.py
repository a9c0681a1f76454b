"""Upstage's Information Extraction, which takes flat schemas."""
