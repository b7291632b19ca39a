"""session_watch.py VAULT: a bus with a logind and a screen saver, the watch, and what it locks.

Runs in a user namespace, whose kernel keys are its own. HOME has a vault with the item `a` and the file `key` that opens it.
Prints a line for each thing that was tried: its name, and whether the vault was open afterwards.
"""

import atexit
import os
import selectors
import signal
import subprocess
import sys
import time

LIMIT = 60
BASE = "/org/freedesktop/login1"


def path(number):
    return f"{BASE}/session/_{number}"


def logind():
    """Serves until stdin ends; each line is a word and what it needs."""
    from jeepney import DBusAddress, HeaderFields, MessageType, new_method_return, new_signal
    from jeepney.bus_messages import message_bus
    from jeepney.io.blocking import open_dbus_connection

    bus = open_dbus_connection(os.environ["DBUS_SESSION_BUS_ADDRESS"], enable_fds=True)
    manager = DBusAddress(BASE, interface="org.freedesktop.login1.Manager")
    saver = DBusAddress("/org/gnome/ScreenSaver", interface="org.gnome.ScreenSaver")
    for name in ("org.freedesktop.login1", "org.gnome.ScreenSaver"):
        bus.send_and_get_reply(message_bus.RequestName(name))
    logins = {"1": os.getuid()}
    # What delays sleep: the ends that are read, which end when the watch lets go of them.
    delays = []
    print("ready", flush=True)
    selector = selectors.DefaultSelector()
    selector.register(bus.sock, selectors.EVENT_READ, "bus")
    selector.register(0, selectors.EVENT_READ, "line")
    while True:
        for key, _ in selector.select():
            if key.data == "bus":
                try:
                    message = bus.receive(timeout=1)
                except ConnectionError:
                    return
                if (message.header.message_type == MessageType.method_call
                        and message.header.fields.get(HeaderFields.member) == "ListSessions"):
                    entries = [(number, user, "me", "seat0", path(number)) for number, user in logins.items()]
                    bus.send(new_method_return(message, "a(susso)", (entries,)))
                if (message.header.message_type == MessageType.method_call
                        and message.header.fields.get(HeaderFields.member) == "Inhibit"):
                    assert (message.body[0], message.body[3]) == ("sleep", "delay"), message.body
                    mine, theirs = os.pipe()
                    bus.send(new_method_return(message, "h", (theirs,)))
                    os.close(theirs)
                    delays.append(mine)
                continue
            line = os.read(0, 1000).decode()
            if not line:
                return
            word, *rest = line.split()
            if word == "delays":
                # How many are held; and, once one has ended, whether the lock was reported before.
                import select
                ended = select.select(delays, [], [], 0)[0]
                for delay in ended:
                    delays.remove(delay)
                    os.close(delay)
                print("delays", len(delays), flush=True)
                continue
            if word in ("sleep", "wake"):
                bus.send(new_signal(manager, "PrepareForSleep", "b", (word == "sleep",)))
            elif word in ("screen", "unscreen"):
                bus.send(new_signal(saver, "ActiveChanged", "b", (word == "screen",)))
            elif word == "lock":
                session = DBusAddress(path(rest[0]), interface="org.freedesktop.login1.Session")
                bus.send(new_signal(session, "Lock", "", ()))
            elif word == "login":
                logins[rest[0]] = int(rest[1])
                bus.send(new_signal(manager, "SessionNew", "so", (rest[0], path(rest[0]))))
            elif word == "logout":
                logins.pop(rest[0])
                bus.send(new_signal(manager, "SessionRemoved", "so", (rest[0], path(rest[0]))))
            print(word, flush=True)


def wait(condition, what):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"{what} did not happen within {LIMIT} s")
        time.sleep(0.02)


def start(words, **more):
    """A child that does not outlive this."""
    child = subprocess.Popen(words, **more)
    atexit.register(child.kill)
    return child


