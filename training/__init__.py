"""Makes the weights that the embedded model ships with: invented documents, features, boosted trees.

Out of the wheel. It may know the embedded model and the evaluation; nothing in the service may know it.
"""
