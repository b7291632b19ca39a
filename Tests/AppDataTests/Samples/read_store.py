"""Reads a store of app data with the standard library alone: python3 read_store.py FILE"""

import sqlite3
import sys

store = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
date = "strftime('%Y-%m-%d %H:%M:%f', {} + 978307200, 'unixepoch')"

entities = {}
for entity, name, kind in store.execute(
    "SELECT entity, property, type FROM appdata_properties ORDER BY entity, property"
):
    entities.setdefault(entity, []).append(f"{name} {kind}")
for entity, properties in entities.items():
    print(f"{entity}: {', '.join(properties)}")

for key, *values in store.execute(
    f"SELECT _id, name, {date.format('createdAt')}, isArchived, thumbnail FROM Project ORDER BY name"
):
    print(" | ".join(str(value) for value in values))
    for values in store.execute(
        f"SELECT title, {date.format('dueDate')}, priority FROM Task "
        "WHERE project_id = ? ORDER BY project_position",
        (key,),
    ):
        print("  " + " | ".join(str(value) for value in values))

print(store.execute("PRAGMA integrity_check").fetchone()[0])