def main(vault):
    home = os.environ["HOME"]
    os.environ.pop("VAULT_KEY_FILE", None)
    os.environ["XDG_RUNTIME_DIR"] = f"{home}/run"
    os.makedirs(f"{home}/run", mode=0o700, exist_ok=True)
    # A script has no terminal: the vault asks nobody.
    run = lambda *words: subprocess.run([vault, *words], capture_output=True, stdin=subprocess.DEVNULL)
    is_open = lambda: run("get", "a").returncode == 0

    def unlock(*words):
        done = run("unlock", "-q", "--key-file", f"{home}/key", *words)
        return done.returncode == 0 and is_open()

    early = run("unlock", "-q", "--key-file", f"{home}/key", "--until-logout")
    print("without a watch", early.returncode, flush=True)
    bus = start(["dbus-daemon", "--session", "--nofork", "--print-address=1"], stdout=subprocess.PIPE)
    address = bus.stdout.readline().decode().strip()
    os.environ["DBUS_SESSION_BUS_ADDRESS"] = os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = address
    service = start([sys.executable, sys.argv[0], "--logind"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert service.stdout.readline() == b"ready\n"
    errors = open(f"{home}/watch.err", "w+b")
    watch = start([vault, "lock", "--watch"], stdin=subprocess.DEVNULL, stderr=errors)
    seen = lambda: open(f"{home}/watch.err").read()
    wait(lambda: "watching" in seen(), "the watch")
    assert unlock("--until-logout"), seen()
    status = run("status", "--key-file", f"{home}/key").stdout
    assert b"or until you log out" in status, status
    print("until logout", is_open(), flush=True)

    def send(line):
        service.stdin.write(line.encode() + b"\n")
        service.stdin.flush()
        assert service.stdout.readline().decode().strip() == line.split()[0]

    def emit(line, locks):
        """Says it, and prints whether the vault was open afterwards."""
        assert unlock(), "it does not open"
        count = seen().count("locked:")
        send(line)
        if not locks:
            # Signals come in their order: what locks is then the sleep that follows, and not this one.
            send("sleep")
        wait(lambda: seen().count("locked:") > count, line)
        is_kept = not locks and seen().rstrip().endswith("the machine goes to sleep")
        print(line.split()[0], is_kept or is_open(), flush=True)

    def delays():
        service.stdin.write(b"delays\n")
        service.stdin.flush()
        return int(service.stdout.readline().split()[1])

    print("delay", delays(), flush=True)
    emit("wake", False)
    # It let the machine sleep once all was locked, and holds it up again from the next wake on.
    wait(lambda: delays() == 0, "the end of the delay")
    assert not is_open()
    send("wake")
    wait(lambda: delays() == 1, "the next delay")
    emit("sleep", True)
    wait(lambda: delays() == 0, "the end of the delay")
    # What serves the vault as a keyring forgets the key, too.
    own = start(["dbus-daemon", "--session", "--nofork", "--print-address=1"], stdout=subprocess.PIPE)
    own_address = own.stdout.readline().decode().strip()
    served = start([vault, "keyring", "serve", "--bus", "--key-file", f"{home}/key"], stdin=subprocess.DEVNULL,
                   stderr=open(f"{home}/served.err", "w+b"),
                   env={**os.environ, "DBUS_SESSION_BUS_ADDRESS": own_address})
    wait(lambda: "is the keyring" in open(f"{home}/served.err").read(), "the served keyring")

    def is_served():
        from jeepney import DBusAddress, Properties
        from jeepney.io.blocking import open_dbus_connection
        asking = open_dbus_connection(own_address)
        collection = DBusAddress("/org/freedesktop/secrets/aliases/default", "org.freedesktop.secrets",
                                 "org.freedesktop.Secret.Collection")
        answer = asking.send_and_get_reply(Properties(collection).get("Locked"))
        asking.close()
        return not answer.body[0][1]

    print("served", is_served(), flush=True)
    send("wake")
    send("sleep")
    wait(lambda: not is_served(), "the lock of the served keyring")
    print("served asleep", is_served(), flush=True)
    served.kill()
    own.kill()
    emit("screen", True)
    emit("unscreen", False)
    emit("lock 1", True)
    # Of somebody else.
    emit(f"login 7 {os.getuid() + 1}", False)
    emit("lock 7", False)
    emit("logout 7", False)
    # One login of two.
    emit(f"login 2 {os.getuid()}", False)
    emit("logout 1", False)
    emit("logout 2", True)
    # A logind that is started anew is asked for the delay again, and still tells of sleep.
    service.kill()
    service.wait()
    service = start([sys.executable, sys.argv[0], "--logind"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert service.stdout.readline() == b"ready\n"
    wait(lambda: delays() == 1, "the delay of the next logind")
    print("next logind", is_open(), flush=True)
    emit("lock 2", False)
    emit(f"login 3 {os.getuid()}", False)
    emit("sleep", True)
    assert unlock()
    watch.send_signal(signal.SIGTERM)
    watch.wait(LIMIT)
    print("ended", watch.returncode, is_open(), flush=True)
    second = start([vault, "lock", "--watch"], stdin=subprocess.DEVNULL, stderr=errors)
    wait(lambda: seen().count("watching") == 2, "the second watch")
    assert unlock()
    bus.kill()
    second.wait(LIMIT)
    print("without its buses", second.returncode, is_open(), flush=True)
    service.kill()
    # A system bus of its own, which ends and comes again, with another logind.
    own = start(["dbus-daemon", "--session", "--nofork", "--print-address=1"], stdout=subprocess.PIPE)
    os.environ["DBUS_SESSION_BUS_ADDRESS"] = own.stdout.readline().decode().strip()
    place = f"{home}/system"
    os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={place}"

    def system():
        bus = start(["dbus-daemon", "--session", "--nofork", f"--address=unix:path={place}", "--print-address=1"],
                    stdout=subprocess.PIPE)
        assert bus.stdout.readline()
        service = start([sys.executable, sys.argv[0], "--logind"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                        env={**os.environ, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={place}"})
        assert service.stdout.readline() == b"ready\n"
        return bus, service

    bus, service = system()
    third = start([vault, "lock", "--watch"], stdin=subprocess.DEVNULL, stderr=errors)
    wait(lambda: seen().count("watching") == 3, "the third watch")
    wait(lambda: delays() == 1, "the delay")
    bus.kill()
    bus.wait()
    service.kill()
    service.wait()
    os.path.exists(place) and os.unlink(place)
    bus, service = system()
    wait(lambda: "followed again" in seen(), "the system bus that comes again")
    wait(lambda: delays() == 1, "the delay on the next bus")
    emit("sleep", True)
    third.send_signal(signal.SIGTERM)
    third.wait(LIMIT)
    print("next bus", third.returncode, flush=True)
    service.kill()
    assert b"s3cr3t" not in seen().encode()


if sys.argv[1] == "--logind":
    logind()
else:
    main(sys.argv[1])
