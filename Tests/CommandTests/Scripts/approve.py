"""approve.py TEST VAULT FOLDER HOME: vault approve --watch in terminals of their own."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

import pexpect

test, vault, folder, home = sys.argv[1:5]
# A test's threads block signals, and so would what they start.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
environment = dict(os.environ, TERM="xterm")
ASKS = "wants to use 'git/good.example/me'."
CHOICE = r"\(o/r/h/n, Return refuses it\) "
INPUT = "printf 'protocol=https\\nhost=good.example\\n\\n' >in"
FILL = "printf 'protocol=https\\nhost=good.example\\n\\n' | git-credential-vault get"

# One who speaks the protocol without our program.
SPEAKS = """
import socket, sys
with socket.socket(socket.AF_UNIX) as client:
    client.connect(sys.argv[1])
    client.settimeout(60)
    data = b""
    try:
        for order in sys.argv[2:]:
            client.sendall(order.encode() + b"\\n")
    except BrokenPipeError:
        pass
    try:
        while part := client.recv(65536):
            data += part
            if b'"end"' in data:
                break
    except ConnectionResetError:
        pass
    print(data.decode())
"""


def watch(*options):
    """A terminal in which questions are shown."""
    shown = pexpect.spawn(
        vault, ["approve", "--watch", *options], cwd=folder, timeout=120, encoding="utf-8",
        dimensions=(40, 200), env=environment)
    shown.logfile_read = sys.stderr
    shown.expect("Questions are shown here")
    return shown


def guard(script, *options, more=None, confirm="--confirm"):
    """A line behind the wall, without a terminal."""
    return subprocess.Popen(
        [vault, "-q", "guard", "--only", "git/good.example/*", confirm, *options, "--", "/bin/sh",
         "-c", script],
        cwd=folder, env=dict(environment, **(more or {})), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def ends(line, status, text, errors=""):
    out, err = line.communicate(timeout=240)
    assert (line.returncode, out) == (status, text), (line.returncode, out, err)
    assert errors in err, err


def allow(shown):
    """Says yes, again where a question has come too soon after another."""
    shown.sendline("o")
    while shown.expect(["Read it, and answer again", "allowed once"]) == 0:
        shown.expect(CHOICE)
        time.sleep(0.2)
        shown.sendline("o")


def make(name):
    """Lets a line go on that waits for a file."""
    open(f"{folder}/{name}", "w").close()


def approve(*words):
    return subprocess.run(
        [vault, "approve", *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=120)


def log():
    """The uses of the item, the newest first."""
    text = subprocess.run(
        [vault, "log", "git/good.example/me", "--no-session", "--json"], env=environment, cwd=folder,
        capture_output=True, text=True, timeout=120).stdout
    return json.loads(text)["records"]


def waiting():
    """The questions that wait, asked for without starting a program each time."""
    run = os.environ["XDG_RUNTIME_DIR"] + "/vault-approve"
    data = b""
    for name in filter(str.isdigit, os.listdir(run) if os.path.isdir(run) else []):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(f"{run}/{name}")
            client.sendall(b'{"order":"list"}\n')
            while b'"end"' not in data:
                part = client.recv(65536)
                assert part, data
                data += part
    lines = map(json.loads, data.splitlines())
    return [line for line in lines if line["event"] == "question"]


if test == "once":
    shown = watch()
    line = guard(f"{FILL} | grep ^password; {FILL}; echo $?", more={"VAULT_REASON": "not passed on"})
    shown.expect("\n([^\n]*) " + ASKS.replace(".", "[.]"))
    # By its own name: the wall shows the command at a place of its own.
    assert re.fullmatch(r'(vault|"git-credential-.*") \(process \d+, started by \S+\)', shown.match[1]), shown.match
    shown.expect("for +https://good.example")
    shown.expect("by +.*sh < .*bwrap")
    shown.expect("in +" + re.escape(folder))
    shown.expect(CHOICE)
    shown.sendline("o")
    shown.expect("allowed once")
    # Once is once: the next use is the next question, and Return alone says no.
    shown.expect(ASKS)
    shown.expect(CHOICE)
    shown.sendline("")
    shown.expect("refused")
    ends(line, 0, "password=secret-a\n77\n", "a person has refused it")
    refused, allowed = log()
    assert allowed["isAllowed"] and not refused["isAllowed"], (allowed, refused)
    for use in allowed, refused:
        assert use["purpose"] == "https://good.example" and use["reason"] is None, use
        assert re.fullmatch("the terminal pts/[0-9]+", use["decidedBy"]), use
    text = subprocess.run([vault, "log", "--no-session"], env=environment, capture_output=True, text=True)
    assert " for https://good.example, allowed by the terminal pts/" in text.stdout, text
elif test == "reason":
    shown = watch()
    reason = "push \x1b[2Jthe fix\n\nAllow it: yes" + "x" * 500
    line = guard("VAULT_REASON=$REASON; export VAULT_REASON; " + FILL, "--env", "REASON",
                 more={"REASON": reason})
    shown.expect(r'why +"push \\u\{1b\}\[2Jthe fix  Allow it: yesx{100,170}…')
    shown.expect(CHOICE)
    shown.sendline("never")
    ends(line, 77, "", "a person has refused it")
    (use,) = log()
    assert use["reason"].startswith("push \x1b[2Jthe fix  Allow it: yesx") and len(use["reason"]) == 201, use
    assert use["decidedBy"].endswith(", until the end of this run"), use
    text = subprocess.run([vault, "log", "--no-session"], env=environment, capture_output=True)
    assert b"\x1b" not in text.stdout and b"push " in text.stdout, text
elif test == "kept":
    shown = watch()
    line = guard(f"for n in 1 2 3; do {FILL} | grep ^password; done; touch first; "
                 f"until [ -e second ]; do sleep 0.05; done; {FILL}; echo $?")
    shown.expect(CHOICE)
    shown.sendline("h")
    shown.expect("allowed for an hour")
    while not os.path.exists(folder + "/first"):
        line.poll() is None or sys.exit("ended")
    listed = json.loads(approve("--list", "--json").stdout)["answers"]
    assert len(listed) == 1, listed
    kept = listed[0]
    assert kept["item"] == "git/good.example/me" and kept["isAllowed"], kept
    assert 3000 < kept["seconds"] <= 3600, kept
    assert "for 59 min" in approve("--list").stdout
    other = approve("--forget", "1.1")
    assert other.returncode == 1, other
    forgot = approve("--forget", kept["id"])
    assert forgot.returncode == 0, forgot
    assert json.loads(approve("--list", "--json").stdout)["answers"] == []
    open(folder + "/second", "w").close()
    shown.expect(CHOICE)
    shown.sendline("n")
    ends(line, 0, "password=secret-a\n" * 3 + "77\n", "a person has refused it")
    by = [use["decidedBy"] for use in log()]
    assert re.fullmatch("the terminal pts/[0-9]+, until 20[0-9TZ:-]+", by[-1]), by
    assert re.fullmatch("the terminal pts/[0-9]+, kept until 20[0-9TZ:-]+", by[-2]), by
elif test == "never":
    shown = watch()
    line = guard(f"for n in 1 2 3; do {FILL} 2>/dev/null; echo $?; done")
    shown.expect(CHOICE)
    shown.sendline("n")
    ends(line, 0, "77\n77\n77\n")
elif test == "flood":
    shown = watch()
    # More than may wait, each in the background.
    line = guard(f"for n in $(seq 70); do ( {FILL} 2>>errors >>answers; echo $? >>statuses ) & "
                 "until [ -e go$n ]; do sleep 0.01; done; done; wait", "--answer-within", "1h")
    for number in range(1, 71):
        while True:
            questions = waiting()
            refused = open(folder + "/errors").read() if os.path.exists(folder + "/errors") else ""
            if (questions and questions[0]["count"] == min(number, 64)
                    and refused.count("wait for a person") >= number - 64):
                break
            assert line.poll() is None, line.communicate()
            time.sleep(0.01)
        assert len(questions) == 1, questions
        open(f"{folder}/go{number}", "w").close()
    shown.expect(CHOICE)
    shown.sendline("o")
    # The answer is for what was shown; what has come since is one more question.
    shown.expect(r"asked +63 times")
    shown.expect(CHOICE)
    allow(shown)
    ends(line, 0, "")
    statuses = open(folder + "/statuses").read().split()
    assert sorted(statuses) == ["0"] * 64 + ["77"] * 6, statuses
elif test == "nobody":
    # Nobody is there, and nothing is allowed by that.
    ends(guard(FILL, confirm="--confirm=git/*/me"), 77, "", "approve --watch")
    ends(guard(FILL + "|grep ^pass", confirm="--confirm=git/other*"), 0, "password=secret-a\n")
    ends(guard(FILL), 77, "", "approve --watch")
    ends(guard(FILL), 77, "", "none can be asked")
    assert {use["decidedBy"] for use in log() if not use["isAllowed"]} == {"nobody"}, log()
    assert [use["decidedBy"] for use in log() if use["isAllowed"]] == [None], log()
elif test == "words":
    # Only a whole word is a yes: no other one that begins as one does, and no key that sends one.
    shown = watch()
    nos = ["refuse", "refused", "help", "off", "\x1bOP", "o o", "yes" + " " * 80 + "not"]
    line = guard(f"for n in {' '.join(map(str, range(len(nos) + 2)))}; do {FILL} 2>/dev/null | grep ^pass || "
                 "echo none; done")
    for word in nos:
        shown.expect(CHOICE)
        shown.sendline(word)
        shown.expect("refused by the terminal")
    for _ in range(2):
        shown.expect(CHOICE)
        allow(shown)
    ends(line, 0, "none\n" * len(nos) + "password=secret-a\n" * 2)
elif test in ("front", "rest"):
    # An answer is for what was shown: not for one that has joined, and comes first by then.
    shown = watch()
    line = guard(f"""{INPUT}
