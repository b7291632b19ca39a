#!/usr/bin/env python3
"""Writes the files that later versions must open and read the same:

    make_vectors.py VAULT STORE-WRITER FOLDER

VAULT is the command of the version whose files are wanted, STORE-WRITER is Writer/main.swift and
LibraryModels.swift compiled with that version's modules. FOLDER gets two homes:

    plain/home       a vault with every kind of item and of key slot, preferences, an application's store,
                     a backup
    published/home   a vault whose copies a real gnome-keyring carries: published, outdated, to be withdrawn
    published/keyring   that keyring (password "test")

Beside each home, reading.txt is what the command answered on it, and plain/changing.txt what it answered while
it changed a copy of it. All secrets are made up. Nothing here runs in the tests; VectorTests.swift reads.

The passphrase slot is to have the lowest cost. Calibration picks it where memory is short and the processor slow:
run this with a /proc/meminfo that says so, in a cgroup with a small quota.
"""

import base64
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

VAULT, STORE_WRITER, FOLDER = (os.path.abspath(path) for path in sys.argv[1:4])
RIG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "KeyringRig", "session.sh")
SILENTLY = " > /dev/null"
STABLE = {
    "check": ["isDamaged", "isComplete", "items", "earlierVersions"],
    "status": ["id", "slots", "items", "trash", "earlierVersions", "expired", "copies"],
}
PASSPHRASE = "a made-up passphrase for vectors"


class Home:
    def __init__(self, path, **more):
        self.path = path
        self.variables = {"HOME": path, "PATH": "/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C.UTF-8", **more}

    def run(self, words, data=b"", status=0):
        done = subprocess.run(
            [VAULT] + words, input=data, env=self.variables, cwd=self.path, capture_output=True)
        if status is not None and done.returncode != status:
            sys.exit(f"vault {' '.join(words)}: {done.returncode}\n{done.stderr.decode()}")
        return done

    def do(self, line, data=b"", **more):
        return self.run(line.split(), data, **more).stdout

    def private(self, name, text):
        path = os.path.join(self.path, name)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(text)
        return path

    def transcript(self, lines):
        """The commands with what they answered, in the form that Transcript.swift reads."""
        text = ""
        for line in lines:
            words = line.removesuffix(SILENTLY).replace("$HOME", self.path).split()
            done = self.run(words, status=None)
            text += f"$ vault {line}\n"
            if not line.endswith(SILENTLY):
                text += shown(stable(words, done.stdout), self.path)
            if done.returncode:
                text += f"exit {done.returncode}\n"
        return text


def stable(words, output):
    """Of what says something about the machine, too, the part about the files."""
    kept = STABLE.get(words[0])
    if kept is None or "--json" not in words or words[1].endswith(".vault"):
        return output
    answer = json.loads(output)
    return json.dumps({key: answer[key] for key in kept}, indent=2, ensure_ascii=False).encode() + b"\n"


def shown(output, home):
    try:
        text = output.decode()
    except UnicodeDecodeError:
        return "base64 " + base64.b64encode(output).decode() + "\n"
    text = text.replace(home, "$HOME")
    # A large value is compared byte for byte by what opens the store with its models.
    text = re.sub(r"[A-Za-z0-9+/=]{1000,}", lambda found: f"<{len(found.group())} characters>", text)
    if text and not text.endswith("\n"):
        text += "\n<no newline>\n"
    return text


def items(home):
    def put(name, secret, *options):
        home.run(["set", name, "--stdin", "--exact", *options], secret)

    put("api-token", b"made-up token 1", "--tag", "work", "--tag", "ci", "--note", "first\nsecond line \u2603",
        "--expires", "2199-01-02", "--attribute", "server=example.com", "--attribute", "port=8443")
    put("api-token", b"made-up token 2")
    put("api-token", b"made-up token 3")
    put("api-token", b"alice", "--field", "user")
    put("api-token", bytes(range(256)), "--field", "raw")
    put("api-token", b"", "--field", "nothing")
    for kind in ["secret", "generic-password", "internet-password", "login", "token", "certificate", "note"]:
        put(f"kinds/{kind}", f"made-up {kind}".encode(), "--kind", kind)
    home.run(["set", "kinds/otp", "--otp", "--stdin"],
             b"otpauth://totp/Example:alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Example&digits=8")
    put("bytes/no-text", b"\xff\xfe\x00\x80 made up \xc3")
    put("bytes/empty", b"")
    put("bytes/newline", b"two\nlines\n")
    put("bytes/large", bytes(number * 31 % 251 for number in range(5000)))
    put("caf\u00e9/\u4f60\u597d", "pa\u00dfwort".encode())
    put("expired", b"made-up and over", "--expires", "2020-02-03")
    put("removed", b"made-up, in the trash", "--tag", "old", "--note", "removed")
    put("removed", b"made-up, in the trash, 2")
    put("purged", b"made-up, gone")
    put("old-name", b"made-up, renamed")


