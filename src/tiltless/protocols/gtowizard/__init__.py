"""GTO Wizard's research benchmark over HTTP.

`wire` reads the messages, `dialect` makes them steps of a hand, `client` plays there and `server`
is a local one that speaks the same interface.
"""
