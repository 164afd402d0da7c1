"""The result store: whole chunks or nothing, and foreign files are refused."""

import sqlite3

import pytest

from tiltless.arena.chunk import play_chunk
from tiltless.arena.match import play_match, play_stored
from tiltless.arena.plan import MatchPlan
from tiltless.arena.store import Store
from tiltless.errors import (
    DamagedFileError,
    FileError,
    ForeignFileError,
    NewerFileError,
    OptionError,
    WriteError,
)

PLAN = MatchPlan(("fish", "uniform"), 50, seed=2, chunk=20)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results.sqlite") as made:
        yield made


def test_a_match_comes_back(store):
    record = play_stored(PLAN, store)
    assert record.number == 1
    assert record.plan == PLAN
    assert (record.deals, record.hands, record.is_over) == (50, 100, True)
    sums = play_match(PLAN)
    assert [score.won for score in record.scores] == [score.won for score in sums]
    assert [score.stats for score in record.scores] == [score.stats for score in sums]
    assert record.scores[0].times.decisions == record.scores[0].stats.decisions
    rows = [row for n in range(3) for row in play_chunk(PLAN, n, PLAN.make_agents()).hands]
    assert list(store.hands(1)) == rows
    assert store.hand(1, 30, 1) == next(r for r in rows if (r.deal, r.half) == (30, 1))
    assert store.hand(1, 50, 0) is None
    assert store.done(1) == {0: 20, 1: 20, 2: 10}


def test_without_hands(store):
    record = play_stored(PLAN, store, keep_hands=False)
    assert list(store.hands(1)) == []
    assert [s.won for s in record.scores] == [s.won for s in play_match(PLAN)]


def test_faults_are_kept(store, monkeypatch):
    from tiltless.agents import registry
    from tiltless.agents.simple import Caller

    class Bad(Caller):
        def act(self, view, clock, rng):
            raise ValueError('it\'s "bad"\n')

    monkeypatch.setattr(registry, "_AGENTS", dict(registry._AGENTS))
    registry.register("bad", Bad, "fails")
    record = play_stored(MatchPlan(("bad", "fish"), 20, chunk=20), store)
    assert record.scores[0].faults.crashed == record.scores[0].stats.decisions > 20
    assert str(record.scores[0].faults).endswith("crashed")
    assert str(record.scores[1].faults) == ""
    first = 'deal 0, half 0: crashed: ValueError: it\'s "bad"\n'
    assert [score.first_fault for score in record.scores] == [first, ""]
    assert [score.is_broken for score in record.scores] == [True, False]
    rows = list(store.hands(1))
    assert sum(len(row.faults) for row in rows) == record.scores[0].faults.crashed
    assert rows[0].faults[0].detail == 'ValueError: it\'s "bad"\n'


def test_the_same_chunk_twice_is_written_once(store):
    match = store.begin(PLAN)
    chunk = play_chunk(PLAN, 1, PLAN.make_agents())
    assert store.add(match, chunk)
    assert not store.add(match, chunk)
    assert store.record(match).deals == 20
    assert len(list(store.hands(match))) == 40


def test_half_a_chunk_is_no_chunk(store):
    match = store.begin(PLAN)
    chunk = play_chunk(PLAN, 0, PLAN.make_agents())
    broken = chunk._replace(hands=(*chunk.hands, chunk.hands[0]))  # a hand twice
    with pytest.raises(DamagedFileError):
        store.add(match, broken)
    assert store.record(match).deals == 0
    assert list(store.hands(match)) == []
    assert store.add(match, chunk)


def test_a_full_disk_is_called_so(store):
    """SQLite ends the transaction by itself."""
    plan = MatchPlan(PLAN.agents, 100, chunk=100)
    chunk = play_chunk(plan, 0, plan.make_agents())
    match, (pages,) = store.begin(plan), store._db.rows("PRAGMA page_count")[0]
    store._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(WriteError, match="disk is full"):
        store.add(match, chunk)
    store._db.execute("PRAGMA max_page_count = 100000")
    assert store.record(match).deals == 0
    assert store.add(match, chunk)


def test_resume_plays_what_is_missing(store):
    match = store.begin(PLAN, PLAN.fingerprints(PLAN.make_agents()))
    store.add(match, play_chunk(PLAN, 1, PLAN.make_agents()))
    told = []
    record = play_stored(
        PLAN, store, resume=True, progress=lambda deals, scores: told.append(deals)
    )
    assert told == [20, 40, 50]
    assert record.number == match
    assert [s.won for s in record.scores] == [s.won for s in play_match(PLAN)]
    again = play_stored(PLAN, store, resume=True)
    assert again == record
    assert play_stored(PLAN, store).number == match + 1  # not asked to resume: a new one


