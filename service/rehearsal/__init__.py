"""A model server to rehearse with: it speaks the protocol, answers from the request alone, and fails on demand.

It must not know the service that is tested on it: nothing of Fieldmark is imported here.
"""
