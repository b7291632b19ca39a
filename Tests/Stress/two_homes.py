#!/usr/bin/env python3
"""Sets and gets in two homes, and in two vaults of each, in turn and at once: no answer may be another's.

Usage: two_homes.py VAULT FOLDER [ROUNDS]. ROUNDS is 10,000 if nothing is said, or what VAULT_STRESS_ROUNDS says. Every
secret is unlike every other, so that a wrong answer says whose it is. What is wrong is told with the whole answer, and
the round goes on; the status is 1 in the end.
"""
import os
import subprocess
import sys

vault, folder = sys.argv[1:3]
rounds = int(sys.argv[3] if len(sys.argv) > 3 else os.environ.get("VAULT_STRESS_ROUNDS", "10000"))
wrong = 0


class Place:
    """A vault of a home."""

    def __init__(self, home, name):
        self.home, self.name = home, name
        self.words = [vault, "-q"] + (["--vault", name] if name else [])
        self.environment = {
            "HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin", "VAULT_KEY_FILE": f"{home}/key"}

    def start(self, *words):
        return subprocess.Popen(
            self.words + list(words), env=self.environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def __str__(self):
        return f"{os.path.basename(self.home)}/{self.name or 'the default one'}"


def expect(place, what, process, given, wanted):
    """Ends a run; it has to be right in every respect."""
    global wrong
    output, errors = process.communicate(given)
    if (process.returncode, output, errors) != (0, wanted, b""):
        wrong += 1
        print(
            f"{what} in {place}: status {process.returncode}, stdout {output!r} instead of {wanted!r}, "
            f"stderr {errors!r}", file=sys.stderr, flush=True)


def setting(place, secret):
    expect(place, "set", place.start("set", "x", "--stdin"), secret, b"")


def getting(place, secret, *more):
    expect(place, " ".join(("get",) + more), place.start("get", "x", *more), b"", secret)


def at_once(places, words, given, wanted):
    """The same line in all places at the same time."""
    running = [(place, place.start(*words)) for place in places]
    for (place, process), text, answer in zip(running, given, wanted):
        expect(place, " ".join(words) + " at once", process, text, answer)


places = []
for home in ("A", "B"):
    path = os.path.join(folder, home)
    os.mkdir(path, 0o700)
    for name in ("", "work"):
        place = Place(path, name)
        made = place.start("init", "--key-file", f"{path}/key", "--no-recovery")
        _, said = made.communicate(b"")
        assert made.returncode == 0, said
        places.append(place)

for number in range(rounds):
    for turn, order in enumerate((places, places[::-1])):
        secrets = {str(place): f"{place} {number}.{turn}".encode() for place in places}
        for place in order:
            setting(place, secrets[str(place)])
        for place in order:
            getting(place, secrets[str(place)])
    before = [secrets[str(place)] for place in places]
    new = [f"{place} {number}.at once".encode() for place in places]
    none = [b"" for _ in places]
    at_once(places, ["set", "x", "--stdin"], new, none)
    at_once(places, ["get", "x"], none, new)
    version = str((number + 1) * 3 - 1)
    at_once(places, ["get", "x", "--version", version], none, before)

print(f"{rounds} rounds, {wrong} wrong")
sys.exit(1 if wrong else 0)
