"""What a person types every day, on a real terminal. Usage: everyday.py CASE VAULT HOME"""
import os
import re
import signal
import subprocess
import sys

import pexpect

signal.pthread_sigmask(signal.SIG_SETMASK, [])
case, vault, home = sys.argv[1:4]
environment = {
    "HOME": home, "PATH": f"{home}/bin:/usr/local/bin:/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C.UTF-8",
    "VAULT_KEY_FILE": f"{home}/key", "NO_COLOR": "1",
}


def plain(*words, status=0, **options):
    done = subprocess.run([vault, *words], env=environment, capture_output=True, check=False, **options)
    assert done.returncode == status, (done.returncode, done.stderr)
    return done.stdout.decode()


def start(*words, rows=24, columns=80, **more):
    return pexpect.spawn(
        vault, list(words), env={**environment, **more}, cwd=home, encoding="utf-8", timeout=300,
        dimensions=(rows, columns))


def finish(child, status=0):
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == status, (child.exitstatus, child.signalstatus, child.before)
    return child.before.replace("\r\n", "\n")


def screen(*words, status=0, **more):
    return finish(start(*words, **more), status)


def make(*names):
    plain("init", "--key-file", f"{home}/key", "--no-recovery")
    for name in names:
        plain("set", name, "--stdin", input=b"s3cr3t")


def answer(child, question, text):
    child.expect_exact(question)
    child.send(text + "\r")


def listing():
    """Headings, times and no empty columns on a terminal; pipes as before; nothing found is told."""
    make("web/github", "web/shop", "api-token")
    lines = screen("list", "--long").splitlines()
    assert lines[0].split() == ["NAME", "KIND", "VERSION", "MODIFIED"], lines
    assert re.fullmatch(r"api-token +secret +1 +(just now|\d+ min ago)", lines[1]), lines
    plain("set", "api-token", "--stdin", "--expires", "3d", "--tag", "ci", input=b"other")
    heading, first = screen("list", "--long").splitlines()[:2]
    assert heading.split() == ["NAME", "KIND", "VERSION", "MODIFIED", "EXPIRES", "TAGS"], heading
    assert re.search(r"in (2|3) days +ci$", first), first
    assert re.match(r"api-token +secret +v2 +\d{4}-\d\d-\d\dT", plain("list", "--long"))
    history = screen("history", "api-token").splitlines()
    assert history[0].split() == ["VERSION", "WRITTEN"], history
    assert re.match(r"2 +(just now|\d+ min ago) +current", history[1]), history
    assert re.match(r"2  \d{4}", plain("history", "api-token"))
    # What a word finds has the best first, and says what has it where that is not the name.
    plain("set", "api-token", "--note", "of the web")
    assert screen("list", "WEB") == "web/github\nweb/shop\napi-token   of the web\n"
    assert screen("list", "WEB", "--tree") == "api-token\nweb/\n├── github\n└── shop\n"
    plain("set", "api-token", "--note", "")
    assert "no item matches 'githb'\nvault: hint: did you mean: web/github" in screen("list", "githb")
    assert "no item matches" in screen("list", "zzz", "--exit-code", status=1)
    assert screen("list", "zzz", "-q") == ""
    assert "the trash is empty" in screen("list", "--trash")
    assert "|-- github\n`-- shop\n" in screen("list", LC_ALL="C")
    assert "├── github\n" in screen("list", LC_ALL="de_DE.UTF-8@euro")


