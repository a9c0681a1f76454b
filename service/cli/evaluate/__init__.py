"""`fieldmark evaluate`: how right a model is on documents whose truth is known."""
