"""The audition: voices and other engines heard against each other on the same text, and what somebody thinks of them.

`contract.py` is what an engine has to be; docs/engines.md is written for whoever wants to add one.
"""
