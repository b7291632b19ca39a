PRAGMA application_id=1447842884;
PRAGMA user_version=1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE appdata_metadata(
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO appdata_metadata VALUES('application','main');
INSERT INTO appdata_metadata VALUES('schema',replace('{\n  "entities": [\n    {\n      "attributes": [\n        {\n          "column": "name",\n          "defaultSQL": "''''",\n          "isExternal": false,\n          "isOptional": false,\n          "isUnique": false,\n          "name": "name",\n          "swiftType": "String",\n          "type": "string"\n        },\n        {\n          "column": "code",\n          "isExternal": false,\n          "isOptional": true,\n          "isUnique": false,\n          "name": "code",\n          "swiftType": "String",\n          "type": "sealed"\n        }\n      ],\n      "indexes": [],\n      "name": "`Safe Box`",\n      "relationships": [],\n      "table": "`Safe Box`",\n      "uniqueConstraints": []\n    }\n  ],\n  "version": {\n    "major": 1,\n    "minor": 0,\n    "patch": 0\n  }\n}','\n',char(10)));
INSERT INTO appdata_metadata VALUES('schema_fingerprint','a25efb678f0046f3');
INSERT INTO appdata_metadata VALUES('schema_version','1.0.0');
INSERT INTO appdata_metadata VALUES('store','CF9943F0-92CC-419E-BBE5-D37A01C69FCE');
CREATE TABLE IF NOT EXISTS "`Safe Box`"(
  "_id" INTEGER PRIMARY KEY AUTOINCREMENT,
  "name" TEXT NOT NULL DEFAULT '',
  "code" BLOB
) STRICT;
INSERT INTO "`Safe Box`" VALUES(1,'one',X'011713b3b8c2833ccc7c6cb4d585026891d45825804dd076765ead538345c5e53d3c6fa3f998a4c78dea6b2b5c08265fc09db2aaccb64d2b2bc8317ec89b3a67507a713081f309d87467accd98cb458371a36c4ce342d1a93a08049cc7959c8d3adb2df67a00756abe16642c0ba914d4fd6ebf5cd89af37d89');
CREATE TABLE appdata_transactions(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time REAL NOT NULL,
  author TEXT,
  bundle TEXT NOT NULL,
  process TEXT NOT NULL
) STRICT;
INSERT INTO appdata_transactions VALUES(1,817625681.2262554169,NULL,'main','main');
CREATE TABLE appdata_changes(
  transaction_id INTEGER NOT NULL,
  number INTEGER NOT NULL,
  entity TEXT NOT NULL,
  first_row INTEGER NOT NULL,
  count INTEGER NOT NULL,
  kind TEXT NOT NULL,
  properties TEXT,
  tombstone TEXT,
  PRIMARY KEY(transaction_id, number)
) STRICT, WITHOUT ROWID;
INSERT INTO appdata_changes VALUES(1,0,'`Safe Box`',1,1,'insert',NULL,NULL);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('appdata_transactions',1);
INSERT INTO sqlite_sequence VALUES('`Safe Box`',32);
CREATE VIEW appdata_entities AS
  SELECT e.value->>'name' AS entity, e.value->>'table' AS "table",
    e.value->>'superentity' AS superentity
  FROM appdata_metadata m, json_each(m.value, '$.entities') e
  WHERE m.key='schema';
CREATE VIEW appdata_properties AS
  SELECT e.value->>'name' AS entity, p.value->>'name' AS property,
    p.value->>'type' AS type, p.value->>'column' AS detail,
    p.value->>'isOptional' AS optional, p.value->>'isUnique' AS is_unique
  FROM appdata_metadata m, json_each(m.value, '$.entities') e,
    json_each(e.value, '$.attributes') p
  WHERE m.key='schema'
  UNION ALL
  SELECT e.value->>'name', p.value->>'name',
    iif(p.value->>'isToMany', 'to-many ', 'to-one ') || (p.value->>'destination'),
    coalesce(p.value->>'$.storage.foreignKey.column',
      p.value->>'$.storage.join.links.table', 'in ' || (p.value->>'inverse')),
    p.value->>'isOptional', p.value->>'isUnique'
  FROM appdata_metadata m, json_each(m.value, '$.entities') e,
    json_each(e.value, '$.relationships') p
  WHERE m.key='schema';
COMMIT;
