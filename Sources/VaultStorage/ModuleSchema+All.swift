/// The tables of the shared store, by module.
///
/// They are here together because any module may find the store damaged and recover it as a whole.
/// The new tables come from this text, never from the damaged file.
extension ModuleSchema {
  /// The tables of preferences, see Documentation/preferences.md.
  package static let preferences = ModuleSchema(
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

  /// The sealed blobs of credentials' earlier versions, and the ledger of copies in the keyring;
  /// Documentation/design/file-format.md, sections 5 and 8.
  package static let credentials = ModuleSchema(
    name: "credentials", major: 1,
    steps: [
      """
      CREATE TABLE credentials_blobs (
        vault BLOB NOT NULL,
        hash BLOB NOT NULL,
        sealed BLOB NOT NULL,
        written INTEGER NOT NULL,
        PRIMARY KEY (vault, hash)
      ) STRICT
      """,
      """
      CREATE TABLE credentials_copies (
        vault BLOB NOT NULL,
        place BLOB NOT NULL,
        mark INTEGER NOT NULL,
        sealed BLOB NOT NULL,
        PRIMARY KEY (vault, place)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX credentials_copies_marked ON credentials_copies (vault) WHERE mark > 0;
      """,
    ])

  /// The tables of all modules.
  package static let all = [preferences, credentials]
}
