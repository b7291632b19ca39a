"""Edits secrets in real editors on a real terminal. Usage: edit.py CASE VAULT HOME"""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import termios
import time

import pexpect

signal.pthread_sigmask(signal.SIG_SETMASK, [])
case, vault, home = sys.argv[1:4]
environment = {
    "HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C.UTF-8",
    "VAULT_KEY_FILE": f"{home}/key", "EDITOR": f"{home}/editor",
}
canary = "canary-7d1f6a90c2"


def run(*words, status=0, **options):
    done = subprocess.run(
        list(words), env=environment, capture_output=True, check=False, timeout=300, **options)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    assert canary.encode() not in done.stderr, done.stderr
    return done


def get(name="k", *more):
    return run(vault, "get", name, *more).stdout


def put(secret, name="k"):
    run(vault, "set", name, "--stdin", "--exact", input=secret)


def start(**more):
    return pexpect.spawn(
        vault, ["edit", "k"], env=dict(environment, **more), encoding="utf-8", timeout=300,
        dimensions=(24, 80))


def finish(child, status=0):
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == status, (child.exitstatus, child.signalstatus, child.before)


def editor(body):
    """A script as the editor; $1 is the file."""
    with open(f"{home}/editor", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + body + "\n")
    os.chmod(f"{home}/editor", 0o700)


def folders():
    return set(glob.glob("/dev/shm/vault-edit.*"))


def nothing_is_left():
    """No folder in memory, and no file below the home that holds the text."""
    for path in folders():
        # Another test's: it is being worked on.
        assert path not in seen_folders, path
    for folder, _, names in os.walk(home):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path) and name != "editor":
                with open(path, "rb") as file:
                    assert canary.encode() not in file.read(), path


def note_folder():
    with open(f"{home}/where", encoding="utf-8") as file:
        seen_folders.add(os.path.dirname(file.read().strip()))


seen_folders = set()


def script():
    """What a script as the editor may do, and what becomes of it."""
    put(f"old {canary}".encode())
    editor(f'''
      echo "$1" > {home}/where
      stat -c '%a %F' "$1" "$(dirname "$1")" > {home}/modes
      stat -f -c %T "$1" >> {home}/modes
      env | grep -c ^VAULT_ >> {home}/modes
      cp "$1" {home}/was
      cp "$1" "$1~"; mkdir "$(dirname "$1")/deep"; cp "$1" "$(dirname "$1")/deep/x"
      cp "$1" "$1$(printf '\\377')"; mkdir "$(dirname "$1")/$(printf '\\377')"
      echo "new {canary}" > "$1.tmp" && mv "$1.tmp" "$1"''')
    done = run(vault, "edit", "k", start_new_session=True)
    with open(f"{home}/modes", encoding="utf-8") as file:
        assert file.read() == "600 regular file\n700 directory\ntmpfs\n0\n"
    with open(f"{home}/was", encoding="utf-8") as file:
        assert file.read() == f"old {canary}"
    os.unlink(f"{home}/was")
    assert get() == f"new {canary}".encode(), get()
    assert b"version 2" in done.stderr and b"is not a known editor" in done.stderr
    note_folder()
    nothing_is_left()
    # Unchanged, and touched only: nothing is saved.
    for body in ["true", 'touch "$1"', f'echo "new {canary}" > "$1"']:
        editor(body)
        done = run(vault, "edit", "k", "--json", start_new_session=True)
        assert b'"isChanged": false' in done.stdout, done.stdout
    # A final newline: dropped where there was none, kept where there was one or with --exact.
    editor('printf "a\\nb\\n" > "$1"')
    run(vault, "edit", "k", start_new_session=True)
    assert get() == b"a\nb"
    editor('printf "c\\n" > "$1"')
    run(vault, "edit", "k", "--exact", start_new_session=True)
    assert get() == b"c\n"
    editor('printf "d\\n" > "$1"')
    run(vault, "edit", "k", start_new_session=True)
    assert get() == b"d\n"
    # New items and fields; an editor that is a line for the shell.
    environment["EDITOR"] = 'printf "%s\\n" new >'
    done = run(vault, "edit", "made", "--json", start_new_session=True)
    assert b'"isNew": true' in done.stdout and b"saving creates it" in done.stderr
    assert get("made") == b"new"
    run(vault, "edit", "made", "--field", "user", start_new_session=True)
    assert get("made", "--field", "user") == b"new" and get("made") == b"new"
    environment["EDITOR"] = f"{home}/editor"
    # What saves nothing.
    for body, status, word in [
        ("exit 3", 1, b"status 3"), ('rm "$1"', 74, b"left no file"), (': > "$1"', 1, b"empty"),
        ('rm "$1"; ln -s /etc/passwd "$1"', 74, b"left no file"),
        ('head -c 1100000 /dev/zero | tr "\\0" x > "$1"', 73, b"too long|1048577|1 MiB"),
        ("kill -9 $$", 1, b"signal 9"),
    ]:
        editor(f'echo "$1" > {home}/where\n{body}')
        done = run(vault, "edit", "k", status=status, start_new_session=True)
        assert re.search(word, done.stderr), done.stderr
        assert get() == b"d\n"
        note_folder()
        nothing_is_left()
    environment["EDITOR"] = f"{home}/nowhere/editor"
    assert b"EDITOR=nano" in run(vault, "edit", "k", status=69, start_new_session=True).stderr
    environment["EDITOR"] = f"{home}/editor"
    put(b"\xff\xfe", "bin")
    assert b"not text" in run(vault, "edit", "bin", status=64, start_new_session=True).stderr