VAULT_REASON=first git-credential-vault get <in 2>/dev/null | grep ^password & until [ -e joined ]; do sleep 0.02; done
VAULT_REASON=second git-credential-vault get <in | grep ^password & wait""")
    shown.expect('why +"first"')
    shown.expect(CHOICE)
    make("joined")
    while not (questions := waiting()) or questions[0]["count"] != 2:
        assert line.poll() is None, line.communicate()
        time.sleep(0.02)
    assert questions[0]["isMixed"] and questions[0]["reason"] == "first", questions
    if test == "front":
        first = questions[0]["programs"][0]["pid"]
        os.kill(first, signal.SIGKILL)
        shown.expect("the program has left")
    else:
        allow(shown)
    shown.expect('why +"second"')
    shown.expect(CHOICE)
    allow(shown)
    ends(line, 0, "password=secret-a\n" * (1 if test == "front" else 2))
    reasons = [use["reason"] for use in log() if use["isAllowed"]]
    assert reasons == ["second"] if test == "front" else reasons == ["second", "first"], reasons
elif test == "left":
    # A yes to a program that has left is for nobody.
    shown = watch()
    line = guard(f"{INPUT}; git-credential-vault get <in; until [ -e on ]; do sleep 0.02; done; {FILL}; echo $?")
    shown.expect(CHOICE)
    os.kill(waiting()[0]["programs"][0]["pid"], signal.SIGKILL)
    while waiting():
        time.sleep(0.02)
    shown.sendline("o")
    shown.expect("the program has left")
    make("on")
    shown.expect(CHOICE)
    shown.sendline("")
    ends(line, 0, "77\n", "a person has refused it")
    assert not any(use["isAllowed"] for use in log()), log()
elif test == "again":
    # One that asks and leaves, again and again, leaves a person the time to say no for good.
    shown = watch()
    line = guard(f"""{INPUT}; n=0
