"""Training presets: configurations by name, as `tiltless.blueprint.training.config` reads them."""

__all__ = ["PRESETS"]

PRESETS = {
    "minute": """
name = "minute"
[game]
name = "nlhe"
stack = "20bb"
[abstraction]
bets = "tiny"
cards = "small"
[stop]
minutes = 1
[checkpoint]
minutes = 0.25
""",
    "thesis": """
name = "thesis"
[game]
name = "toy-holdem"
[abstraction]
bets = "thesis"
cards = "thesis"
[rules]
sampling = "chance"
[stop]
walks = 20000000
""",
    "hundred": """
name = "hundred"
[game]
name = "nlhe"
stack = "100bb"
[abstraction]
bets = "hundred"
cards = "board-aware"
[rules]
discount_every = 8388608
discount_until = 400000000
[stop]
minutes = 480
""",
    "two-hundred": """
name = "two-hundred"
[game]
name = "nlhe"
stack = 20000
blinds = [50, 100]
[abstraction]
bets = "two-hundred"
cards = "board-aware"
[rules]
discount_every = 8388608
discount_until = 400000000
[stop]
minutes = 480
""",
    "river-of-blood": """
name = "river-of-blood"
[game]
name = "river-of-blood"
[abstraction]
bets = "river-of-blood"
cards = "run-aware"
[rules]
discount_every = 4194304
discount_until = 200000000
[stop]
minutes = 480
""",
    "calling-station": """
name = "calling-station"
[game]                          # hold'em: the report left the run out
name = "nlhe"
stack = 400
blinds = [1, 2]
[abstraction]
bets = "calling-station"
cards = "calling-station"
[rules]
discount_every = 8388608
discount_until = 200000000
prune_below = -3000000.0
prune_from = 50000000
floor = -3100000.0
[stop]
minutes = 480
""",
    "six-minute": """
name = "six-minute"
[game]
name = "nlhe"
seats = 6
stack = "100bb"
[abstraction]
bets = "six-small"
cards = "small"
[rules]
discount_every = 16384
average_every = 32768
snapshot_every = 65536
[stop]
minutes = 1
[checkpoint]
minutes = 0.5
""",
    "six": """
name = "six"
[game]
name = "nlhe"
seats = 6
stack = "100bb"
[abstraction]
bets = "six"
cards = "standard"
[rules]
discount_every = 131072
discount_until = 268435456
average_every = 2097152
snapshot_every = 2097152
[stop]
minutes = 60
""",
    "ep-white": """
name = "ep-white"
[game]
name = "river-of-blood"
[abstraction]
bets = "ep-white"
cards = "river-of-blood"
information = "ep-white"
[stop]
minutes = 60
""",
    "blood-minute": """
name = "blood-minute"
[game]
name = "river-of-blood"
[abstraction]
bets = "tiny"
cards = "run-small"
[stop]
minutes = 1
[checkpoint]
minutes = 0.25
""",
    "mit-2020": """
name = "mit-2020"
[game]
name = "nlhe"
stack = 200
blinds = [1, 2]
[abstraction]
bets = "libratus-fan-club"
cards = "libratus-fan-club"
[stop]
minutes = 120
""",
    "libratus-fan-club": """
name = "libratus-fan-club"
[game]
name = "nlhe"
stack = 200
blinds = [1, 2]
[abstraction]
bets = "libratus-fan-club"
cards = "libratus-fan-club"
information = "libratus-fan-club"
[rules]
discount_every = 1048576
discount_until = 40000000
[stop]
walks = 400000000
""",
}
"""The texts by name."""
