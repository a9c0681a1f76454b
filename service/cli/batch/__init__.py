"""`fieldmark batch`: a folder of files to a folder of results, with books that balance."""
