"""Pages read from their pictures, in a sandbox that never sees a file."""
