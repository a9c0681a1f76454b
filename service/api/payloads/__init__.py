"""What goes over our own API: what callers may ask, what they are answered, an example of each."""
