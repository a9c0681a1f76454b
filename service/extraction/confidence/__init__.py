"""Whether to trust a value: by what was seen of it, and by how often such values proved right."""
