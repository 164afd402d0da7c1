"""Post-processing of distributions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltless.agents.postprocess import CHOICES, PostProcess
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo

FACING = (FOLD, CALL, RaiseTo(6), RaiseTo(20))
FREE = (CHECK, RaiseTo(6), RaiseTo(20))


def played(post: PostProcess, *row: float, actions: tuple = FACING) -> list[float]:
    return post(np.array([row]), actions)[0].tolist()


def test_sample_is_the_row_itself() -> None:
    assert played(PostProcess(), 0.1, 0.2, 0.3, 0.4) == [0.1, 0.2, 0.3, 0.4]


def test_threshold_drops_and_scales() -> None:
    assert played(PostProcess(threshold=0.05), 0.04, 0.46, 0.5, 0.0) == pytest.approx(
        [0, 0.46 / 0.96, 0.5 / 0.96, 0]
    )
    assert played(PostProcess(threshold=0.5), 0.5, 0.5, 0, 0) == [0.5, 0.5, 0, 0]  # not below it


def test_threshold_above_everything_keeps_the_largest() -> None:
    assert played(PostProcess(threshold=0.9), 0.2, 0.3, 0.25, 0.25) == [0, 1, 0, 0]


def test_argmax_and_its_ties() -> None:
    assert played(PostProcess("argmax"), 0.1, 0.2, 0.3, 0.4) == [0, 0, 0, 1]
    assert played(PostProcess("argmax"), 0.5, 0.5, 0, 0) == [0, 1, 0, 0]  # a call before a fold
    assert played(PostProcess("argmax"), 0.2, 0, 0.4, 0.4) == [0, 0, 1, 0]  # the smaller raise
    assert played(PostProcess("argmax"), 0.3, 0.3, 0.4, actions=FREE) == [0, 0, 1]


def test_purify_counts_all_raises_as_one() -> None:
    post = PostProcess("purify", fold_threshold=1.0)
    assert played(post, 0.3, 0.3, 0.15, 0.25) == [0, 0, 0, 1]
    assert played(post, 0.1, 0.5, 0.2, 0.2) == [0, 1, 0, 0]
    assert played(PostProcess("purify"), 0.4, 0.35, 0.25, actions=FREE) == [0, 1, 0]


def test_purify_folds_from_its_threshold_on() -> None:
    row = 0.3, 0.6, 0.1, 0.0
    assert played(PostProcess("purify", fold_threshold=0.31), *row) == [0, 1, 0, 0]
    assert played(PostProcess("purify", fold_threshold=0.3), *row) == [1, 0, 0, 0]
    assert played(PostProcess("purify", fold_threshold=1.0), 0.7, 0.3, 0, 0) == [1, 0, 0, 0]


@given(
    weights=st.lists(st.lists(st.integers(0, 255), min_size=4, max_size=4), min_size=1, max_size=9),
    choice=st.sampled_from(CHOICES),
    threshold=st.floats(0, 1),
    fold_threshold=st.floats(0, 1),
)
def test_rows_stay_distributions_and_do_not_touch_each_other(
    weights: list[list[int]], choice: str, threshold: float, fold_threshold: float
) -> None:
    rows = np.array(weights, float)
    rows[:, 1] += rows.sum(axis=1) == 0
    rows /= rows.sum(axis=1, keepdims=True)
    post = PostProcess(choice, threshold, fold_threshold)
    found = post(rows, FACING)
    assert found.sum(axis=1) == pytest.approx(np.ones(len(rows)))
    assert (found >= 0).all()
    if not (choice == "purify" and fold_threshold == 0):
        assert not found[rows == 0].any()
    for row, alone in zip(rows, found, strict=True):
        assert (post(row[None], FACING)[0] == alone).all()


@pytest.mark.parametrize(
    "options",
    [
        {"choice": "best"},
        {"threshold": 1.5},
        {"threshold": -1},
        {"fold_threshold": True},
    ],
)
def test_impossible_options_are_named(options: dict) -> None:
    name, value = next(iter(options.items()))
    with pytest.raises(OptionError, match=f"{name}={value!r} "):
        PostProcess(**options)
