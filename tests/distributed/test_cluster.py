"""Promises on a cluster of two nodes: equal bits, nothing lost, failures named, nothing left."""

import hashlib
import json
import os
import signal
import time
from pathlib import Path

import pytest

from helpers.small_run import BLOCK, SMALL, THREE
from tiltless import _version
from tiltless.blueprint.training.config import read_config
from tiltless.blueprint.training.rounds import RoundSetting
from tiltless.blueprint.training.run import Trainer
from tiltless.executor import KeptProcesses
from tiltless.files.arrays import read_arrays

slow = pytest.mark.slow

DRIVER = str(Path(__file__).parents[1] / "helpers" / "cluster_tasks.py")
COPIES, ROUND = 2, 2 * BLOCK
WALKS, FEW = 160 * BLOCK, 40 * BLOCK


def tables(folder):
    """SHA-256 of the tables of the newest checkpoint."""
    files = [read_arrays(path) for path in folder.glob("checkpoint-*.safetensors")]
    newest = max(files, key=lambda file: int(file.metadata["walks"])).arrays
    return [hashlib.sha256(newest[name].tobytes()).hexdigest() for name in ("regret", "average")]


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    path = tmp_path_factory.mktemp("config") / "small.toml"
    path.write_text(SMALL.format(walks=WALKS, minutes=5))
    return path


def trained_here(config, folder, walks=None, round_walks=ROUND, executor=None):
    """The tables after training on this machine without a cluster; None for this process alone."""
    read = read_config(config) if walks is None else read_config(config).with_stop(walks, None)
    rounds = RoundSetting(COPIES, round_walks)
    Trainer(read, folder, threads=1, match_deals=0, rounds=rounds, executor=executor).run()
    return tables(folder)


@pytest.fixture(scope="module")
def expected(config, tmp_path_factory):
    return trained_here(config, tmp_path_factory.mktemp("here"))


def training(cluster, config, folder, round_walks=ROUND):
    options = "--copies", str(COPIES), "--round-walks", str(round_walks)
    where = "--cluster", cluster.address
    return "-m", "tiltless.train", str(config), str(folder), *options, *where


def wait_for(condition, process):
    until = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < until
        assert process.poll() is None, process.stdout.read()
        time.sleep(0.02)


def check_match(cluster, kills):
    deals = str(200 * kills)
    said = cluster.run(DRIVER, "match", cluster.address, deals, str(kills))
    found = json.loads(said.splitlines()[-1])
    assert found["killed"] == kills
    assert found["there"] == found["here"]


@slow
def test_a_match_with_kills_has_the_sums_of_one_process(cluster):
    check_match(cluster, 20)


def test_a_match_with_kills_and_training_on_two_nodes_of_which_one_is_killed(
    cluster, config, tmp_path
):
    """Equal sums, equal bits, and nothing left; one test, as two would start two clusters."""
    check_match(cluster, 3)
    there = tmp_path / "there"
    driver = cluster.command(*training(cluster, config, there), "--walks", str(FEW))
    here = trained_here(config, tmp_path / "here", FEW)
    wait_for(lambda: (there / "checkpoint-2.safetensors").exists(), driver)
    assert cluster.kill(cluster.nodes[1]) >= 4  # our command, Ray's starter, raylet, a worker
    said, _ = driver.communicate(timeout=200)
    assert driver.returncode == 0, said
    assert "has left the cluster" in said
    assert tables(there) == here
    with KeptProcesses(2) as two:
        assert trained_here(config, tmp_path / "two", FEW, executor=two) == here
    cluster.check_nothing_is_left()


@slow
def test_training_gives_the_bits_of_one_process(cluster, config, expected, tmp_path):
    cluster.run(*training(cluster, config, tmp_path))
    assert tables(tmp_path) == expected


