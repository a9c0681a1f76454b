"""The door-bell: messages that carry step ids. Losing, doubling or delaying one costs time, never a value."""