until [ -e stop ]; do n=$((n + 1)); VAULT_REASON=$n timeout 0.2 git-credential-vault get <in; echo >>asks; done
{FILL}; echo $?""")
    questions = 0
    while True:
        shown.expect(CHOICE)
        questions += 1
        asks = len(open(folder + "/asks").readlines()) if os.path.exists(folder + "/asks") else 0
        if asks >= 10:
            break
    assert questions < asks, (questions, asks)
    shown.sendline("n")
    while shown.expect(["refused for this run", CHOICE]) == 1:
        shown.sendline("n")
    make("stop")
    ends(line, 0, "77\n")
elif test == "broken":
    # A program that asks nobody is nobody's refusal; one that ends with 1 is a person's.
    ask = home + "/other/asks"
    for script, words, by in [
        ("kill -9 $$", "none can be asked", "nobody"), ("exit 3", "none can be asked", "nobody"),
        ("exit 1", "a person has refused it", "the program that asks"),
        ("echo refuse", "a person has refused it", "the program that asks"),
        (None, "none can be asked", "nobody"),
    ]:
        if script:
            with open(ask + ".new", "w") as file:
                file.write(f"#!/bin/sh\n{script}\n")
            os.chmod(ask + ".new", 0o700)
            os.rename(ask + ".new", ask)
        else:
            os.remove(ask)
        ends(guard(FILL, more={"VAULT_ASKPASS": ask}), 77, "", words)
        assert log()[0]["decidedBy"] == by, (script, log()[0])
elif test == "returns":
    # One who serves is killed with a question open, and another one comes: the same terminal shows that.
    shown = watch()
    first = guard(FILL)
    shown.expect(CHOICE)
    run = os.environ["XDG_RUNTIME_DIR"] + "/vault-approve"
    (name,) = [name for name in os.listdir(run) if name.isdigit()]
    os.kill(int(name), signal.SIGKILL)
    shown.expect("its line has ended")
    out, err = first.communicate(timeout=240)
    assert first.returncode != 0 and out == "" and "nobody answers" in err, (first.returncode, out, err)
    # What is typed now is for nothing.
    shown.sendline("o")
    second = guard(f"{FILL} | grep ^password")
    shown.expect(CHOICE)
    assert not os.path.exists(f"{run}/{name}"), os.listdir(run)
    allow(shown)
    ends(second, 0, "password=secret-a\n")
    assert [use["isAllowed"] for use in log()] == [True], log()
elif test == "askers":
    # A program that asks is one at a time, whatever waits, and each question gets its answer.
    ask = home + "/other/asks"
    with open(ask, "w") as file:
        file.write(f"#!/bin/sh\nmkdir '{home}/busy' || echo >>'{home}/twice'\n"
                   f"echo \"$1\" >>'{home}/questions'\nsleep 0.05\nrmdir '{home}/busy'\necho once\n")
    os.chmod(ask, 0o700)
    for number in range(12):
        subprocess.run(
            [vault, "credential", "git", "--no-session", "store"], cwd=folder, env=environment, check=True,
            input=f"protocol=https\nhost=good.example\nusername=u{number}\npassword=p{number}\n\n", text=True)
    line = guard("for n in $(seq 0 11); do printf 'protocol=https\\nhost=good.example\\nusername=u%s\\n\\n' $n "
                 "| git-credential-vault get | grep ^password >>answers & done; wait", more={"VAULT_ASKPASS": ask})
    ends(line, 0, "")
    answers = sorted(open(folder + "/answers").read().split())
    assert answers == sorted(f"password=p{number}" for number in range(12)), answers
    asked = open(home + "/questions").read().splitlines()
    assert len(asked) == 12 and len({re.search("'git/.*?'", one)[0] for one in asked}) == 12, asked
    assert not os.path.exists(home + "/twice")
elif test == "late":
    shown = watch()
    ends(guard(FILL, "--answer-within", "1s"), 77, "", "nobody has answered in time")
    shown.expect("nobody has answered in time")
elif test == "dies":
    # One who dies leaves the question to the next way.
    shown = watch()
    line = guard(f"{FILL} | grep ^password", more={"VAULT_ASKPASS": os.environ["TEST_ASKPASS"]})
    shown.expect(CHOICE)
    shown.kill(signal.SIGKILL)
    ends(line, 0, "password=secret-a\n")
    asked = open(home + "/questions").read()
    assert asked.count(ASKS) == 1 and "It is for https://good.example." in asked and "It works in " + folder in asked, asked
elif test == "two":
    first, second = watch(), watch()
    line = guard(f"{FILL} | grep ^password; {FILL} | grep ^password")
    for shown in first, second:
        shown.expect(CHOICE)
    second.sendline("o")
    first.expect("allowed once by the terminal pts/")
    for shown in first, second:
        shown.expect(CHOICE)
    # What is typed so soon after was meant for the question before.
    first.sendline("o")
    if first.expect(["Read it, and answer again", "allowed once"]) == 0:
        while first.expect([CHOICE, "allowed once"]) == 0:
            first.sendline("o")
    second.expect("allowed once by the terminal pts/")
    ends(line, 0, "password=secret-a\n" * 2)
elif test == "hurried":
    shown = watch()
    # Typed before there is a question.
    shown.sendline("o")
    shown.send("o")
    line = guard(FILL)
    shown.expect(CHOICE)
    shown.sendline("")
    ends(line, 77, "", "a person has refused it")
elif test == "terminal":
    # No terminal, no answer.
    process = subprocess.run(
        [vault, "approve", "--watch"], env=environment, cwd=folder, input="o\n", text=True,
        capture_output=True, timeout=120, start_new_session=True)
    assert process.returncode == 77 and "no terminal" in process.stderr, process
    # Nor for one who speaks the protocol: a program of the same user, in another session.
    shown = watch()
    line = guard(FILL)
    shown.expect(CHOICE)
    run = os.environ["XDG_RUNTIME_DIR"] + "/vault-approve"
    (name,) = [name for name in os.listdir(run) if name.isdigit()]
    answer = '{"order":"answer","number":1,"answer":"once","count":1}'
    for orders in ['{"order":"watch"}', answer], [answer]:
        said = subprocess.run(
            [sys.executable, "-c", SPEAKS, f"{run}/{name}", *orders], capture_output=True, text=True,
            timeout=120, start_new_session=True)
        assert said.returncode == 0, said
        assert ("an answer needs a terminal" in said.stdout) == (len(orders) == 2), said
    assert json.loads(approve("--json").stdout)["questions"][0]["item"] == "git/good.example/me"
    shown.sendline("")
    ends(line, 77, "")
elif test == "inside":
    # What lives behind the wall finds no place to answer.
    run = os.environ["XDG_RUNTIME_DIR"]
    with open(folder + "/hostile.py", "w") as script:
        script.write(f"""
