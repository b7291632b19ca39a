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
      """,
      // Rows behind an index: in a table without row numbers, finding a key compares it with whole
      // neighbors, and one of 1 MiB made each change beside it cost as much as itself. Earlier
      // versions write this table with the same statements; for their sake the journal itself has
      // no new column.
      """
      CREATE TABLE preferences_values_by_row(
        domain INTEGER NOT NULL REFERENCES preferences_domains(id) ON DELETE CASCADE,
        key TEXT NOT NULL,
        type TEXT NOT NULL,
        value ANY,
        PRIMARY KEY(domain, key)) STRICT;
      INSERT INTO preferences_values_by_row SELECT domain, key, type, value FROM preferences_values;
      DROP TABLE preferences_values;
      ALTER TABLE preferences_values_by_row RENAME TO preferences_values;
      CREATE TABLE preferences_transactions(
        tx INTEGER PRIMARY KEY,
        changes INTEGER NOT NULL) STRICT;
      CREATE TABLE preferences_journals(
        domain TEXT NOT NULL,
        host TEXT NOT NULL,
        changes INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        lost INTEGER NOT NULL DEFAULT 0,
        lost_time REAL NOT NULL DEFAULT 0,
        PRIMARY KEY(domain, host)) STRICT, WITHOUT ROWID;
      INSERT INTO preferences_transactions
        SELECT tx, max(sequence) - tx + 1 FROM preferences_journal
        GROUP BY tx HAVING max(sequence) > tx;
      INSERT INTO preferences_journals(domain, host, changes, bytes)
        SELECT domain, host, count(*), 0 FROM preferences_journal GROUP BY domain, host;
      INSERT INTO preferences_journals
        SELECT '', '', 0, 0, first - 1, time
        FROM (SELECT min(sequence) AS first, min(time) AS time FROM preferences_journal)
        WHERE first > 1
        ON CONFLICT(domain, host) DO UPDATE SET lost=excluded.lost, lost_time=excluded.lost_time;
      """,
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
