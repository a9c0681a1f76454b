"""What a reviewed record teaches about its layout, and how models are told."""
