"""The pure core: which pages one request covers, what its answer means, where each value stands, what a record is.

No I/O, nothing asynchronous; it knows neither models, stores nor queues, only nouns and the wire's shapes.
"""
