"""Office files laid out as pages of a PDF. In a sandbox only."""
