"""What is asked for: the fields of a schema as the model sees them, and which of them go together."""
