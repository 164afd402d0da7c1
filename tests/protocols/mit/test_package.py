"""Packages for the servers of MIT Pokerbots: content, limits, and a bot that plays."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tiltless.blueprint.shipped import MODELS, shipped_blueprints
from tiltless.errors import OptionError
from tiltless.protocols.mit import package, servers
from tiltless.protocols.mit.bot_folder import BotFolder
from tiltless.protocols.mit.engine import play_match
from tiltless.protocols.mit.package import pack_bot
from tiltless.protocols.mit.servers import SERVERS
from tiltless.protocols.mit.wheels import NEEDED, download_wheels, wheels_in
from tiltless.protocols.mit.year_file import load_year
from tiltless.protocols.mit.years import YEARS

SKELETON = Path(__file__).parents[3] / "examples" / "mit_skeleton"
VARIANT = SKELETON.with_name("variant") / "rules.toml"
ARM = "cp313-cp313-manylinux_2_27_aarch64.manylinux_2_28_aarch64"
OWN_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="bots are started by a shell")


@pytest.fixture
def wheels(tmp_path):
    """A folder of wheels that only have the right names."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for name in (
        f"numba-0.68.1-{ARM}.whl",
        f"numba-0.9.0-{ARM}.whl",
        "numba-0.99.0-cp312-cp312-manylinux_2_28_aarch64.whl",
        "numba-0.99.0-cp313-cp313-manylinux_2_28_x86_64.whl",
        f"llvmlite-0.50.0-{ARM}.whl",
        f"numpy-2.4.6-{ARM}.whl",
        "not a wheel.whl",
    ):
        (folder / name).write_bytes(name.encode() * 1000)
    return folder


def test_the_newest_wheels_that_fit_are_taken(wheels):
    server = SERVERS["2027"]
    found = wheels_in(wheels, server, NEEDED)
    assert [(wheel.name, wheel.version) for wheel in found] == [
        ("numba", "0.68.1"),
        ("llvmlite", "0.50.0"),
        ("numpy", "2.4.6"),
    ]
    with pytest.raises(OptionError, match=r"llvmlite, numpy.*3\.12"):
        wheels_in(wheels, replace(server, python="3.12"), NEEDED)
    with pytest.raises(OptionError, match="numba"):
        wheels_in(wheels / "nothing", server, NEEDED)


@pytest.fixture
def no_rehearsal(monkeypatch):
    """The files that an agent reads are given instead of found out."""
    read: list[Path] = []
    monkeypatch.setattr(package, "_rehearsed", lambda *_: tuple(read))
    return read


