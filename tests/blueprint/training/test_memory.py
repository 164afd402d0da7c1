"""A run takes its two tables, a blueprint one byte more for each action, and little else."""

import subprocess
import sys

import pytest

MEASURED = """
import gc, sys, threading, time
from pathlib import Path
from tiltless.blueprint.training import run as training
from tiltless.blueprint.training.config import parse_config
from tiltless.blueprint.training.cost import needs

# memory of our own: pages of mapped files can be dropped at any time and need not fit
def used():
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith("RssAnon"))

peak = 0
def watch():
    global peak
    while True:
        peak = max(peak, used())
        time.sleep(0.002)

def run(name, bets, seconds):
    global peak
    config = parse_config(f'''
name = "{name}"
[game]
name = "nlhe"
stack = 20
[abstraction]
bets = "{bets}"
cards = "thesis"
[rules]
sampling = "{sys.argv[2]}"
[stop]
minutes = {seconds / 60}
[checkpoint]
minutes = {seconds / 360}
''')
    folder = Path(sys.argv[1]) / name
    trainer = training.Trainer(config, folder, threads=2, match_deals=20_000)
    trainer.run()
    while_running = peak
    trainer.blueprint().save(folder / "blueprint.safetensors")
    return needs(config).memory, while_running, len(trainer.matches)

training._MATCH_SHARE = 1e9
run("warm", "preflop: a; none", 0.5)
gc.collect()
base = used()
threading.Thread(target=watch, daemon=True).start()
bets = "preflop: a; flop, turn: none; river: 50%, 100%, a; cap 2"
memory, while_running, matches = run("large", bets, 5)
print(memory, while_running - base, peak - base, matches)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("sampling", ["external", "chance"])  # as it lies, and to be put in order
def test_a_run_takes_its_tables_and_little_else(tmp_path, sampling):
    command = [sys.executable, "-c", MEASURED, str(tmp_path), sampling]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    memory, running, peak, matches = map(int, done.stdout.split())
    assert memory > 400e6  # so that buffers of fixed size, some 30 MB, weigh little
    assert matches > 0
    assert 0.8 * memory < running < memory  # walks, checkpoints and matches
    assert 0.95 * memory < peak < memory + 24e6  # and the blueprint; buffers do not grow with it