def slots(home):
    passphrase = home.private("passphrase", PASSPHRASE.encode() + b"\n")
    home.run(["key", "add", "--new-passphrase", "file:" + passphrase, "--label", "by heart"])
    code = home.run(["key", "add", "--recovery", "--label", "in the drawer"]).stdout
    home.private("recovery-code", code)


def preferences(home):
    def write(line):
        home.do("defaults " + line)

    write("write com.example.tool theme -string dark")
    write("write com.example.tool size -int -42")
    write("write com.example.tool scale -float 2.5")
    write("write com.example.tool on -bool yes")
    write("write com.example.tool bytes -data 00ff80")
    write("write com.example.tool when -date 2026-01-02T03:04:05Z")
    write("write com.example.tool list -array one two -int 3")
    write("write com.example.tool map -dict a 1 b -bool no")
    home.run(["defaults", "write", "com.example.tool", "text", "-string", "\u2603 \"quoted\"\nline"])
    write("write com.example.tool theme -string light")
    write("write com.example.tool gone -string soon")
    write("delete com.example.tool gone")
    write("write com.example.other a -int 1")
    write("write com.example.other b -int 2")
    write("rename com.example.other b c")
    write("write -g language -string de")
    write("-host 11111111-2222-3333-4444-555555555555 write com.example.tool width -int 1024")
    write("-host 11111111-2222-3333-4444-555555555555 write -g zoom -float 1.25")
    write("snapshot before")
    write("write com.example.other a -int 9")
    write("write com.example.sealed account -string made-up-account")
    write("protect com.example.sealed")
    write("write com.example.sealed token -string made-up-sealed-token")
    write("write com.example.removed a -int 1")
    write("delete com.example.removed")


def plain(folder):
    home = Home(os.path.join(folder, "home"))
    os.makedirs(home.path, 0o700)
    home.run(["init", "--key-file", f"{home.path}/vault.key", "--no-session", "--no-recovery", "--label", "machine"])
    home.variables["VAULT_KEY_FILE"] = f"{home.path}/vault.key"
    home.do("settings session 0")
    home.do("settings clipboard 20s")
    items(home)
    # More generations than the index lists ancestors.
    for number in range(70):
        home.run(["set", "often", "--stdin"], f"made-up {number}".encode())
    home.do("key rotate --new-key-file vault-2.key --label machine")
    os.rename(f"{home.path}/vault-2.key", f"{home.path}/vault.key")
    home.variables["VAULT_KEY_FILE"] = f"{home.path}/vault.key"
    preferences(home)
    slots(home)
    home.do("set api-token --stdin --exact", b"made-up token 4")
    home.do("rename old-name new-name")
    home.do("copy new-name a-copy")
    home.do("remove removed")
    home.do("remove purged --purge")
    home.do("backup backup.vault")
    home.do("set after-the-backup --stdin", b"made-up, later")
    # What 'undo' takes back.
    home.do("set api-token --stdin --exact --note changed", b"made-up token 5")
    store = f"{home.path}/.local/share/com.example.library"
    os.makedirs(store, 0o700)
    subprocess.run([STORE_WRITER, f"{store}/default.store"], env=home.variables, check=True)
    names = [item["name"] for item in json.loads(home.do("list --json"))["items"]]
    by_host = "defaults -host 11111111-2222-3333-4444-555555555555"
    reading = ["list", "list --json", "list --trash --json", "list --expired --json", "key list --json",
               "settings --json", "check --json", "status --json", "check backup.vault --json"]
    for name in names:
        reading += [f"show {name} --json", f"history {name} --json", f"get {name}"]
    reading += ["get api-token --field user", "get api-token --field raw", "get api-token --field nothing",
                "get api-token --version 1", "get api-token --version 2", "get kinds/otp --field otp",
                "get removed", "get purged",
                "get api-token --no-session --passphrase file:$HOME/passphrase",
                "defaults domains --json", "defaults read --protected", f"{by_host} read", "defaults history --json",
                "defaults snapshot --list", "defaults diff --json before"]
    for domain in ["com.example.tool", "com.example.other", "com.example.sealed", "-g"]:
        reading += [f"defaults export --format xml {domain} -", f"defaults export --format json {domain} -",
                    f"{by_host} export --format json {domain} -"]
    reading += ["defaults read-type com.example.tool when", "data stores --json",
                "data schema com.example.library --json", "data check com.example.library --json",
                "data export com.example.library",
                "data fetch com.example.library Book --where shelf.name='Bottom' --json",
                "data count com.example.library Author"]
    home.do("lock")
    write(folder, "reading.txt", home.transcript(reading))
    copy = Home(os.path.join(folder, "copy"))
    copy.variables["VAULT_KEY_FILE"] = f"{copy.path}/vault.key"
    shutil.copytree(home.path, copy.path)
    changing = ["undo --json", "get api-token", "undo --json", "get api-token", 
                "restore api-token --version 3", "get api-token", "rename new-name renamed", "get renamed",
                "remove kinds/note", "list", "check --json",
                "defaults undo > /dev/null", "defaults domains --json",
                "defaults write com.example.sealed more -string made-up-more",
                "defaults export --format json com.example.sealed -",
                "defaults undo 3 > /dev/null", "defaults export --format json com.example.sealed -",
                "defaults snapshot --restore before", "defaults domains --json",
                "defaults export --format json com.example.other -",
                "check --json"]
    write(folder, "changing.txt", copy.transcript(changing))
    shutil.rmtree(copy.path)
    tidy(home.path)