def names_in(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return archive.namelist()


def test_the_content_of_a_package(wheels, tmp_path, no_rehearsal):
    out = tmp_path / "bot.zip"
    packed = pack_bot("river-of-blood", "2027", "rules", out, wheels=wheels)
    names = names_in(out)
    assert packed.files == len(names)
    assert packed.zip_bytes == out.stat().st_size
    assert {"commands.json", "build.sh", "run.sh", "player.py"} <= set(names)
    assert [name for name in names if name.startswith("wheels/")] == sorted(
        f"wheels/{name}-{ARM}.whl" for name in ("numba-0.68.1", "llvmlite-0.50.0", "numpy-2.4.6")
    )
    assert "lib/tiltless/protocols/mit/client.py" in names
    assert "lib/tiltless/kernels/base/jit.py" in names
    left_out = re.compile(r"lib/tiltless/(cli|viz|bench)/|\.safetensors$|\.pyc$")
    assert not [name for name in names if left_out.search(name)]
    with zipfile.ZipFile(out) as archive:
        player = archive.read("player.py").decode()
        commands = json.loads(archive.read("commands.json"))
    assert commands == {"build": ["bash", "build.sh"], "run": ["bash", "run.sh"]}
    assert "YEAR = 2023\nAGENT = 'rules'\n" in player
    first_import = player.index("from tiltless.protocols.mit.client")
    assert player.index("create_connection") < first_import
    again = tmp_path / "again.zip"
    pack_bot("river-of-blood", "2027", "rules", again, wheels=wheels, bring=NEEDED)
    assert again.read_bytes() == out.read_bytes()


def test_only_what_was_read_is_packed(wheels, tmp_path, no_rehearsal, monkeypatch):
    """Models of tiltless, the user's files here, and the user's files elsewhere."""
    work, other = tmp_path / "work", tmp_path / "other"
    (work / "runs").mkdir(parents=True)
    other.mkdir()
    monkeypatch.chdir(work)
    centroids = package._PACKAGE / "abstraction" / "cards" / "centroids" / "tiny.safetensors"
    for path in (
        work / "mybot.py",
        work / "weights.txt",
        work / "runs" / "a.safetensors",
        other / "b.safetensors",
        other / "b.part.safetensors",
        other / "unasked.txt",
    ):
        path.write_text("nothing")
        no_rehearsal.append(path)
    no_rehearsal += [centroids, Path(sys.executable)]
    agent = f"blueprint:file=runs/a.safetensors,cards={other}/b.safetensors"
    packed = pack_bot("permutation", "2027", agent, tmp_path / "bot.zip", wheels=wheels)
    assert packed.agent == "blueprint:file=runs/a.safetensors,cards=files/b.safetensors"
    mine = [
        name
        for name in names_in(tmp_path / "bot.zip")
        if not name.endswith((".py", ".sh", ".whl", ".json"))
    ]
    assert mine == [
        "files/b.part.safetensors",
        "files/b.safetensors",
        "lib/tiltless/abstraction/cards/centroids/tiny.safetensors",
        "runs/a.safetensors",
        "weights.txt",
    ]
    assert "lib/mybot.py" in names_in(tmp_path / "bot.zip")


def test_files_from_other_folders_are_packed(tmp_path, no_rehearsal, monkeypatch):
    here, modules, models = tmp_path / "here", tmp_path / "modules", tmp_path / "models"
    for folder in (here, modules, models):
        folder.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.syspath_prepend(modules)
    for path in (modules / "my_game.py", models / "a.safetensors", models / "unnamed.txt"):
        path.write_text("nothing")
        no_rehearsal.append(path)
    agent = "blueprint:file=../models/a.safetensors"
    packed = pack_bot("permutation", "local", agent, tmp_path / "bot.zip")
    assert packed.agent == "blueprint:file=files/a.safetensors"
    names = names_in(tmp_path / "bot.zip")
    assert {"lib/my_game.py", "files/a.safetensors"} <= set(names)
    assert not [name for name in names if ".." in name or "unnamed" in name]


@pytest.mark.parametrize(
    "word", ["models/a.safetensors", "../here/models/a.safetensors", "ABSOLUTE"]
)
def test_files_of_this_folder_have_their_relative_names(word, tmp_path, no_rehearsal, monkeypatch):
    model = tmp_path / "here" / "models" / "a.safetensors"
    model.parent.mkdir(parents=True)
    model.write_text("nothing")
    no_rehearsal.append(model)
    monkeypatch.chdir(tmp_path / "here")
    agent = f"blueprint:file={model if word == 'ABSOLUTE' else word}"
    packed = pack_bot("permutation", "local", agent, tmp_path / "bot.zip")
    assert packed.agent == "blueprint:file=models/a.safetensors"
    assert "models/a.safetensors" in names_in(tmp_path / "bot.zip")


def test_a_rehearsal_names_files_without_dots(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    rules = tmp_path / "rules.toml"
    rules.write_text('[game]\nname = "nlhe"\nstack = 60\n')
    read = package._rehearsed("../rules.toml", "fold", 5.0)
    assert rules in read
    assert not [path for path in read if ".." in path.parts]


@pytest.mark.parametrize("limit", ["zip_bytes", "unpacked_bytes", "files"])
def test_packages_above_a_limit_are_refused(limit, wheels, tmp_path, no_rehearsal, monkeypatch):
    small = {**SERVERS, "2027": replace(SERVERS["2027"], **{limit: 100})}
    monkeypatch.setattr(servers, "SERVERS", small)
    with pytest.raises(OptionError, match=r"allows 100; .*largest: tiltless"):
        pack_bot("permutation", "2027", "rules", tmp_path / "bot.zip", wheels=wheels)
    assert not (tmp_path / "bot.zip").exists()


def test_our_bot_for_the_game_is_the_default(tmp_path, no_rehearsal):
    for year in YEARS.values():
        packed = pack_bot(year.variant, "local", "", tmp_path / "bot.zip")
        assert packed.agent == f"endgame:agent={year.variant}"


def test_what_is_refused(tmp_path, wheels):
    out = tmp_path / "bot.zip"
    for game, server, agent, python in (
        (str(VARIANT), "local", "", ""),
        ("nlhe", "2027", "rules", ""),
        ("permutation", "2021", "rules", ""),
        ("permutation", "2027", "rules", "three"),
        ("permutation", "2027", "no-such-agent", ""),
    ):
        with pytest.raises(OptionError):
            pack_bot(game, server, agent, out, wheels=wheels, python=python)


def unpacked(path, folder):
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    return folder


def skeleton(folder):
    shutil.copytree(SKELETON, folder)
    run = {"build": [], "run": [sys.executable, "-S", "player.py"]}
    (folder / "commands.json").write_text(json.dumps(run))
    return folder


def play(bot, other, year, hands, build_limit=10.0):
    with BotFolder(bot, "A", build_limit=build_limit) as a, BotFolder(other, "B") as b:
        assert a.build(), a.output.decode()
        for each in (a, b):
            assert each.start(), each.output.decode()
        match = play_match(year, [a, b], hands=hands)
        a.quit()
        b.quit()
    return match, a.output.decode()


def test_a_local_package_plays(tmp_path):
    packed = pack_bot("river-of-blood", "local", "rules", tmp_path / "bot.zip")
    assert packed.zip_bytes < 10_000
    bot = unpacked(tmp_path / "bot.zip", tmp_path / "bot")
    match, said = play(bot, skeleton(tmp_path / "skeleton"), 2023, 50)
    assert [seat.faults.total() for seat in match.seats] == [0, 0]
    assert "50 hands" in said
    assert f"{match.bankrolls[0]:+,} chips" in said


@pytest.mark.parametrize(
    ("year", "agent", "kept"),
    [
        (2020, "permutation", {"hundred"}),
        (2020, "endgame:agent=blueprint:file=two-hundred", {"two-hundred", "hundred"}),
        (2023, "river-of-blood", {"river-of-blood"}),
    ],
)
def test_models_that_were_only_looked_at_stay_at_home(year, agent, kept):
    """To choose one, agents read the descriptions of all that ship."""
    own = Path("models/mine.safetensors").absolute()
    models = [MODELS / f"{name}.safetensors" for name in shipped_blueprints()]
    packed = package._played([own, *models], load_year(year), agent)
    assert packed[0] == own
    assert {path.stem for path in packed[1:]} == kept


@pytest.fixture(scope="module")
def own_wheels(tmp_path_factory):
    """The real wheels of a server that has this interpreter's version of Python."""
    folder = tmp_path_factory.mktemp("wheels")
    try:
        download_wheels(replace(SERVERS["2026"], python=OWN_PYTHON), folder, NEEDED)
    except OptionError as problem:
        pytest.skip(f"pip has no wheels: {problem}")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("year", "agent"),
    [(2020, "blueprint"), *((number, year.bot) for number, year in YEARS.items())],
)
def test_a_package_in_an_empty_environment(year, agent, own_wheels, tmp_path):
    """Built and played from its own wheels, without a network where that can be had.

    ``-rP`` shows sizes and times. For a real limit of memory and no network, run this test in a
    control group and a network namespace of its own.
    """
    out, variant = tmp_path / "bot.zip", YEARS[year].variant
    packed = pack_bot(variant, "2026", agent, out, wheels=own_wheels, python=OWN_PYTHON)
    bot = unpacked(out, tmp_path / "bot")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "empty"], check=True)
    bare = ["env", "-i", f"PATH={tmp_path}/empty/bin:/usr/bin:/bin", f"HOME={bot}"]
    bare += ["https_proxy=http://127.0.0.1:9", "http_proxy=http://127.0.0.1:9"]
    commands = {
        "build": [*bare, "bash", "build.sh"],
        "run": [*bare, "PYTHONDONTWRITEBYTECODE=1", "bash", "run.sh"],
    }
    (bot / "commands.json").write_text(json.dumps(commands))
    with BotFolder(bot, "A", build_limit=600.0) as builder:
        begin = time.perf_counter()
        assert builder.build(), builder.output.decode()
        built = time.perf_counter() - begin
    assert "hands rehearsed" in builder.output.decode()
    compiled = list((bot / "cache" / "code").rglob("*.nbc"))
    assert compiled
    match, said = play(bot, skeleton(tmp_path / "skeleton"), year, 1000, build_limit=600.0)
    ours = match.seats[0]
    import resource  # not on Windows

    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    print(f"{agent}: {packed.zip_bytes / 1e6:.1f} MB, {packed.unpacked_bytes / 1e6:.1f} unpacked")
    print(*(f"{p.name} {p.zipped / 1e6:.1f} ({p.unpacked / 1e6:.1f})" for p in packed.parts))
    print(f"built in {built:.1f} s, {len(compiled)} kernels; first answer {ours.seconds[0]:.2f} s")
    print(f"{YEARS[year].clock - ours.clock:.1f} s of its clock, {match.bankrolls[0]:+,} chips")
    print(f"slowest answer {max(ours.seconds):.2f} s; largest process {largest / 1e6:.0f} MB", said)
    assert [seat.faults.total() for seat in match.seats] == [0, 0]
    assert match.bankrolls[0] > 0
    assert largest < 1.5e9
