"""How fast, how lean and how right the whole service is: real processes, never part of the wheel or of the tests."""
