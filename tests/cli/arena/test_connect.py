"""``tiltless connect`` without a table at the other end."""

from unittest.mock import patch

import pytest

from helpers.command import run_here
from tiltless.errors import OptionError
from tiltless.protocols.connection import connect


def test_a_server_that_does_not_answer_is_asked_again_aloud():
    with patch("time.sleep"):
        done = run_here("connect", "slumbot", "--agent", "fold", "--url", "http://127.0.0.1:1")
    assert done.returncode == 1
    assert "no answer; asking again in 1 s" in done.stderr
    assert "broken off: no new hand" in done.stdout


def test_waiting_for_a_table_is_said_once():
    lines = []
    with pytest.raises(OptionError, match="start the table first"):
        connect("127.0.0.1", 1, starting=0.3, say=lines.append)
    assert lines == ["waiting up to 0.3 s for a table at 127.0.0.1 port 1"]