def two():
    """Somebody else changes the item meanwhile."""
    put(b"first")
    editor(f'{vault} set k --stdin --exact --key-file {home}/key < {home}/other; echo mine > "$1"')
    with open(f"{home}/other", "w", encoding="utf-8") as file:
        file.write("theirs")
    done = run(vault, "edit", "k", status=75, start_new_session=True)
    assert b"changed the item in the meantime" in done.stderr, done.stderr
    assert get() == b"theirs"
    for answer, status, kept in [("q", 75, b"theirs"), ("s", 0, b"mine")]:
        put(b"first")
        child = start()
        child.expect("changed the item in the meantime")
        child.expect("or .q.uit")
        child.send(answer + "\r")
        finish(child, status)
        assert get() == kept, get()
    assert get("k", "--version", run(vault, "history", "k", "--json").stdout.decode().split(
        '"version": ')[2].split(",")[0]) == b"theirs"
    # Edited once more, with what was typed.
    put(b"first")
    editor(f'''
      if [ -e {home}/again ]; then cp "$1" {home}/seen; exit; fi
      touch {home}/again
      {vault} set k --stdin --exact --key-file {home}/key < {home}/other; echo mine > "$1"''')
    child = start()
    child.expect("or .q.uit")
    child.send("e\r")
    child.expect("or .q.uit")
    child.send("s\r")
    finish(child)
    with open(f"{home}/seen", encoding="utf-8") as file:
        assert file.read() == "mine\n"
    assert get() == b"mine"
    # Removed, and made anew: not the same item.
    editor(f'{vault} remove k --purge --key-file {home}/key; echo yet > "$1"')
    assert b"meantime" in run(vault, "edit", "k", status=75, start_new_session=True).stderr
    run(vault, "get", "k", status=1)


def signals():
    """Every way out takes the file along, and the signal has its effect."""
    put(canary.encode())
    for number in [signal.SIGTERM, signal.SIGHUP]:
        for body in ["read x", "trap '' TERM HUP; while :; do read x; done"]:
            editor(f'echo "$1" > {home}/where\n echo up\n {body}')
            child = start()
            child.expect("up\r\n")
            note_folder()
            os.kill(child.pid, number)
            child.expect(pexpect.EOF)
            child.close()
            assert child.signalstatus == number, (number, child.exitstatus, child.signalstatus)
            nothing_is_left()
    # At the terminal: the editor dies of it, or lives on.
    editor(f'echo "$1" > {home}/where\n echo up\n read x')
    for typed, number in [("\x03", signal.SIGINT), ("\x1c", signal.SIGQUIT)]:
        child = start()
        child.expect("up\r\n")
        note_folder()
        child.send(typed)
        child.expect(pexpect.EOF)
        child.close()
        assert child.signalstatus == number, (child.exitstatus, child.signalstatus)
        nothing_is_left()
    editor(f'trap "echo caught" INT\necho "$1" > {home}/where\n echo up\n read x || read x\necho $x > "$1"')
    child = start()
    child.expect("up\r\n")
    child.send("\x03")
    child.expect("caught")
    child.send("alive\r")
    finish(child)
    assert get() == b"alive"
    # Killed, nothing can be done at once; the next command does.
    put(canary.encode())
    editor(f'echo "$1" > {home}/where\n echo up\n read x')
    child = start()
    child.expect("up\r\n")
    note_folder()
    child.kill(signal.SIGKILL)
    child.close(force=True)
    path = next(iter(seen_folders & folders()))
    editor("true")
    end = time.monotonic() + 300
    while os.path.exists(path):
        assert time.monotonic() < end, "the folder of a killed command stays"
        run(vault, "edit", "k", start_new_session=True)
    nothing_is_left()


