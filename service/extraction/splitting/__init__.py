"""Which documents a file holds, and which pages and fields one model request covers."""
