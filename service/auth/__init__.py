"""Who is who, and from where one may ask. Knows no routes and no payloads."""
