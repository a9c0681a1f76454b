"""What stands on a page: lines, blocks, typed spans, cells; nothing of what is asked for."""
