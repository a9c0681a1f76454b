"""The vendor's own paths over the same jobs, so that its clients need nothing changed but base URL and key."""
