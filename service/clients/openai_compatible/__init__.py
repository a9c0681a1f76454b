"""Servers that speak OpenAI's chat completions: pages as text or pictures, the schema as the form of an answer."""
