"""A bot for MIT Pokerbots in one file of plain Python, as a team begins with.

It plays the years whose clauses are those of 2020 and 2023: it checks or calls, and now and then
raises the least that it may, up to the 200 chips that both players have in 2020. Start it as the
engine does, ``python3 player.py PORT``, or play against it::

    tiltless mit-engine examples/mit_skeleton rules --year 2023
"""

import random
import socket
import sys

RAISES = 0.2
STACK = 200
SMALL_BLIND, BIG_BLIND = 1, 2


class Hand:
    """The bets of a hand, as far as the size of a raise depends on them."""

    def __init__(self, me):
        self.me = me
        self.stacks = [STACK - SMALL_BLIND, STACK - BIG_BLIND]
        self.bets = [SMALL_BLIND, BIG_BLIND]
        self.actor = 0

    def open_street(self):
        self.bets = [0, 0]
        self.actor = 1  # the big blind acts first after the flop

    def act(self, code):
        if code[0] in "CR":
            to = max(self.bets) if code == "C" else int(code[1:])
            self.stacks[self.actor] -= to - self.bets[self.actor]
            self.bets[self.actor] = to
        self.actor = 1 - self.actor

    def answer(self, rng):
        mine, theirs = self.stacks[self.me], self.stacks[1 - self.me]
        to_call = self.bets[1 - self.me] - self.bets[self.me]
        least, most = to_call + max(to_call, BIG_BLIND), min(mine, theirs + to_call)
        if least <= most and rng.random() < RAISES:
            return f"R{self.bets[self.me] + least}"
        return "C" if to_call else "K"


def play(lines, send, rng):
    hand, seat = None, 0
    for line in lines:
        over = False
        for clause in line.split():
            kind, rest = clause[0], clause[1:]
            if kind == "Q":
                return
            elif kind == "P":
                seat = int(rest)
            elif kind == "H":
                hand = Hand(seat)
            elif kind == "B":
                hand.open_street()
            elif kind in "FCKR":
                hand.act(clause)
            elif kind == "D":
                over = True
        send("K" if over else hand.answer(rng))


def main():
    port = int(sys.argv[-1])
    with socket.create_connection(("localhost", port)) as connection:
        file = connection.makefile("rw")

        def send(answer):
            file.write(answer + "\n")
            file.flush()

        play(file, send, random.Random(port))


if __name__ == "__main__":
    main()
