"""Without a browser, a person is told and the rest passes; CI fails."""

import pytest

from web.conftest import no_browser


def test_a_person_is_told_and_ci_fails(monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("TILTLESS_REQUIRE_BROWSER", raising=False)
    with pytest.raises(pytest.skip.Exception, match="set TILTLESS_BROWSER"):
        no_browser("none found")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="none found"):
        no_browser("none found")
