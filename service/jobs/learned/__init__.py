"""What earlier documents say of the next one: of its layout, and of trust in the model."""
