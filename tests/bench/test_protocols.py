"""The protocols bench measures legal play, hands that are paid, and says what is missing."""

import numpy as np
import pytest

from tiltless.bench import protocols


def test_every_action_at_the_tables_is_legal_and_random(monkeypatch):
    tables, taken = protocols._tables(), []
    real = tables.step

    def step(numbers):
        assert tables.masks[np.arange(len(numbers)), numbers].all()
        taken.append(numbers)
        return real(numbers)

    monkeypatch.setattr(tables, "step", step)
    assert protocols._vector(20) == 20 * protocols.TABLES
    shares = np.bincount(np.concatenate(taken), minlength=5) / (20 * protocols.TABLES)
    assert shares.min() > 0.05


def test_one_environment_plays_hands_to_their_end():
    pytest.importorskip("pettingzoo")
    assert protocols._pettingzoo(40) == protocols._pettingzoo(40) > 80


def test_ratios_need_the_peer(monkeypatch):
    def missing(hands):
        raise ImportError

    monkeypatch.setattr(protocols, "_rlcard", missing)
    monkeypatch.setattr(protocols, "_pettingzoo", lambda hands: hands)
    monkeypatch.setattr(protocols, "_vector", lambda steps: steps)
    found = protocols.environment_speed(1)
    assert found["rlcard_decisions_per_s"] is None
    assert found["env_decisions_per_s"] > 0
    assert not [name for name in found if "against" in name]
