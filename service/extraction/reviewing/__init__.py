"""What needs a person, and what the record is after a person's corrections."""