@slow
def test_training_of_three_seats_gives_the_bits_of_one_process(cluster, tmp_path):
    config, walks = tmp_path / "three.toml", 2000
    config.write_text(THREE)
    cluster.run(*training(cluster, config, tmp_path / "there", walks))
    here = trained_here(config, tmp_path / "here", round_walks=walks)
    assert tables(tmp_path / "there") == here


@slow
def test_a_driver_that_was_killed_goes_on_with_the_same_bits(cluster, config, expected, tmp_path):
    driver = cluster.command(*training(cluster, config, tmp_path))
    wait_for(lambda: (tmp_path / "checkpoint-2.safetensors").exists(), driver)
    os.kill(driver.pid, signal.SIGKILL)
    driver.communicate(timeout=10)
    cluster.killed += 1
    assert tables(tmp_path) != expected
    said = cluster.run(*training(cluster, config, tmp_path))
    assert "continuing from checkpoint-" in said
    assert tables(tmp_path) == expected


@slow
def test_workers_in_trouble_are_named_and_the_rest_goes_on(cluster):
    found = json.loads(cluster.run(DRIVER, "troubled", cluster.address).splitlines()[-1])
    assert found["got"] == [0, 1, 3, 5, 7, 9, 10, 11]
    assert found["after"] == [number**2 for number in range(8)]
    assert found["error"].startswith("4 jobs have failed, all others are done: ")
    said = "\n".join(found["said"])
    assert "job 2 failed" in said
    assert "ValueError: two is wrong" in said
    assert "job 4: it did not end within 3 seconds" in said
    assert "job 6 failed" in said
    assert "needs more than 0.315 GB" in said
    assert "job 8 failed: its worker was lost 5 times" in said


@slow
def test_another_version_is_refused(cluster, tmp_path):
    package = Path(_version.__file__).parent
    (tmp_path / "tiltless").mkdir()
    for path in package.iterdir():
        (tmp_path / "tiltless" / path.name).symlink_to(path)
    changed = tmp_path / "tiltless" / "_version.py"
    changed.unlink()
    changed.write_text('__version__ = "0.0.0"\n')
    with cluster.third(PYTHONPATH=str(tmp_path)):
        said = json.loads(cluster.run("-m", "tiltless", "cluster", "status", "--json"))
    refused = [machine["refused"] for machine in said["machines"] if machine["refused"]]
    assert len(said["machines"]) == 3
    assert len(refused) == 1
    assert "0.0.0" in refused[0]


@slow
def test_a_machine_with_another_model_is_refused_and_the_rest_goes_on(cluster):
    with cluster.third(TILTLESS_TEST_OTHER_MODEL="1"):
        found = json.loads(cluster.run(DRIVER, "refused", cluster.address).splitlines()[-1])
    assert found["got"] == list(range(40))
    assert sorted(found["states"])[:2] == ["", ""]
    assert "another model" in sorted(found["states"])[2]
    assert len(found["said"]) == 1


@slow
def test_another_token_is_refused(cluster):
    other = cluster.folder.with_name("o")
    words = "-m", "tiltless", "cluster", "join", cluster.address, "--cores", "1", "--store", "80"
    said = cluster.run(*words, code=2, TILTLESS_CLUSTER=str(other))
    assert said.startswith("error: ")
    assert (other / "token").read_bytes() != (cluster.folder / "token").read_bytes()
    assert (cluster.folder / "token").stat().st_mode & 0o77 == 0


@slow
def test_a_node_that_is_killed_costs_nothing_but_time(cluster, config, expected, tmp_path):
    driver = cluster.command(*training(cluster, config, tmp_path))
    wait_for(lambda: (tmp_path / "checkpoint-2.safetensors").exists(), driver)
    assert cluster.kill(cluster.nodes[1]) >= 4
    said, _ = driver.communicate(timeout=200)
    assert driver.returncode == 0, said
    assert "has left the cluster" in said
    assert tables(tmp_path) == expected
    cluster.check_nothing_is_left()
