"""The model's version, for whoever names it without running it."""

MODEL_VERSION = "2026.11"
