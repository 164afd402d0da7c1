"""Fewer information sets: hands that play alike share a bucket, bets come in a few sizes."""
