"""Requests that schemathesis makes from our OpenAPI description, good and bad ones.

None is answered with a 5xx, and a table in the middle of a hand stays as it was.
"""

import os
from collections import Counter
from contextlib import suppress

import pytest
from starlette.testclient import TestClient

from tiltless.web.app import make_app
from web.conftest import TOKEN

HEADERS = {"x-tiltless-token": TOKEN, "host": "127.0.0.1:8432"}
EXAMPLES = int(os.environ.get("TILTLESS_EXAMPLES", "200"))
"""For each operation and kind of request."""


@pytest.mark.slow
def test_no_request_is_answered_with_an_error_of_the_server(tmp_path):
    schemathesis = pytest.importorskip("schemathesis", reason="pip install schemathesis")
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis.errors import Unsatisfiable

    app = make_app(tmp_path, TOKEN, rate=1e6, watched=tmp_path)
    with TestClient(make_app(tmp_path, TOKEN), headers=HEADERS) as client:
        mine = client.post("/api/tables", json={"opponents": ["fish"]}).json()
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", app, headers=HEADERS)
    answers: Counter[tuple[str, int]] = Counter()
    for found in schema.get_all_operations():
        operation = found.ok()
        for mode in schemathesis.GenerationMode:

            @given(case=operation.as_strategy(generation_mode=mode))
            @settings(
                max_examples=EXAMPLES,
                deadline=None,
                database=None,
                derandomize=True,
                suppress_health_check=list(HealthCheck),
                phases=[Phase.generate],
            )
            def ask(case):
                answer = case.call(headers=HEADERS)
                answers[case.operation.label, answer.status_code // 100] += 1
                assert answer.status_code < 500, answer.text

            with suppress(Unsatisfiable):  # an operation that takes nothing has no bad requests
                ask()
    with TestClient(app, base_url="http://127.0.0.1:8432", headers=HEADERS) as client:
        assert client.get(f"/api/tables/{mine['id']}").json() == mine
    operations = {label for label, _ in answers}
    print(f"{sum(answers.values())} requests to {len(operations)} operations")  # with -s
    assert len(operations) >= 25
    assert sum(answers.values()) > 20 * EXAMPLES
    assert {kind for _, kind in answers} == {2, 4}
