"""HTTP: routes, payloads and the table of errors. Every decision about jobs is made below; nothing here knows SQL."""
