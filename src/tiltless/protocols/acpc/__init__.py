"""The ACPC dealer protocol, version 2.0.0: a client, a dealer, and the dealer's logs.

The Annual Computer Poker Competition played with a dealer that listens on one port for each seat
(``project_acpc_server`` of the University of Alberta). `gamedef` reads its game definitions, `hand`
has its rules, `wire` its messages, `log` its logs and `deal` its shuffle: the same seed gives the
same cards. `tiltless.protocols.acpc.client` plays at such a dealer, `dealer` is one.
"""
