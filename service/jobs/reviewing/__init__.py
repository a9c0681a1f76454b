"""People at work on results: a review's course, corrections, and what is learned from them."""
