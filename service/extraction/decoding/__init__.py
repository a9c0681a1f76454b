"""From the wire to an extraction, and back; what a model wrote is never trusted. Knows no pages."""
