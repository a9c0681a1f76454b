"""What earlier documents say of the next one: of its layout, of trust in the model, of what may not occur twice."""
