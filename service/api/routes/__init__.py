"""The routes of our own API, a file for each thing that they are about."""
