import VaultStorage

/// The tables of preferences in the shared store; Documentation/preferences.md describes them.
enum PreferenceSchema {
  static let module = ModuleSchema(
    name: "preferences", major: 1,
    steps: [
      """
      CREATE TABLE preferences_domains(
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        host TEXT NOT NULL DEFAULT '',
        protection BLOB,
        UNIQUE(name, host)) STRICT;
      CREATE TABLE preferences_values(
        domain INTEGER NOT NULL REFERENCES preferences_domains(id) ON DELETE CASCADE,
        key TEXT NOT NULL,
        type TEXT NOT NULL,
        value ANY,
        PRIMARY KEY(domain, key)) STRICT, WITHOUT ROWID;
      CREATE TABLE preferences_journal(
        sequence INTEGER PRIMARY KEY,
        tx INTEGER NOT NULL,
        time REAL NOT NULL,
        process TEXT NOT NULL,
        domain TEXT NOT NULL,
        host TEXT NOT NULL,
        key TEXT,
        old_type TEXT, old_value ANY,
        new_type TEXT, new_value ANY,
        undoes INTEGER) STRICT;
      CREATE TABLE preferences_snapshots(
        name TEXT PRIMARY KEY,
        time REAL NOT NULL,
        sequence INTEGER NOT NULL,
        contents TEXT NOT NULL) STRICT, WITHOUT ROWID;
      """
    ])
}
