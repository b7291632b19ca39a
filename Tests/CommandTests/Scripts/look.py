"""What a person sees on a real terminal. Usage: look.py CASE VAULT HOME"""
import os
import re
import signal
import stat
import subprocess
import sys

import pexpect

signal.pthread_sigmask(signal.SIG_SETMASK, [])
case, vault, home = sys.argv[1:4]
environment = {
    "HOME": home, "PATH": f"{home}/bin:/usr/local/bin:/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C.UTF-8",
    "VAULT_KEY_FILE": f"{home}/key",
}
FOLDER = "\x1b[1;34m"


def plain(*words, **options):
    done = subprocess.run([vault, *words], env=environment, capture_output=True, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def screen(*words, columns=80, status=0, **more):
    """Everything that a terminal of so many columns gets."""
    child = pexpect.spawn(
        vault, list(words), env={**environment, **more}, encoding="utf-8", timeout=300, dimensions=(24, columns))
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == status, (child.exitstatus, child.before)
    return child.before.replace("\r\n", "\n")


def width(line):
    return sum(2 if ord(c) > 0x2E7F else 1 for c in re.sub(r"\x1b\[[0-9;]*m", "", line))


def make(*names):
    plain("init", "--key-file", f"{home}/key", "--no-recovery")
    for name in names:
        plain("set", name, "--stdin", input=b"s3cr3t")


def tree():
    """A tree on a terminal, plain names in a pipe, whichever is asked for elsewhere."""
    make("api-token", "work/github", "work/web/mail", "work", "日本語/鍵")
    names = "api-token\nwork\nwork/github\nwork/web/mail\n日本語/鍵\n"
    grown = "api-token\nwork\n├── github\n└── web/\n    └── mail\n日本語/\n└── 鍵\n"
    assert plain("list") == names
    assert plain("list", "--tree") == grown
    assert screen("list", NO_COLOR="1") == grown
    assert screen("list", "--no-tree", NO_COLOR="1") == names
    # Nothing is drawn on a terminal that has no more than lines.
    assert screen("list", TERM="dumb") == names
    assert screen("list", "--tree", TERM="dumb") == grown


def colour():
    """Colour on a terminal, and where it is asked for; none with NO_COLOR, on a dumb one, in a pipe."""
    make("work/github")
    assert FOLDER in screen("list")
    for more in [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": ""}, {"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}]:
        for words in [["list"], ["status"], ["check"], ["list", "--long"], ["history", "work/github"]]:
            assert "\x1b" not in screen(*words, **more), (words, more)
    assert FOLDER not in screen("list", "--color", "never")
    assert FOLDER in screen("list", "--color", "always", NO_COLOR="1")
    assert "\x1b" not in plain("list", "--tree")
    assert FOLDER in plain("--color", "always", "list", "--tree")
    environment["CLICOLOR_FORCE"] = "1"
    assert FOLDER in plain("list", "--tree")
    assert '"schema"' in plain("list", "--json") and "\x1b" not in plain("list", "--json")
    environment["CLICOLOR_FORCE"] = "0"
    assert "\x1b" not in plain("list", "--tree")
    assert "\x1b[1;31mvault: error:" in screen("get", "nothing", status=1)
    assert "\x1b" not in screen("get", "nothing", status=1, NO_COLOR="1")


def narrow():
    """Nothing is wider than the window but what cannot be cut; no character is broken."""
    make("a" * 60, "work/" + "日本語の秘密" * 5, "kurz")
    for columns in [12, 20, 21, 40]:
        lines = screen("list", columns=columns).splitlines()
        assert len(lines) == 4, lines
        assert all(width(line) <= columns for line in lines), (columns, lines)
        assert sum("…" in line for line in lines) == 2, lines
    lines = screen("list", "--long", columns=70).splitlines()
    assert all(width(line) <= 70 for line in lines), lines
    # In a pipe nothing is ever cut.
    assert "日本語の秘密" * 5 in plain("list", "--tree") and "a" * 60 in plain("list", "--long")


def words():
    """In a narrow window names stay whole, and lines are broken at blanks."""
    names = ["work/gitea", "work/github", "work/gitlab"]
    make(*names)
    os.makedirs(f"{home}/.aws")
    with open(f"{home}/.aws/credentials", "w", encoding="utf-8") as file:
        file.write("[default]\naws_access_key_id = A\naws_secret_access_key = c4n4ry\n")
    lines = [
        ["audit"], ["check"], [], ["help"], ["help", "all"], ["help", "options"], ["set", "--help"], ["help", "import"],
        ["import", "home", "--dry-run"], ["connect", "git", "--dry-run"], ["help", "sync", "invite"], ["key", "list"],
    ]
    for size in [40, 60, 80, 100]:
        for line in lines:
            shown = screen(*line, columns=size, NO_COLOR="1").splitlines()
            # A path, or a name, is one word, however long.
            wide = [row for row in shown if width(row) > size and " " in row.strip()]
            assert not wide, (size, line, wide)
        shown = screen("audit", columns=size, NO_COLOR="1")
        assert all(name in shown for name in names) and "…" not in shown, (size, shown)
    # What is laid out anew says the same.
    for line in [["help", "set"], ["help"], []]:
        first, other = (screen(*line, columns=size, NO_COLOR="1").split() for size in (60, 200))
        assert first == other, (line, first, other)