def watched(child, typed):
    """Types into an editor that is on the screen; its folder is noted."""
    end = time.monotonic() + 300
    while not folders() - other_folders:
        assert time.monotonic() < end, "no editor"
        time.sleep(0.02)
    child.expect(canary)
    seen_folders.update(folders() - other_folders)
    for keys in typed:
        child.send(keys)


other_folders = folders()


def everything():
    """All fields of an item as one text, which comes back exactly."""
    values = {
        None: b"s3cr3t: with a colon ", "user": b"bob", "pin": b"|", "empty": b"",
        "key": b"-----BEGIN\n\n  indented\nEND-----\n", "notes": b"free text\n\nwith: a colon",
        "a:b": b"not in the text", "bin": b"\xff\xfe",
    }
    for field, value in values.items():
        more = ["--field", field] if field else []
        run(vault, "set", "web/all", *more, "--stdin", "--exact", "--allow-empty", input=value)

    def fields():
        return {
            field: get("web/all", *(["--field", field] if field else [])) for field in values}

    # Touched only: nothing is saved, whatever the editor does to the end of the file.
    for body in ["true", 'cp "$1" ' + f"{home}/was"]:
        editor(f'echo "$1" > {home}/where\n{body}')
        done = run(vault, "edit", "web/all", "--all", "--json", start_new_session=True)
        assert b'"isChanged": false' in done.stdout, done.stdout
        assert b"kept as they are: a:b, bin" in done.stderr, done.stderr
    with open(f"{home}/where", encoding="utf-8") as file:
        assert os.path.basename(file.read().strip()) == "web-all"
    with open(f"{home}/was", "rb") as file:
        assert file.read() == (
            b"password: s3cr3t: with a colon \nempty: \nkey: |\n  -----BEGIN\n  \n"
            b"    indented\n  END-----\n  \npin: |\n  |\nuser: bob\n\nnotes:\nfree text\n\n"
            b"with: a colon\n"), "the text"
    before = fields()
    assert before == values, before
    # One field changed, one removed, one new: one version, one undo.
    editor("""sed -i -e 's/^user: bob/user: eve/' -e '/^empty:/d' -e 's/^password: .*/&\\nnew: one/' "$1" """)
    done = run(vault, "edit", "web/all", "--all", start_new_session=True)
    assert f"version {len(values) + 1}".encode() in done.stderr, done.stderr
    assert get("web/all", "--field", "user") == b"eve"
    assert get("web/all", "--field", "new") == b"one"
    run(vault, "get", "web/all", "--field", "empty", status=1)
    for field in ["key", "pin", "notes", "a:b", "bin"]:
        assert get("web/all", "--field", field) == values[field], field
    run(vault, "undo")
    assert fields() == before
    # An editor that strips blanks at the ends of lines.
    editor("""sed -i -e 's/[ ]*$//' "$1" """)
    run(vault, "edit", "web/all", "--all", start_new_session=True)
    assert get("web/all", "--field", "key") == b"-----BEGIN\n\n  indented\nEND-----"
    # What cannot be read is not saved.
    for body, word in [
        ("echo 'no colon' > \"$1\"", b"line 1 of the text is not of the form"),
        ("sed -i '/^password:/d' \"$1\"", b"line of the main secret is missing: 'password:'"),
        ("sed -i '1s/^/user: x\\n/' \"$1\"", b"has a name that another line has"),
    ]:
        editor(body)
        done = run(vault, "edit", "web/all", "--all", status=64, start_new_session=True)
        assert word in done.stderr, (body, done.stderr)
    assert b"is empty" in run_with(": > \"$1\"", 1)
    # A new one: the form as it is saves nothing, a filled one does.
    assert b"unchanged" in run_with("true", 0, "made")
    run(vault, "get", "made", status=1)
    run_with("sed -i -e 's/^password: /&p4ss/' -e 's/^user: /&me/' \"$1\"; echo hello >> \"$1\"", 0, "made")
    assert get("made") == b"p4ss" and get("made", "--field", "user") == b"me"
    assert get("made", "--field", "notes") == b"hello"
    run(vault, "get", "made", "--field", "url", status=1)
    # On a terminal a text that cannot be read is edited again.
    editor(f'''
      if [ -e {home}/again ]; then sed -i -e '$d' -e 's/^user: .*/user: again/' "$1"; exit; fi
      touch {home}/again; echo "no colon" > {home}/rest; cat "$1" {home}/rest > "$1.new"
      sed -i 's/^notes:$/wrong/' "$1.new"; mv "$1.new" "$1"''')
    child = pexpect.spawn(
        vault, ["edit", "made", "--all"], env=environment, encoding="utf-8", timeout=300)
    child.expect("is not of the form")
    child.expect("or .q.uit")
    child.send("q\r")
    finish(child, 64)
    assert get("made", "--field", "user") == b"me"
    nothing_is_left()