def test_resume_goes_on_with_the_same_agents_only(store, monkeypatch, tmp_path):
    """If a file that an agent plays from changes, its hands are not added to the old match."""
    from tiltless.agents import registry
    from tiltless.agents.simple import AllIn, Caller

    file = tmp_path / "mine.txt"
    file.write_text("call")

    def from_file(file=""):
        with open(file, encoding="utf-8") as opened:
            return Caller() if opened.read() == "call" else AllIn()

    monkeypatch.setattr(registry, "_AGENTS", dict(registry._AGENTS))
    registry.register("from-file", from_file, "as its file says")
    text, notes = f"from-file:file={file}", []
    plan = MatchPlan((text, "fold"), 20, chunk=20)
    assert play_stored(plan, store, resume=True, note=notes.append).number == 1
    assert play_stored(plan, store, resume=True, note=notes.append).number == 1
    assert not notes
    before = plan.fingerprints(plan.make_agents())
    file.write_text("all-in")
    after = plan.fingerprints(plan.make_agents())
    assert before[0] != after[0]
    assert before[1] == after[1]
    record = play_stored(plan.with_deals(40), store, resume=True, note=notes.append)
    assert (record.number, record.deals) == (2, 40)
    said = f"match 1 was played by other versions of {text}, so this is a new one: match 2"
    assert notes == [said]
    assert store.record(1).deals == 20
    file.write_text("call")
    assert play_stored(plan, store, resume=True, note=notes.append).number == 1


def test_fingerprints_tell_classes_apart():
    from tiltless.agents.simple import AllIn, Caller

    assert Caller().fingerprint() == Caller().fingerprint() != AllIn().fingerprint()
    assert type("Own", (Caller,), {"__module__": "nowhere"})().fingerprint().startswith("nowhere.")


def test_a_file_of_the_first_format(tmp_path):
    path, notes = tmp_path / "old.sqlite", []
    with Store(path) as store:
        play_stored(PLAN, store)
        store._db.execute("ALTER TABLE matches DROP COLUMN agents")
        store._db.execute("ALTER TABLE scores DROP COLUMN sources")
        store._db.execute("ALTER TABLE scores DROP COLUMN matches")
        store._db.execute("UPDATE scores SET faults = json_remove(faults, '$.first')")
        store._db.execute("PRAGMA user_version = 1")
    with Store(path) as store:
        assert store.record(1).deals == 50
        assert store.fingerprints(1) == ()
        assert play_stored(PLAN, store, resume=True, note=notes.append).number == 2
    assert "does not say" in notes[0]


def test_a_file_of_the_second_format(tmp_path):
    path = tmp_path / "old.sqlite"
    plan = MatchPlan(("arena.match_runner:Sayer", "fish"), 20, chunk=20, trusted=True)
    with Store(path) as store:
        won = [score.won for score in play_stored(plan, store).scores]
        store._db.execute("ALTER TABLE scores DROP COLUMN sources")
        store._db.execute("ALTER TABLE scores DROP COLUMN matches")
        store._db.execute("PRAGMA user_version = 2")
    with Store(path) as store, Store(path) as other:
        assert [score.won for score in store.record(1).scores] == won
        assert [str(score.sources) for score in store.record(1).scores] == ["", ""]
        record = play_stored(plan.with_deals(40), other, resume=True)
        assert (record.number, record.deals) == (1, 40)
        more = play_chunk(plan.with_deals(40), 1, plan.make_agents()).scores
        assert [s.sources for s in store.record(1).scores] == [s.sources for s in more]
        assert more[0].sources.counts


@pytest.mark.parametrize("plan", ["{}", '{"agents": 3}', "no JSON", "GAME"])
def test_one_bad_plan_does_not_hide_the_others(store, plan):
    play_stored(PLAN, store)
    text = PLAN.to_json().replace('"nlhe"', '"gone"') if plan == "GAME" else plan
    store._db.execute(
        "INSERT INTO matches (plan, begun, program) VALUES (?, '2020', 'other')", (text,)
    )
    assert [record.number for record in store.records()] == [1]
    assert list(store.unreadable()) == [2]
    assert store.find(PLAN) == 1
    store.remove(2)
    assert not store.unreadable()


