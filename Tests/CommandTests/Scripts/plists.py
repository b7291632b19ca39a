"""Property lists as on a Mac, by the names that people know. Usage: plists.py CASE VAULT HOME"""
import json
import os
import plistlib
import signal
import subprocess
import sys

import pexpect

signal.pthread_sigmask(signal.SIG_SETMASK, [])
case, vault, home = sys.argv[1:4]
environment = {
    "HOME": home, "PATH": f"{home}/bin:/usr/local/bin:/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C.UTF-8",
}
path = f"{home}/a.plist"
DOMAIN = "com.example.app"
os.mkdir(f"{home}/bin")
for name in ["defaults", "plutil", "PlistBuddy"]:
    os.symlink(vault, f"{home}/bin/{name}")


def run(*words, status=0, **options):
    done = subprocess.run(
        list(words), env=environment, capture_output=True, check=False, cwd=home, timeout=300, **options)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout.decode()


def make():
    run("defaults", "write", DOMAIN, "name", "-string", "Bob")
    run("defaults", "write", DOMAIN, "list", "-array", "1", "2")
    run("defaults", "export", DOMAIN, path)


def contents():
    with open(path, "rb") as file:
        return plistlib.load(file)


def links():
    """A link's name decides what the command is; another program reads what it wrote."""
    make()
    assert contents() == {"name": "Bob", "list": ["1", "2"]}
    assert run("plutil", "-lint", "a.plist") == "a.plist: OK\n"
    assert run("plutil", "-extract", "name", "raw", "a.plist") == "Bob\n"
    assert json.loads(run("plutil", "-convert", "json", "-o", "-", "a.plist")) == contents()
    run("plutil", "-replace", "list.0", "-integer", "7", "a.plist")
    run("plutil", "-convert", "binary1", "a.plist")
    with open(path, "rb") as file:
        assert file.read(8) == b"bplist00"
    assert contents() == {"name": "Bob", "list": [7, "2"]}
    run("PlistBuddy", "-c", "Add :n integer 3", "-c", "Save", path)
    assert contents()["n"] == 3
    run("PlistBuddy", "-c", "Print :nothing", path, status=1)
    run("defaults", "import", DOMAIN, path)
    assert run("defaults", "read", DOMAIN, "n") == "3\n"


def buddy():
    """PlistBuddy's own prompt, on a terminal."""
    make()
    child = pexpect.spawn(
        "PlistBuddy", [path], env=environment, cwd=home, encoding="utf-8", timeout=300)
    for line in ['Set :name "A B"', "Add :x:y string hello", "Delete :list:0", "Save"]:
        child.expect_exact("Command: ")
        child.sendline(line)
    child.expect_exact("Saving...")
    child.expect_exact("Command: ")
    child.sendline("Print :x:y")
    child.expect_exact("hello")
    child.expect_exact("Command: ")
    child.sendline("Exit")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0, child.exitstatus
    assert contents() == {"name": "A B", "x": {"y": "hello"}, "list": ["2"]}, contents()


def editing(editor, first, *keys):
    """`defaults edit` in a real editor: what is saved counts."""
    make()
    child = pexpect.spawn(
        vault, ["defaults", "edit", DOMAIN], env={**environment, "EDITOR": editor}, cwd=home,
        encoding="utf-8", timeout=300, dimensions=(24, 80))
    child.expect(first)
    for key in keys:
        child.send(key)
    child.expect("Changed 1 key")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0, (child.exitstatus, child.before)
    assert run("defaults", "read", DOMAIN, "name") == "Eve\n"
    assert run("defaults", "read", DOMAIN, "list") == "(\n    1,\n    2\n)\n"


{
    "links": links, "buddy": buddy,
    "vim": lambda: editing("vim -u NONE -n", "Bob", ":%s/Bob/Eve/\r", ":wq\r"),
    # Search and replace, all; write; leave.
    "nano": lambda: editing("nano --ignorercfiles", "Bob", "\x1c", "Bob\r", "Eve\r", "a", "\x0f", "\r", "\x18"),
    "ed": lambda: editing("ed", r"\d+\r\n", ",s/Bob/Eve/\n", "w\n", "q\n"),
}[case]()
