"""Extraction models behind one door: a chat-completions request goes in, a chat completion comes out."""