import glob, os, socket, subprocess
for path in {run!r}, {run!r} + "/vault-approve", "/run/user/%d/vault-approve" % os.geteuid():
    print(os.path.exists(path))
for path in glob.glob({run!r} + "/vault-approve/*") + [{run!r} + "/vault-approve/%d" % n for n in range(1, 33000)]:
    try:
        socket.socket(socket.AF_UNIX).connect(path)
        print("connected", path)
    except OSError:
        pass
for words in ["--watch"], ["--list"], ["--forget", "all"], []:
    print(subprocess.run(["vault", "approve", *words], capture_output=True).returncode)
""")
    shown = watch()
    line = guard(f"{FILL} >/dev/null 2>&1; echo $?; /usr/bin/python3 hostile.py")
    shown.expect(CHOICE)
    shown.sendline("")
    ends(line, 0, "77\n" + "False\n" * 3 + "77\n" * 4)
    for name in run, run + "/vault-approve":
        ends(guard("true", "--rw", name), 64, "")
        ends(guard("true", "--ro", name), 64, "")
    inside = subprocess.run(
        [vault, "guard", "--", "true"], cwd=run + "/vault-approve", env=environment, capture_output=True)
    assert inside.returncode == 64, inside
    # Nor does a container that has the folder.
    line = guard(FILL, more={"VAULT_REASON": "x"})
    shown.expect(CHOICE)
    (name,) = [name for name in os.listdir(run + "/vault-approve") if name.isdigit()]
    said = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--pid", "--fork", sys.executable, "-c", SPEAKS,
         f"{run}/vault-approve/{name}", '{"order":"list"}'], capture_output=True, text=True)
    if "unshare failed" not in said.stderr:
        assert said.returncode == 0 and "another namespace" in said.stdout, said
    shown.sendline("")
    ends(line, 77, "")
elif test == "user":
    shown = watch()
    line = guard(FILL)
    shown.expect(CHOICE)
    run = os.environ["XDG_RUNTIME_DIR"] + "/vault-approve"
    (name,) = [name for name in os.listdir(run) if name.isdigit()]
    # Also where somebody has opened the folders.
    for mode in 0o700, 0o755:
        path = run
        while mode != 0o700 and path != "/":
            os.chmod(path, os.stat(path).st_mode | 0o055)
            path = os.path.dirname(path)
        os.chmod(f"{run}/{name}", 0o600 if mode == 0o700 else 0o666)
        said = subprocess.run(
            ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "/usr/bin/python3", "-c",
             SPEAKS, f"{run}/{name}", '{"order":"list"}'], capture_output=True, text=True, cwd="/")
        expected = "PermissionError" if mode == 0o700 else "it is another user's"
        assert expected in said.stdout + said.stderr, said
        assert "good.example" not in said.stdout, said
    shown.sendline("")
    ends(line, 77, "")
elif test == "itself":
    # The command of ssh-agent is behind no wall, and does not answer for itself, either.
    with open(folder + "/inside.py", "w") as script:
        script.write(f"""
