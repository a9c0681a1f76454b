"""The set "strangers": invented documents of many kinds, for none of which a rule or a weight was made.

`kinds/*.txt` says what a kind holds and how it is laid out; everything else here only fills in, draws and writes.
"""
