"""All pairs: signs, ranking, report and picture."""

import re
from html.parser import HTMLParser

import pytest

from tiltless.agents import registry
from tiltless.agents.simple import Caller
from tiltless.arena.cross_table import pair_plans, play_cross_table, short_name
from tiltless.arena.plan import MatchPlan
from tiltless.arena.score_text import times_row
from tiltless.arena.stats.decision_sources import count_sources
from tiltless.arena.stats.response_times import response_times
from tiltless.arena.stats.score import Score
from tiltless.arena.store import Store
from tiltless.errors import OptionError
from tiltless.intervals import Interval
from tiltless.viz.cross_table import cell_text, course_png, heat_map_png
from tiltless.viz.report import html_report

AGENTS = ("fold", "fish", "all-in", "uniform")
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    plan = MatchPlan(AGENTS[:2], 60, seed=1, parameters={"stack": "50bb"})
    with Store(tmp_path_factory.mktemp("table") / "r.sqlite") as store:
        made = play_cross_table(plan, AGENTS, store)
        again = play_cross_table(plan, AGENTS, store, resume=True)
        assert again == made  # nothing was played twice
        assert len(store.records()) == 6
    return made


def test_cells_are_opposite(table):
    for row in range(4):
        assert table.cell(row, row) is None
        for column in range(row):
            one, other = table.cell(row, column), table.cell(column, row)
            assert one == Interval(-other.mean, -other.high, -other.low)
    assert table.cell(0, 2) == (-750, -750, -750)
    assert table.cell(1, 2) == (0, 0, 0)
    assert table.cell(0, 3).mean < 0


def test_units(table):
    in_big_blinds = table._replace(unit="bb/100")
    assert in_big_blinds.cell(0, 2).mean == -75
    assert table._replace(unit="sb/h").cell(0, 2).mean == -1.5


def test_standing_and_ranking(table):
    standing = table.standing(0)
    cells = [table.cell(0, column) for column in (1, 2, 3)]
    assert standing.mean.mean == pytest.approx(sum(cell.mean for cell in cells) / 3)
    assert standing.lost >= 2
    assert standing.beaten == 0
    assert standing.mean.half_width == pytest.approx(
        sum(cell.half_width**2 for cell in cells) ** 0.5 / 3
    )
    assert standing.sign == -1
    means = [table.standing(row).mean.mean for row in table.ranking]
    assert means == sorted(means, reverse=True)


def test_each_pair_has_deals_of_its_own(table):
    """Means of matches that share deals are not independent, and their intervals say they are."""
    seeds = {record.plan.seed for record in table.matches.values()}
    assert len(seeds) == 6
    assert table.seed == 1
    plan = MatchPlan(AGENTS[:2], 60, seed=1, parameters={"stack": "50bb"})
    fewer = pair_plans(plan, ["fold", "uniform"])
    assert fewer == [table.matches[0, 3].plan]  # whoever else plays
    other = MatchPlan(AGENTS[:2], 60, seed=2, parameters={"stack": "50bb"})
    assert not seeds & {each.seed for each in pair_plans(other, AGENTS)}


def test_too_few_deals_say_nothing(tmp_path):
    with Store(tmp_path / "r.sqlite") as store:
        few = play_cross_table(MatchPlan(AGENTS[:2], 29), ("fold", "all-in"), store)
        enough = play_cross_table(MatchPlan(AGENTS[:2], 30), ("fold", "all-in"), store)
    assert few.cell(0, 1) == enough.cell(0, 1) == (-750, -750, -750)
    assert (few.sign(0, 1), few.sign(1, 0), few.standing(0).sign, few.standing(0).lost) == (0,) * 4
    assert (enough.sign(0, 1), enough.sign(1, 0), enough.sign(1, 1)) == (-1, 1, 0)
    assert (enough.standing(0).sign, enough.standing(1).beaten) == (-1, 1)


def test_an_agent_that_only_crashes_has_no_result(tmp_path, monkeypatch):
    class Bad(Caller):
        def act(self, view, clock, rng):
            raise ValueError("always <this>")

    monkeypatch.setattr(registry, "_AGENTS", dict(registry._AGENTS))
    registry.register("bad", Bad, "fails")
    with Store(tmp_path / "r.sqlite") as store:
        made = play_cross_table(MatchPlan(AGENTS[:2], 40), ("fish", "all-in", "bad"), store)
    assert made.broken == (2,)
    assert made.sign(1, 2) == made.standing(1).sign == 0
    words = " ".join(Page(html_report(made, title="t")).words)
    assert "No verdict" in words
    assert "ValueError: always <this>" in words
    assert "did best" not in words


