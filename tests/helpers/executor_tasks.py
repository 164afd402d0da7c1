"""Tasks for the processes of test_executor.py, which import them by name."""

import os
import time


def square(number):
    time.sleep(0.02 * (number % 2))  # so that jobs end in another order than they began
    return number * number


def fail_at_three(number):
    if number == 3:
        raise ValueError("three")
    return number


def vanish(number):
    os._exit(3)


def worker(number):
    return os.getpid()


def agent_names(_):
    from tiltless.agents.registry import registered

    return [entry.name for entry in registered()]


def leave_a_mark(job):
    """All but the first take long, and leave a file if nobody stops them."""
    number, folder = job
    if number:
        time.sleep(10)
        (folder / str(number)).touch()
    return number
