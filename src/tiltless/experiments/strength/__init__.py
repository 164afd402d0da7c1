"""The strength of what ships: local best response, matches with AIVAT, search by vectors."""
