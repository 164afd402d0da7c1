"""Hostile and mutated requests, made from our own description of the interface.

Every operation of /api/openapi.json is asked with values of its schema, with values beside it, and
with bodies that are broken in many ways. No answer may be a 5xx, and no table may change.
"""

import json
import random

import pytest

from web.test_guard import PAGE

WILD = (
    *("", " ", "\x00", "..", "../../etc/passwd", "%2e%2e%2f", "a" * 5000, "é😀\u202e", "null"),
    *("<script>", "'; DROP TABLE tables; --", "{}", "AsAs", "-1", "1e400", "NaN", "٣", "0x1f"),
    *(None, True, -1, 0, 1, 2**31, 2**63, 10**30, 1.5, -0.0, 1e308, [], {}, [[]], [None] * 40),
    {"a": {"b": {}}},
)
BROKEN = (
    *(b"", b"{", b"[]", b"null", b'"x"', b"{}", b"\xff\xfe", b"[" * 9000, b'{"seq": NaN}'),
    *(b'{"seq": 1e400}', b'{"seq": ' + b"9" * 6000 + b"}", b'{"seq": 1, "seq": 2}', b"\x00" * 99),
    *(b'{"a":' * 900 + b"1" + b"}" * 900, b'{"action": "\\ud800"}', b" " * 70_000),
)
HEADERS = (
    *({"host": "evil.example"}, {"origin": "http://evil.example"}, {"cookie": "\x01=;;=,"}),
    *({"content-type": "text/plain"}, {"content-length": "-1"}, {"x-tiltless-token": "ü"}),
    *({"content-type": "application/json; charset=utf-7"}, {"accept-encoding": "x;q=9"}),
    *({"range": "bytes=0-9999999"}, {"transfer-encoding": "chunked"}, {"if-none-match": "*"}),
)
SPOT = {"board": "QsJh2h8d3c", "oop": "QQ", "ip": "88", "pot": 9, "stack": 9, "bets": "a"}
GOOD = {
    "opponents": ["fish"],
    "blinds": [1, 2],
    **SPOT,
    "kind": "blueprint",
    "name": "hundred",
    "word": "f",
    "action": "call",
    "line": "",
    "until": 9.0,
    "seq": 10**8,  # never the present one
}