import os, pexpect, subprocess, sys
shown = pexpect.spawn({vault!r}, ["approve", "--watch"], timeout=120, encoding="utf-8")
shown.logfile_read = sys.stderr
shown.expect("Questions are shown here")
signing = subprocess.Popen(["ssh-keygen", "-q", "-Y", "sign", "-n", "file", "-f", "key.pub"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
signing.stdin.write(b"x")
signing.stdin.close()
shown.expect("Not asked here: the command that is asked about does not answer for itself")
print(signing.wait() != 0, os.path.exists("x.sig"))
""")
    made = subprocess.run(
        [vault, "ssh", "keygen", "key", "--no-session"], cwd=folder, env=environment, capture_output=True,
        text=True)
    with open(folder + "/key.pub", "w") as key:
        key.write(made.stdout)
    line = subprocess.run(
        [vault, "ssh-agent", "--confirm", "--", "/usr/bin/python3", "inside.py"], cwd=folder,
        env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240,
        start_new_session=True)
    assert line.returncode == 0 and line.stdout == "True False\n", line
elif test == "faces":
    # ssh's agent asks in the same place, and names host or file.
    made = subprocess.run(
        [vault, "ssh", "keygen", "key", "--no-session"], cwd=folder, env=environment, capture_output=True,
        text=True)
    with open(folder + "/key.pub", "w") as key:
        key.write(made.stdout)
    shown = watch()
    sign = "echo x | ssh-keygen -q -Y sign -n file -f key.pub >signed && echo signed; "
    line = subprocess.Popen(
        [vault, "ssh-agent", "--confirm", "--", "/bin/sh", "-c", sign * 2 + "echo $?"], cwd=folder,
        env=dict(environment, VAULT_REASON="to release 1.2"), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    shown.expect("ssh-keygen .*wants to sign something in the namespace 'file' with 'key'")
    shown.expect('why +"to release 1.2", it says')
    shown.expect(CHOICE)
    shown.sendline("r")
    shown.expect("allowed for this run")
    ends(line, 0, "signed\nsigned\n0\n")
    text = subprocess.run(
        [vault, "log", "key", "--no-session", "--json"], env=environment, capture_output=True, text=True)
    last, first = json.loads(text.stdout)["records"]
    assert first["purpose"] == "'file'" and first["reason"] == "to release 1.2", first
    assert re.fullmatch("the terminal pts/[0-9]+, until the end of this run", first["decidedBy"]), first
    assert re.fullmatch("the terminal pts/[0-9]+, kept until the end of this run", last["decidedBy"]), last
elif test in ("notice", "ways"):
    # A real bus, and what stands for the desktop's notifications on it.
    sys.path.insert(0, os.path.dirname(__file__))
    from dbus_client import Client, Writer, Reader, types
    import struct
    import threading
    bus = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address",
         f"--address=unix:path={os.environ['XDG_RUNTIME_DIR']}/bus"], stdout=subprocess.PIPE, text=True)
    os.environ["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip().split(",")[0]
    environment["DBUS_SESSION_BUS_ADDRESS"] = os.environ["DBUS_SESSION_BUS_ADDRESS"]
    name = "org.freedesktop.Notifications"

    class Desktop(Client):
        def send(self, kind, fields, signature, *values):
            self.serial += 1
            body, header = Writer("<"), Writer("<")
            for one, value in zip(types(signature), values):
                body.put(one, value)
            fields = fields + [(8, ("g", signature))] * bool(signature)
            for one, value in zip("yyyyuu", (b"l"[0], kind, 0, 1, len(body.data), self.serial)):
                header.put(one, value)
            header.put("a(yv)", fields)
            header.align(8)
            self.socket.sendall(bytes(header.data + body.data))

        def take(self):
            start = self.exactly(16)
            body, serial, length = struct.unpack_from("<III", start, 4)
            data = start + self.exactly(-(-length // 8) * 8 + body)
            reader = Reader("<", data)
            reader.at = 12
            fields = dict(reader.take("a(yv)"))
            reader.align(8)
            reader = Reader("<", data[reader.at:])
            return serial, fields, [reader.take(one) for one in types(fields.get(8, ""))]

        def serve(self, answers, shown):
            for number, (member, *values) in enumerate(answers, 1):
                while True:
                    serial, fields, arguments = self.take()
                    to = [(5, ("u", serial)), (6, ("s", fields.get(7, "")))]
                    if fields.get(3) == "GetCapabilities":
                        self.send(2, to, "as", ["body", "actions", "body-markup"])
                    elif fields.get(3) == "Notify":
                        shown.append(arguments)
                        self.send(2, to, "u", number)
                        break
                    elif 3 in fields and fields.get(2) == name:
                        self.send(2, to, "")
                path = [(1, ("o", "/org/freedesktop/Notifications")), (2, ("s", name))]
                # Of another notification, and then of this one.
                self.send(4, path + [(3, ("s", "ActionInvoked"))], "us", number + 7, "run")
                self.send(4, path + [(3, ("s", member))], "us" if isinstance(values[0], str) else "uu",
                          number, *values)

    desktop, shown = Desktop(), []
    assert desktop.bus("RequestName", "su", name, 4) == 1
    if test == "ways":
        # Ten questions at once: eight are shown by the desktop, and another one as each of them ends.
        for number in range(10):
            subprocess.run(
                [vault, "credential", "git", "--no-session", "store"], cwd=folder, env=environment, check=True,
                input=f"protocol=https\nhost=good.example\nusername=u{number}\npassword=p{number}\n\n", text=True)
        lock, closed = threading.Lock(), []

        def collect():
            while True:
                serial, fields, arguments = desktop.take()
                to = [(5, ("u", serial)), (6, ("s", fields.get(7, "")))]
                with lock:
                    if fields.get(3) == "GetCapabilities":
                        desktop.send(2, to, "as", ["body", "actions"])
                    elif fields.get(3) == "Notify":
                        shown.append(arguments)
                        desktop.send(2, to, "u", len(shown))
                    elif fields.get(2) == name:
                        desktop.send(2, to, "")

        threading.Thread(target=collect, daemon=True).start()
        line = guard("for n in $(seq 0 9); do printf 'protocol=https\\nhost=good.example\\nusername=u%s\\n\\n' $n "
                     "| git-credential-vault get | grep ^password >>answers & done; wait")

        def until(condition):
            end = time.monotonic() + 120
            while not condition():
                assert time.monotonic() < end and line.poll() is None, (len(shown), line.poll())
                time.sleep(0.02)

        until(lambda: len(waiting()) == 10 and len(shown) >= 8)
        time.sleep(0.5)
        for number in range(1, 11):
            assert len(shown) == min(10, number + 7), (number, len(shown))
            with lock:
                desktop.send(4, [(1, ("o", "/org/freedesktop/Notifications")), (2, ("s", name)),
                                 (3, ("s", "ActionInvoked"))], "us", number, "once")
            until(lambda: number == 10 or len(waiting()) == 10 - number and len(shown) >= min(10, number + 8))
        ends(line, 0, "")
        assert len(open(folder + "/answers").read().split()) == 10
        bus.terminate()
        bus.wait()
        sys.exit(0)
    thread = threading.Thread(target=desktop.serve, daemon=True, args=(
        [("ActionInvoked", "once"), ("ActionInvoked", "default"), ("NotificationClosed", 2)], shown))
    thread.start()
    reason = "<b>yes</b> & more"
    line = guard(f"export VAULT_REASON='{reason}'; "
                 f"for n in 1 2 3; do {FILL} 2>/dev/null | grep ^password || echo none; done")
    ends(line, 0, "password=secret-a\nnone\nnone\n")
    assert len(shown) == 3, shown
    text, actions = shown[0][4], shown[0][5]
    assert "&lt;b&gt;yes&lt;/b&gt; &amp; more" in text and "<b>" not in text and ASKS in text, text
    assert actions[0::2] == ["once", "run", "hour", "never"], actions
    assert [use["decidedBy"] for use in log()] == ["the desktop"] * 3, log()
    # A desktop that shows no buttons, or none at all: nobody can be asked.
    bus.terminate()
    bus.wait()
    ends(guard(FILL), 77, "", "none can be asked")
elif test == "same":
    # In the terminal that the command behind the wall reads nobody answers.
    shell = pexpect.spawn(
        "/bin/bash", ["--norc", "--noprofile", "-i"], cwd=folder, timeout=120, encoding="utf-8",
        env=dict(environment, PS1="ready> ", FILL=FILL), dimensions=(40, 200))
    shell.logfile_read = sys.stderr
    shell.expect("ready> ")
    with open(folder + "/ask", "w") as script:
        script.write(f"until [ -e go ]; do sleep 0.01; done; {FILL}; touch done")
    shell.sendline(
        f"{vault} -q guard --only 'git/*' --confirm -- sh ask & {vault} approve --watch")
    shell.expect("Questions are shown here")
    open(folder + "/go", "w").close()
    shell.expect("Not asked here: the command behind the wall reads this terminal")
    while not os.path.exists(folder + "/done"):
        time.sleep(0.01)
    shell.sendcontrol("c")
    shell.expect("ready> ")
else:
    sys.exit("no such test")
