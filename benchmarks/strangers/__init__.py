"""The set "strangers": invented documents of many kinds, none of which taught a weight or is named by a rule.

`kinds/*.txt` says what a kind holds and how it is laid out; everything else here only fills in, draws and writes.
"""