def paging():
    """A list longer than the screen goes through the pager; a short one, a pipe and --no-pager do not."""
    make("one")
    text = "".join(f"N{i}=x\n" for i in range(60))
    plain("import", "dotenv", "-", "--prefix", "many/", input=text.encode())
    os.mkdir(f"{home}/bin")
    pager = f"{home}/bin/page"
    with open(pager, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho \"paged LESS=$LESS $*\"; cat; echo the end\n")
    os.chmod(pager, 0o755)
    paged = screen("list", VAULT_PAGER="page --now")
    assert paged.startswith("paged LESS=FRX --now\n") and paged.endswith("the end\n"), paged
    assert paged.count("├── N") == 59
    assert screen("list", PAGER="page", LESS="i").startswith("paged LESS=i")
    for words, more in [
            (["list", "--no-pager"], {"PAGER": "page"}), (["list", "N1"], {"PAGER": "page"}),
            (["list"], {"PAGER": "page", "VAULT_PAGER": ""}), (["list"], {"VAULT_PAGER": "cat"}),
            (["list"], {"PAGER": "page", "TERM": "dumb"}), (["list", "--json"], {"PAGER": "page"})]:
        assert "paged" not in screen(*words, **more), (words, more)
    assert "paged" not in screen("list", rows=100, PAGER="page")
    # One that is not there is none.
    assert "├── N" in screen("list", PAGER="no-such-pager")
    environment["PAGER"] = "page"
    assert "paged" not in plain("list")
    # Ctrl-C is the pager's business: the command ends with it, and not before.
    with open(pager, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\ntrap 'echo caught; exit 0' INT\ncat\necho ready\nwhile :; do sleep 1; done\n")
    child = start("list")
    child.expect("ready")
    child.sendintr()
    child.expect("caught")
    finish(child)


def folders():
    """A folder needs a yes, is one change, and one undo takes it back."""
    make("web/a", "web/b/c", "token")
    child = start("rename", "web/", "old/web")
    answer(child, "Rename 2 items, web/ to old/web? [Y/n] ", "n")
    assert "nothing was changed" in finish(child, 1)
    child = start("rename", "web/", "old/web")
    answer(child, "[Y/n] ", "")
    assert "renamed 2 items, web/ to old/web; take it back: vault undo" in finish(child)
    assert plain("list") == "old/web/a\nold/web/b/c\ntoken\n"
    screen("undo")
    assert plain("list") == "token\nweb/a\nweb/b/c\n"
    child = start("remove", "web/*", "token")
    answer(child, "Remove 3 items? [y/N] ", "")
    finish(child, 1)
    assert "3 items are in the trash" in screen("remove", "web/*", "token", "-y")
    screen("undo")
    child = start("remove", "web/", "--purge")
    answer(child, "Purge 2 items and their 2 versions for good? [y/N] ", "y")
    assert "2 items are gone for good" in finish(child)
    assert plain("list") == "token\n"


def confirmations():
    """One line for what was silent: on a terminal, not with -q, not in a pipe."""
    make("gh", "work")
    assert "gh is in the trash; take it back: vault undo" in screen("remove", "gh")
    assert "gh is back" in screen("restore", "gh")
    assert "renamed gh to gh2; take it back: vault undo" in screen("rename", "gh", "gh2")
    assert "copied gh2 to gh" in screen("copy", "gh2", "gh")
    assert "session is now 1 hour" in screen("settings", "session", "1h")
    assert "clipboard is now 45 seconds (the default)" in screen("settings", "clipboard", "default")
    assert screen("remove", "gh", "-q") == ""
    done = subprocess.run([vault, "remove", "gh2"], env=environment, capture_output=True, check=True)
    assert done.stdout == done.stderr == b"", done


def alone():
    """`vault` alone: one screen, and the state in its last line."""
    text = screen("-q")
    assert len(text.splitlines()) <= 20, text
    assert text.endswith("no vault yet: vault init\n"), text
    make("a", "b")
    assert screen().endswith("unlocked, 2 items\n")
    key = environment.pop("VAULT_KEY_FILE")
    plain("lock")
    assert screen().endswith("locked: vault unlock\n")
    assert screen("--key-file", key).endswith("unlocked, 2 items\n")
    assert screen("--vault", "work").endswith("no vault yet: vault --vault work init\n")
    assert all(len(line) <= 80 for line in screen().splitlines())


def replacing():
    """The file of references replaces another one after a yes."""
    make()
    for name, text in [(".env", "A=1\n"), ("refs", "mine")]:
        with open(f"{home}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    child = start("import", "dotenv", ".env", "--references", "refs")
    answer(child, "refs exists. Replace it? [y/N] ", "")
    finish(child, 1)
    assert plain("list") == ""
    child = start("import", "dotenv", ".env", "--references", "refs")
    answer(child, "[y/N] ", "y")
    finish(child)
    with open(f"{home}/refs", encoding="utf-8") as file:
        assert file.read() == "A=secret://A\n"


def choosing():
    """Without --only, the variables that look like secrets are offered, and nothing else is touched."""
    make()
    text = "PORT=3000\nSTRIPE_KEY=sk\nDATABASE_URL=postgres://app:pw@db/app\nHOST=http://a:1/b@c\nEMPTY_TOKEN=\n"
    with open(f"{home}/.env", "w", encoding="utf-8") as file:
        file.write(text)
    question = ("Store STRIPE_KEY, DATABASE_URL, and leave PORT, HOST, EMPTY_TOKEN in the file? [Y/n/all] ")
    line = ["import", "dotenv", ".env", "--references", "refs", "--prefix", "app/"]
    child = start(*line, rows=30, columns=200)
    answer(child, question, "n")
    assert "nothing was imported" in finish(child, 1)
    assert plain("list") == "" and not os.path.exists(f"{home}/refs")
    child = start(*line)
    answer(child, "[Y/n/all] ", "maybe")
    answer(child, "[Y/n/all] ", "")
    assert "2 references, 3 values as before" in finish(child)
    assert plain("list") == "app/DATABASE_URL\napp/STRIPE_KEY\n"
    with open(f"{home}/refs", encoding="utf-8") as file:
        assert file.read() == (
            "PORT=3000\nSTRIPE_KEY=secret://app/STRIPE_KEY\nDATABASE_URL=secret://app/DATABASE_URL\n"
            "HOST=http://a:1/b@c\nEMPTY_TOKEN=\n")
    screen("undo")
    child = start(*line[:-1], "all/")
    answer(child, "[Y/n/all] ", "all")
    answer(child, "refs exists. Replace it? [y/N] ", "y")
    finish(child)
    assert plain("list").count("all/") == 5
    assert "imported 5" in screen(*line[:-1], "yes/", "--yes")


globals()[case]()
