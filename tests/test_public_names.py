import pytest

import tiltless


def test_every_public_name_is_there():
    for name in tiltless.__all__:
        assert getattr(tiltless, name) is not None
    assert dir(tiltless) == sorted(tiltless.__all__)


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tiltless.nothing  # noqa: B018
