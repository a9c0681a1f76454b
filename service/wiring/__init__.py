"""Settings → Services: the only place that chooses concrete classes, and hands a room what it needs from another."""
