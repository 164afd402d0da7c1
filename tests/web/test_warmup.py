"""What is compiled in the background, and what people are told of it."""

from tiltless.errors import OptionError
from tiltless.web import warmup
from tiltless.web.tasks import JobContext
from web.test_guard import PAGE


def fail():
    raise OptionError("this machine cannot do it")


def test_what_is_left_is_told_and_a_failure_stops_nothing(monkeypatch):
    done, told = [], []
    steps = {"first": lambda: done.append("first"), "second": fail, "third": lambda: None}
    monkeypatch.setattr(warmup, "STEPS", steps)
    warmup.warm_up(JobContext({}, lambda: False, lambda: False, told.append))
    assert done == ["first"]
    assert told == [["first", "second", "third"], ["second", "third"], ["third"], []]
    warmup.warm_up(JobContext({}, lambda: True, lambda: False, told.append))
    assert done == ["first"]


def test_a_page_learns_of_it(client):
    assert client.get("/api/about").json()["compiling"] == []
    with client.websocket_connect("/api/events", headers=PAGE) as socket:
        socket.send_json({"watch": {"server:": None}})
        assert socket.receive_json()["data"] == []