def columns():
    """Where there is no room, columns are left out, one after the other, and names are whole."""
    make("work/github", "work/gitlab")
    for name in ["work/github", "work/gitlab"]:
        plain("set", name, "--tag", "dev", "--tag", "ci", "--expires", "5d", "--field", "user=bob")
    whole = screen("list", "--long", columns=120, NO_COLOR="1").splitlines()
    headings = "NAME KIND VERSION MODIFIED EXPIRES TAGS USER".split()
    assert whole[0].split() == headings, whole
    before = headings
    for width_of_window in [80, 60, 45, 40, 30, 20, 11]:
        lines = screen("list", "--long", columns=width_of_window, NO_COLOR="1").splitlines()
        shown = lines[0].split()
        assert [row.split()[0] for row in lines[1:]] == ["work/github", "work/gitlab"], lines
        assert all(width(row) <= width_of_window for row in lines), (width_of_window, lines)
        assert [heading for heading in before if heading in shown] == shown, (before, shown)
        before = shown
    assert before == ["NAME"]
    # A name that is wider than the window is whole, too.
    lines = screen("list", "--long", columns=8, NO_COLOR="1").replace("\r", "").splitlines()
    assert "work/github" in lines and "work/gitlab" in lines, lines
    # Nothing is left out in a pipe.
    assert plain("list", "--long").splitlines()[0].endswith("ci,dev  bob  -")


def joined():
    """A folder that holds one folder shares its line, as long as there is room."""
    deep = "very/long/name/" + "and/on/" * 12 + "until/it/is/wider"
    make(deep, "a/b/c/one", "a/b/c/two", "x/y", "p/q/r", "p/q/s/t")
    lines = screen("list", columns=80, NO_COLOR="1").splitlines()
    assert all(width(line) <= 80 and line.strip() and line.strip() != "└── …" for line in lines), lines
    assert lines[:3] == ["a/b/c/", "├── one", "└── two"], lines
    assert ["p/q/", "├── r", "└── s/", "    └── t"] == lines[3:7], lines
    assert lines[-2:] == ["x/", "└── y"], lines
    # Every part of the deep name is there, in its order.
    parts = "/".join(line.strip(" └─├│") .strip("/") for line in lines[7:-2])
    assert parts == deep, (parts, deep)


def slow_gpg(count):
    """A gpg that takes its time, and a folder of pass with so many files."""
    os.makedirs(f"{home}/bin")
    path = f"{home}/bin/gpg"
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nsleep 0.2\necho secret\n")
    os.chmod(path, stat.S_IRWXU)
    os.makedirs(f"{home}/store")
    for number in range(count):
        with open(f"{home}/store/item{number}.gpg", "w", encoding="utf-8") as file:
            file.write("sealed")


def progress():
    """A line that says how far it is, within the window, gone at the end; none where nobody sees it."""
    make()
    slow_gpg(8)
    seen = screen("import", "pass", f"{home}/store", "--dry-run", NO_COLOR="1")
    assert re.search(r"opening file [1-7] of 8, \d+ %, \d+ s left, \d\.\d/s", seen), seen
    assert "\x1b" not in seen
    # Blanks over the line, then what is left on the screen.
    shown, rest = re.split(r"\r {20,}\r", seen, maxsplit=1)
    assert "opening" in shown and "opening" not in rest and "new  item0" in rest, seen
    seen = screen("import", "pass", f"{home}/store", "--dry-run", columns=24)
    pieces = [piece for piece in re.split(r"[\r\n\x08]+", seen) if "opening" in piece]
    assert pieces and all(len(piece) < 24 for piece in pieces), pieces
    for words, columns in [(["--quiet"], 80), (["-q"], 80)]:
        seen = screen("import", "pass", f"{home}/store", "--dry-run", *words, columns=columns)
        assert "opening" not in seen and "would be stored" not in seen and "item0" in seen, seen
    done = subprocess.run(
        [vault, "import", "pass", f"{home}/store"], env=environment, capture_output=True, check=True)
    assert b"opening" not in done.stderr and b"imported 8" in done.stderr, done.stderr
    # What is quick leaves no trace.
    assert "\r" not in screen("check", NO_COLOR="1")


def interrupted():
    """^C while an import is on: nothing is there, and nothing lies about."""
    make("before")
    slow_gpg(20)
    before = sorted(os.listdir(f"{home}/.local/share/vault"))
    child = pexpect.spawn(
        vault, ["import", "pass", f"{home}/store"], env=environment, encoding="utf-8", timeout=300)
    child.expect("opening file")
    child.send("\x03")
    child.expect(pexpect.EOF)
    child.close()
    assert child.signalstatus == signal.SIGINT, (child.exitstatus, child.signalstatus)
    assert plain("list") == "before\n"
    assert sorted(os.listdir(f"{home}/.local/share/vault")) == before


{
    "tree": tree, "colour": colour, "narrow": narrow, "words": words, "columns": columns, "joined": joined, "progress": progress, "interrupted": interrupted,
}[case]()
