"""A store of AppData's, seen by Python's standard library alone; and the memory of `vault data`.

  appdata.py read STORE
  appdata.py memory VAULT HOME APPLICATION
  appdata.py progress VAULT HOME APPLICATION
"""

import datetime
import json
import os
import pathlib
import pty
import signal
import sqlite3
import sys


def read(path):
    """Finds out by the metadata what the tables mean, and reads the rows."""
    store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    store.row_factory = sqlite3.Row
    properties = {
        (row["entity"], row["property"]): row
        for row in store.execute("SELECT * FROM appdata_properties")
    }
    assert properties["Trip", "start"]["type"] == "date"
    assert properties["Stop", "trip"]["detail"] == "trip_id"
    assert properties["Trip", "name"]["is_unique"] == 1
    trips = {row["_id"]: row for row in store.execute('SELECT * FROM "Trip"')}
    oslo = trips[1]
    epoch = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
    assert epoch + datetime.timedelta(seconds=oslo["start"]) == epoch
    assert json.loads(oslo["notes"]) == ["ski"]
    assert oslo["price"] == "19.90"
    # A large value: its file's name, its length, a checksum.
    name, length, _ = oslo["map"].split(" ")
    file = pathlib.Path(path).parent / ".default_SUPPORT" / "_EXTERNAL_DATA" / name
    assert len(file.read_bytes()) == int(length) == 3
    assert trips[2]["map"] == b"\xff"
    stops = store.execute("SELECT place FROM Stop WHERE trip_id=1 ORDER BY trip_position")
    assert [row["place"] for row in stops] == ["Fjord", "Ski"]
    meta = dict(store.execute("SELECT key, value FROM appdata_metadata").fetchall())
    assert meta["application"] == "com.example.trips" and meta["schema_version"] == "2.1.0"
    assert store.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def peak(vault, home, arguments):
    """The peak of resident memory of one run, in MiB."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1):
            os.dup2(null, descriptor)
        os.execve(vault, [vault, "data"] + arguments, {"HOME": home})
    _, status, usage = os.wait4(child, 0)
    assert status == 0, arguments
    return usage.ru_maxrss / 1024


def memory(vault, home, application):
    rows = ["fetch", application, "Stop"]
    base = peak(vault, home, rows + ["--limit", "1000", "--csv"])
    part = ["--limit", "200000"]
    for verb in (rows + ["--csv"], rows + ["--json"] + part, rows + ["--sort", "place"] + part):
        whole = peak(vault, home, verb)
        assert whole < base + 24, f"{verb}: {whole:.0f} MiB, {base:.0f} MiB for a thousand"


def progress(vault, home, application):
    """On a terminal, a long export tells how far it is."""
    master, slave = pty.openpty()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        os.dup2(slave, 2)
        os.execve(vault, [vault, "data", "export", application], {"HOME": home, "TERM": "xterm"})
    os.close(slave)
    told = b""
    try:
        while b"of 1000004" not in told and (piece := os.read(master, 4096)):
            told += piece
    except OSError:  # Linux tells the end of a terminal so.
        pass
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert told.startswith(b"\rexporting row ") and b" of 1000004, " in told, told


{"read": read, "memory": memory, "progress": progress}[sys.argv[1]](*sys.argv[2:])