class Enemy:
    """Makes requests; seeded, so that a failure can be asked again."""

    def __init__(self, description, ids, seed):
        self.rng, self.ids, self.schemas = random.Random(seed), ids, description["components"]
        self.operations = [
            (method, path, operation)
            for path, methods in description["paths"].items()
            for method, operation in methods.items()
        ]

    def request(self):
        rng = self.rng
        method, path, operation = rng.choice(self.operations)
        query = {}
        for parameter in operation.get("parameters", ()):
            name = parameter["name"]
            if parameter["in"] == "path":
                path = path.replace(f"{{{name}}}", self.part())
            elif rng.random() < 0.6:
                query[name] = str(self.value(parameter.get("schema", {})))
        if rng.random() < 0.05:
            method = rng.choice(["get", "post", "put", "delete", "patch", "options", "trace"])
        headers = rng.choice(HEADERS) if rng.random() < 0.1 else {}
        content = None
        if "requestBody" in operation:
            content = self.body(operation["requestBody"]["content"]["application/json"]["schema"])
            headers = {"content-type": "application/json", **headers}
        return {
            "method": method,
            "url": path,
            "params": query,
            "content": content,
            "headers": {
                name: value.encode("latin-1", "replace") for name, value in headers.items()
            },
        }

    def part(self):
        choice = self.rng.random()
        if choice < 0.6:
            return self.rng.choice(self.ids)
        text = str(self.rng.choice(WILD))[:300]
        return "".join(c if c.isalnum() and c.isascii() else f"%{ord(c) % 256:02x}" for c in text)

    def body(self, schema):
        if self.rng.random() < 0.2:
            return self.rng.choice(BROKEN)
        made = self.value(schema)
        if isinstance(made, dict) and self.rng.random() < 0.3:
            made[self.rng.choice([*made, "more"])] = self.rng.choice(WILD)
        if isinstance(made, dict) and made and self.rng.random() < 0.1:
            del made[self.rng.choice(list(made))]
        return json.dumps(made).encode()

    def value(self, schema, name=""):
        """A value of a schema, or anything."""
        rng = self.rng
        if "$ref" in schema:
            schema = self.schemas["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        if rng.random() < 0.05:
            return rng.choice(WILD)
        if name in GOOD and rng.random() < 0.8:
            return GOOD[name]
        if "anyOf" in schema:
            return self.value(rng.choice(schema["anyOf"]))
        if "enum" in schema:
            return rng.choice(schema["enum"])
        if "const" in schema:
            return schema["const"]
        kind = schema.get("type")
        if kind == "object":
            needed, known = schema.get("required", ()), schema.get("properties", {})
            chosen = [each for each in known if each in needed or rng.random() < 0.3]
            return {each: self.value(known[each], each) for each in chosen}
        if kind == "array":
            return [self.value(schema.get("items", {})) for _ in range(rng.choice([0, 1, 2, 60]))]
        if kind in ("integer", "number"):
            low, high = schema.get("minimum", 0), schema.get("maximum", 100)
            return rng.choice([low, high, low - 1, high + 1, rng.randint(int(low), int(high))])
        if kind == "boolean":
            return rng.choice([True, False])
        return rng.choice([name, "x", "fish", "a" * schema.get("maxLength", 9), rng.choice(WILD)])


def attack(client, count, seed, monkeypatch):
    """Send requests; returns how often each status was answered."""
    monkeypatch.setattr(client._transport, "raise_server_exceptions", False)
    mine = client.post("/api/tables", json={"opponents": ["fish"]}).json()
    theirs = other_session(client)
    drill = client.post("/api/drills", json={"kind": "blueprint", "name": "hundred"}).json()
    ids = [mine["id"], theirs["id"], drill["id"], "hundred", "0" * 16, "1", "2", "runs~small"]
    enemy, seen = Enemy(client.get("/api/openapi.json").json(), ids, seed), {}
    enemy.operations = [each for each in enemy.operations if not is_lawful(each)]
    for number in range(count):
        request = enemy.request()
        answer = client.request(**request, follow_redirects=False)
        assert answer.status_code < 500, (number, request, answer.text)
        if answer.status_code >= 400 and request["method"] not in ("options", "trace", "head"):
            assert_one_line_and_a_remedy(answer, (number, request))
        seen[answer.status_code] = seen.get(answer.status_code, 0) + 1
    assert client.get(f"/api/tables/{mine['id']}").json() == mine
    assert other_table(client, theirs) == theirs
    for spot in client.get("/api/spots").json():
        client.delete(f"/api/spots/{spot['id']}")
    return seen


def assert_one_line_and_a_remedy(answer, asked):
    said = answer.json()
    assert said["error"], asked
    assert said["remedy"], asked
    assert "\n" not in said["error"] + said["remedy"], asked
    assert "Traceback" not in answer.text, asked


def is_lawful(operation):
    """Deleting one's own table by its id is no attack."""
    return operation[0] == "delete" and operation[1] == "/api/tables/{number}"


def other_session(client):
    """A table of a person with a cookie."""
    token = client.headers.pop("x-tiltless-token")
    client.get(f"/?token={token}")
    made = client.post("/api/tables", json={"opponents": ["fish"]}, headers=PAGE).json()
    client.headers["x-tiltless-token"] = token
    made["cookie"] = client.cookies["tiltless-8432"]
    client.cookies.clear()
    return made


def other_table(client, made):
    token = client.headers.pop("x-tiltless-token")
    cookie = {"cookie": f"tiltless-8432={made['cookie']}"}
    found = client.get(f"/api/tables/{made['id']}", headers=cookie).json()
    client.headers["x-tiltless-token"] = token
    return {**found, "cookie": made["cookie"]}


def test_hostile_requests(study, monkeypatch):
    seen = attack(study, 150, 1, monkeypatch)
    assert {404, 422} <= set(seen)


@pytest.mark.slow
def test_ten_thousand_hostile_requests(study, monkeypatch):
    seen = attack(study, 10_000, 2, monkeypatch)
    assert {200, 400, 403, 404, 413, 415, 422} <= set(seen)
