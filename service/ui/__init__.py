"""The review screen: pages and plain modules that use the public API from the browser; it knows no job and no store."""
