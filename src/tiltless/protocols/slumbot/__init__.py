"""Slumbot's web API: a client, and a local server that speaks it.

The API plays heads-up no-limit hold'em with 200 big blinds over HTTP and JSON. It is described by
its author's sample client and answers to questions; the real service was not tried.
"""
