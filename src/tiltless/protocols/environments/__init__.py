"""Environments for reinforcement learning: PettingZoo, Gymnasium, and many tables at once.

====================================  =============================================================
`environments.aec.TableEnv`           PettingZoo: every seat is an agent that learns
`environments.single.OneSeatEnv`      Gymnasium: one seat learns against agents of ours
`environments.vector.VectorTables`    a thousand tables as arrays, compiled; numpy and numba only
====================================  =============================================================

The first two need the extra ``env``. Actions are numbered by
`tiltless.protocols.encoding.action_numbers`, observations laid out by
`tiltless.protocols.encoding.observation`, the same in all three.
"""
