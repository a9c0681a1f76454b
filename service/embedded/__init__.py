"""The offline extraction model: words that were already read in, values with places and confidence out.

It reads no file but its own packaged data, and knows nothing of requests, jobs or storage.
"""