def test_sorting_changes_places_only(table):
    ordered = table.sorted()
    assert sorted(ordered.agents) == sorted(AGENTS)
    for row, first in enumerate(ordered.agents):
        old = AGENTS.index(first)
        assert ordered.standing(row) == table.standing(old)
        assert ordered.score(row).stats == table.score(old).stats
        for column, second in enumerate(ordered.agents):
            assert ordered.cell(row, column) == table.cell(old, AGENTS.index(second))
    assert ordered.ranking == [0, 1, 2, 3]


def test_score_adds_all_matches(table):
    assert table.score(2).stats.hands == 3 * 120
    assert table.score(0).stats.vpip == 0
    assert table.score(1).stats.pfr == 0
    assert table.hands == 6 * 120


@pytest.mark.parametrize("agents", [("fish",), ("fish", "fish"), ("fish", "fold", " fish")])
def test_each_agent_once(agents, tmp_path):
    with (
        Store(tmp_path / "r.sqlite") as store,
        pytest.raises(OptionError, match="once each"),
    ):
        play_cross_table(MatchPlan(("fish", "fold"), 5), agents, store)


class Page(HTMLParser):
    """Checks that tags are closed in order; keeps text and what is referred to."""

    void = ("meta", "img", "br")

    def __init__(self, text):
        super().__init__()
        self.open, self.links, self.words = [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_report(table):
    text = html_report(table, title="A <test> & more", picture=heat_map_png(table, "x"))
    page = Page(text)
    words = " ".join(page.words)
    assert page.links
    assert all(link.startswith("data:image/png;base64,") for link in page.links)
    assert not re.search(r"https?://|<script|@import|url\(", text)
    for agent in AGENTS:
        assert agent in words
    for word in ("-750", "exactly", "VPIP", "WTSD", "95 % interval", "nlhe stack=50bb", "seed 1"):
        assert word in words, word
    assert "A <test> & more" in words  # escaped in the source, and read back


def test_the_report_says_what_decided(table):
    assert "What decided" not in html_report(table, title="t")
    pair, record = next(iter(table.matches.items()))
    first = record.scores[0]._replace(sources=count_sources({"<i>": 3, "search": 1200}))
    spoken = table._replace(
        matches={**table.matches, pair: record._replace(scores=(first, record.scores[1]))}
    )
    page = Page(html_report(spoken, title="t"))
    assert "What decided" in page.words
    assert f"decisions of {table.names[pair[0]]}: 1,200 search, 3 <i>" in page.words


def test_names_cannot_break_the_page(table):
    odd = table._replace(agents=("<b>", '"&', "c:x=</td>", "uniform"))
    page = Page(html_report(odd, title="t"))
    assert "c:x=</td>" in " ".join(page.words)


def test_pictures(table):
    assert heat_map_png(table, "title").startswith(PNG)
    course = [Interval(1.0, float("-inf"), float("inf")), Interval(2.0, -1.0, 5.0)]
    for part in (course, course[:1]):
        picture = course_png([10, 20][: len(part)], part, title="t", unit="mbb/h", axis="hands")
        assert picture.startswith(PNG)


def test_times_in_words():
    score = Score(times=response_times([2.1e-4] * 100 + [2.5]))
    assert times_row(score)[3] == "2.5 s"
    assert re.fullmatch(r"\d{3} µs", times_row(score)[0])
    assert times_row(Score()) == ["0 µs"] * 4


def test_texts_of_cells():
    assert cell_text(Interval(1234.5, 1200, 1269)) == ("+1,234", "±34")
    assert cell_text(Interval(-12.34, -13.34, -11.34)) == ("-12.3", "±1.0")
    assert cell_text(Interval(0.5, 0.25, 0.75)) == ("+0.50", "±0.25")
    assert cell_text(Interval(1.019, 1.011, 1.027)) == ("+1.019", "±0.008")
    assert cell_text(Interval(0, 0, 0)) == ("0", "exactly")
    assert cell_text(Interval(-750, -750, -750)) == ("-750", "exactly")
    assert cell_text(Interval(3, float("-inf"), float("inf")))[1] == "±?"


def test_long_texts_get_short_names():
    assert short_name("fish") == "fish"
    assert short_name("monte-carlo:rollouts=50") == "monte-carlo:rollouts=50"
    assert short_name("blueprint:file=runs/minute/blueprint.safetensors") == "blueprint (minute)"
    assert short_name("blueprint:file=models/mine.safetensors") == "blueprint (mine)"
    assert short_name("blueprint:file=hundred") == "blueprint:file=hundred"
    assert short_name("blueprint:file=a/b.safetensors,argmax").endswith("argmax")
