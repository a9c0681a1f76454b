"""How well a value is vouched for: what is found about it, as numbers that trees judge."""
