"""The weight of the first visit, counted as `tiltless bench web` does."""

from tiltless.bench import web
from web.test_tables import run


def test_the_first_visit_is_light_and_asks_nobody_else(address):
    async def visit():
        player = await web._entered(address)
        found = await web._weight(player)
        player.close()
        return found

    found = run(visit())
    assert 10 < found["page_kb_gz"] <= 60
    assert 10 < found["requests"] <= 25
    assert found["foreign"] == 0