def run_with(body, status, name="web/all"):
    """Edits all of an item with a script as the editor; returns stderr."""
    editor(body)
    return run(vault, "edit", name, "--all", status=status, start_new_session=True).stderr


def vim():
    """vim leaves nothing, whatever the user's own file says."""
    with open(f"{home}/.vimrc", "w", encoding="utf-8") as file:
        file.write(
            "set nocompatible backup writebackup undofile swapfile viminfo='100,<50 modeline\n"
            f"set backupdir={home}/kept undodir={home}/kept directory={home}/kept\n")
    os.mkdir(f"{home}/kept")
    put(canary.encode())
    for variable, program in [("VISUAL", "vim"), ("EDITOR", "vi")]:
        if not shutil.which(program, path="/usr/bin"):
            continue
        put(canary.encode())
        child = start(**{"EDITOR": program, variable: program})
        watched(child, ["A and more", "\x1b", ":yank\r", ":wq\r"])
        finish(child)
        assert get() == f"{canary} and more".encode(), get()
        assert os.listdir(f"{home}/kept") == []
        nothing_is_left()
    # Left by its own no: nothing is saved.
    child = start(EDITOR="vim")
    watched(child, ["A and yet more\x1b", ":w\r", ":cq\r"])
    finish(child, 1)
    assert get() == f"{canary} and more".encode()
    # The terminal goes.
    child = start(EDITOR="vim")
    watched(child, ["A lost\x1b"])
    child.close(force=True)
    nothing_is_left()
    child = start(EDITOR="vim")
    watched(child, ["A lost\x1b"])
    os.kill(child.pid, signal.SIGTERM)
    child.expect(pexpect.EOF)
    assert termios.tcgetattr(child.child_fd)[3] & termios.ECHO
    child.close()
    assert child.signalstatus == signal.SIGTERM, (child.exitstatus, child.signalstatus)
    assert os.listdir(f"{home}/kept") == []
    nothing_is_left()


def nano():
    """nano leaves nothing, whatever the user's own file says."""
    os.mkdir(f"{home}/kept")
    with open(f"{home}/.nanorc", "w", encoding="utf-8") as file:
        file.write(
            f'set backup\nset backupdir "{home}/kept"\nset historylog\nset positionlog\nset locking\n')
    put(canary.encode())
    child = start(EDITOR="nano")
    watched(child, ["more ", "\x0f", "\r", "\x18"])
    finish(child)
    assert get() == f"more {canary}".encode(), get()
    child = start(EDITOR="nano")
    watched(child, ["lost"])
    child.close(force=True)
    assert os.listdir(f"{home}/kept") == []
    nothing_is_left()


def disk():
    """Where there is no memory, nothing is written: a mount of our own shows it."""
    put(canary.encode())
    editor(f'touch {home}/ran')
    os.mkdir(f"{home}/run", 0o700)
    rights = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    done = subprocess.run(
        ["unshare", *rights, "--mount", "sh", "-c",
         f'mount --bind {home}/run /dev/shm && exec "$0" edit k', vault],
        env=dict(environment, XDG_RUNTIME_DIR=f"{home}/run"), capture_output=True, check=False)
    assert done.returncode == 73 and b"mount a tmpfs" in done.stderr, done
    assert os.listdir(f"{home}/run") == [] and not os.path.exists(f"{home}/ran")


run(vault, "init", "--key-file", f"{home}/key")
{"script": script, "all": everything, "two": two, "signals": signals, "vim": vim, "nano": nano, "disk": disk}[case]()
