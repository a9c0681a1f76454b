"""What a process holds while it works: its claims, its loop, room for calls, quiet time. Knows no step and no job."""
