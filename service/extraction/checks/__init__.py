"""Whether a record agrees with itself, and with what other documents may not share."""
