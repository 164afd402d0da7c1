"""A clock for tests that must not wait."""


class Ticks:
    """Goes on by the same step whenever it is read."""

    def __init__(self, step: float) -> None:
        self.step, self.time = step, 0.0

    def __call__(self) -> float:
        self.time += self.step
        return self.time