def published(folder):
    session = f"/tmp/vk-vectors-{os.getpid()}"
    bus = f"unix:path={session}/run/bus"
    variables = {"HOME": session, "XDG_RUNTIME_DIR": f"{session}/run", "PATH": "/usr/bin:/bin",
                 "LC_ALL": "C.UTF-8", "XDG_DATA_HOME": f"{session}/.local/share",
                 "DBUS_SESSION_BUS_ADDRESS": bus}
    rig = subprocess.Popen(["/bin/sh", RIG, "unlocked", session], env=variables, stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE)
    assert rig.stdout.readline() == b"ready\n"
    home = Home(session, DBUS_SESSION_BUS_ADDRESS=bus, XDG_RUNTIME_DIR=f"{session}/run")
    home.run(["init", "--no-session", "--no-recovery"])
    home.do("key add --no-session --new-key-file vault.key --label machine")
    home.do("settings session 0")
    for name in ["one", "two", "three", "four", "five"]:
        home.run(["set", f"copied/{name}", "--stdin", "--attribute", "server=example.com"],
                 f"made-up {name}".encode())
    home.run(["set", "copied/no-text", "--file", "/dev/stdin"], b"\xff\xfemade up")
    home.do("keyring publish off copied/five")
    home.variables["VAULT_KEY_FILE"] = f"{session}/vault.key"
    here = json.loads(home.do("status --json"))["copies"]
    # Without the keyring: one is outdated, one to be withdrawn, one renamed, one new.
    home.run(["set", "copied/two", "--stdin", "--no-keyring"], b"made-up two, newer")
    home.do("remove copied/three --no-keyring", status=69)
    home.do("rename copied/four copied/fourth --no-keyring")
    home.run(["set", "new", "--stdin", "--no-keyring"], b"made-up new")
    print("copies, before and after:", here, json.loads(home.do("status --json --no-keyring"))["copies"])
    names = [item["name"] for item in json.loads(home.do("list --json --no-keyring"))["items"]]
    reading = ["list --json --no-keyring", "list --trash --json --no-keyring", "status --json --no-keyring",
               "key list --json --no-keyring", "check --json --no-keyring"]
    reading += [f"get {name} --no-keyring" for name in names]
    write(folder, "reading.txt", home.transcript(reading))
    keyring = os.path.join(folder, "keyring")
    os.makedirs(keyring)
    shutil.copy(f"{session}/.local/share/keyrings/login.keyring", keyring)
    with open(f"{keyring}/items.json", "w") as file:
        file.write("[]\n")
    target = os.path.join(folder, "home")
    os.makedirs(target)
    shutil.copy(f"{session}/vault.key", target)
    for part in [".local/share/vault", ".local/state/vault"]:
        shutil.copytree(f"{session}/{part}", f"{target}/{part}")
    tidy(target)
    # What the keyring's own slot and 'sync' make of them, with that keyring.
    del home.variables["VAULT_KEY_FILE"]
    changing = ["get copied/one", "keyring sync --json", "status --json", "get copied/two", "keyring sync --json"]
    write(folder, "changing.txt", home.transcript(changing))
    rig.stdin.close()
    rig.wait()


def tidy(home):
    """Removes what belongs to no format: locks, marks of places, copies of a file beside it, SQLite's log."""
    for folder, _, names in os.walk(home):
        for name in names:
            if name.endswith((".sqlite", ".store")):
                database = sqlite3.connect(os.path.join(folder, name))
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                database.close()
    for folder, _, names in os.walk(home):
        for name in names:
            if name.endswith((".lock", ".place", ".last-good", ".previous", "-shm", "-wal")):
                os.remove(os.path.join(folder, name))


def write(folder, name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


os.umask(0o077)
shutil.rmtree(FOLDER, ignore_errors=True)
for name, make in [("plain", plain), ("published", published)]:
    folder = os.path.join(FOLDER, name)
    os.makedirs(folder)
    make(folder)