def test_a_match_can_be_made_longer(store):
    play_stored(PLAN, store)
    told = []
    longer = PLAN.with_deals(90)
    record = play_stored(
        longer,
        store,
        resume=True,
        progress=lambda deals, scores: told.append((deals, scores[0].won.count)),
    )
    assert told == [(40, 40), (60, 60), (80, 80), (90, 90)]  # the short chunk is played again
    assert record.number == 1
    assert [s.won for s in record.scores] == [s.won for s in play_match(longer)]
    assert [s.stats for s in record.scores] == [s.stats for s in play_match(longer)]
    assert len(list(store.hands(1))) == 180
    assert play_stored(PLAN, store, resume=True).deals == 90  # what was played stays


def test_other_plans_are_other_matches(store):
    play_stored(PLAN, store)
    others = [
        MatchPlan(("uniform", "fish"), 50, seed=2, chunk=20),
        MatchPlan(PLAN.agents, 50, seed=3, chunk=20),
        MatchPlan(PLAN.agents, 50, seed=2, chunk=10),
        MatchPlan(PLAN.agents, 50, seed=2, chunk=20, mirrored=False),
        MatchPlan(PLAN.agents, 50, seed=2, chunk=20, clock=9),
        MatchPlan(PLAN.agents, 50, seed=2, chunk=20, parameters={"stack": 20}),
    ]
    assert [store.find(plan) for plan in others] == [None] * 6
    assert store.find(PLAN.with_deals(3)) == 1
    numbers = [play_stored(plan, store, resume=True).number for plan in others]
    assert numbers == [2, 3, 4, 5, 6, 7]
    assert [record.number for record in store.records()] == [1, 2, 3, 4, 5, 6, 7]
    store.remove(3)
    assert [record.number for record in store.records()] == [1, 2, 4, 5, 6, 7]
    assert not store._db.rows("SELECT * FROM hands WHERE match = 3")


def test_course_of_a_match(store):
    record = play_stored(PLAN, store)
    parts = list(store.by_chunk(1))
    assert [chunk for chunk, _ in parts] == [0, 1, 2]
    assert sum(scores[1].won.total for _, scores in parts) == record.scores[1].won.total


def test_a_bad_agent_is_refused_before_anything_is_written(store):
    with pytest.raises(OptionError, match=r"'nobody'.*fish"):
        play_stored(MatchPlan(("fish", "nobody"), 10), store)
    assert store.records() == []


def test_reading_while_a_match_is_played(store):
    match = store.begin(PLAN)
    store.add(match, play_chunk(PLAN, 0, PLAN.make_agents()))
    with Store(store.path) as reader:
        assert reader.record(match).deals == 20
        store.add(match, play_chunk(PLAN, 1, PLAN.make_agents()))
        assert reader.record(match).deals == 40
    mode = store._db.rows("PRAGMA journal_mode")
    assert mode == [("wal",)]


def test_huge_chips_stay_exact(store):
    plan = MatchPlan(("fish", "all-in"), 20, parameters={"stack": 2 * 10**9}, chunk=20, carry=True)
    record = play_stored(plan, store)
    assert [s.won for s in record.scores] == [s.won for s in play_match(plan)]


def test_no_such_match(store):
    with pytest.raises(OptionError, match="match 1"):
        store.record(1)
    store.begin(PLAN)
    with pytest.raises(OptionError, match=r"9.*1 to 1"):
        store.plan(9)


def test_files_that_are_not_ours(tmp_path):
    with pytest.raises(FileError, match=r"none\.sqlite.*--db"):
        Store(tmp_path / "none.sqlite", create=False)
    text = tmp_path / "text"
    text.write_text("x" * 5000)
    with pytest.raises(ForeignFileError):
        Store(text)
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE things (name)")
    db.close()
    with pytest.raises(ForeignFileError, match=r"other\.sqlite"):
        Store(other)
    with pytest.raises(WriteError):
        Store(tmp_path / "no" / "folder.sqlite")


def test_a_newer_file(tmp_path):
    path = tmp_path / "newer.sqlite"
    with Store(path) as store:
        store._db.execute("PRAGMA user_version = 99")
    with pytest.raises(NewerFileError):
        Store(path)


def test_going_on_for_a_while(store):
    """With fewer deals than planned, as many are played, and the plan stays."""
    match = store.begin(PLAN.with_deals(500), PLAN.fingerprints(PLAN.make_agents()))
    record = play_stored(PLAN, store, resume=True)
    assert (record.number, record.deals, record.plan.deals) == (match, 50, 500)
    assert not record.is_over
    assert [s.won for s in record.scores] == [s.won for s in play_match(PLAN)]
