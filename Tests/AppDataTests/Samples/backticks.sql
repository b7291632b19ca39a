PRAGMA application_id=1447842884;
PRAGMA user_version=1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE appdata_metadata(
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO appdata_metadata VALUES('application','main');
INSERT INTO appdata_metadata VALUES('schema',replace('{\n  "entities": [\n    {\n      "attributes": [\n        {\n          "column": "name",\n          "defaultSQL": "''''",\n          "isExternal": false,\n          "isOptional": false,\n          "isUnique": true,\n          "name": "name",\n          "swiftType": "String",\n          "type": "string"\n        }\n      ],\n      "indexes": [],\n      "name": "`My Model`",\n      "relationships": [\n        {\n          "deleteRule": "nullify",\n          "destination": "`Other One`",\n          "inverse": "owner",\n          "isOptional": false,\n          "isToMany": true,\n          "isUnique": false,\n          "maximumCount": 0,\n          "minimumCount": 0,\n          "name": "others",\n          "storage": {\n            "inverse": {}\n          }\n        },\n        {\n          "deleteRule": "nullify",\n          "destination": "`My Model`",\n          "inverse": "befriended",\n          "isOptional": false,\n          "isToMany": true,\n          "isUnique": false,\n          "maximumCount": 0,\n          "minimumCount": 0,\n          "name": "friends",\n          "storage": {\n            "join": {\n              "links": {\n                "destination": "friends_id",\n                "inversePosition": "befriended_position",\n                "owner": "befriended_id",\n                "position": "friends_position",\n                "table": "`My Model`_befriended"\n              }\n            }\n          }\n        },\n        {\n          "deleteRule": "nullify",\n          "destination": "`My Model`",\n          "inverse": "friends",\n          "isOptional": false,\n          "isToMany": true,\n          "isUnique": false,\n          "maximumCount": 0,\n          "minimumCount": 0,\n          "name": "befriended",\n          "storage": {\n            "join": {\n              "links": {\n                "destination": "befriended_id",\n                "inversePosition": "friends_position",\n                "owner": "friends_id",\n                "position": "befriended_position",\n                "table": "`My Model`_befriended"\n              }\n            }\n          }\n        },\n        {\n          "deleteRule": "nullify",\n          "destination": "`Other One`",\n          "isOptional": false,\n          "isToMany": true,\n          "isUnique": false,\n          "maximumCount": 0,\n          "minimumCount": 0,\n          "name": "loose ones",\n          "storage": {\n            "join": {\n              "links": {\n                "destination": "destination_id",\n                "owner": "owner_id",\n                "position": "position",\n                "table": "`My Model`_loose ones"\n              }\n            }\n          }\n        }\n      ],\n      "table": "`My Model`",\n      "uniqueConstraints": []\n    },\n    {\n      "attributes": [\n        {\n          "column": "with space",\n          "defaultSQL": "3",\n          "isExternal": false,\n          "isOptional": false,\n          "isUnique": false,\n          "name": "with space",\n          "swiftType": "Int",\n          "type": "integer"\n        }\n      ],\n      "indexes": [],\n      "name": "`My Special`",\n      "relationships": [],\n      "superentity": "`My Model`",\n      "table": "`My Special`",\n      "uniqueConstraints": []\n    },\n    {\n      "attributes": [],\n      "indexes": [],\n      "name": "`Other One`",\n      "relationships": [\n        {\n          "deleteRule": "nullify",\n          "destination": "`My Model`",\n          "inverse": "others",\n          "isOptional": true,\n          "isToMany": false,\n          "isUnique": false,\n          "maximumCount": 0,\n          "minimumCount": 0,\n          "name": "owner",\n          "storage": {\n            "foreignKey": {\n              "column": "owner_id",\n              "position": "owner_position"\n            }\n          }\n        },\n        {\n          "deleteRule": "nullify",\n          "destination": "`Peer X`",\n          "inverse": "peers",\n          "isOptional": false,\n          "isToMany": true,\n          "isUnique": false,\n          "maximumCount": 0,\n          "minimumCount": 0,\n          "name": "peers",\n          "storage": {\n            "join": {\n              "links": {\n                "destination": "`Other One`_peers_id",\n                "inversePosition": "`Peer X`_peers_position",\n                "owner": "`Peer X`_peers_id",\n                "position": "`Other One`_peers_position",\n                "table": "`Peer X`_peers"\n              }\n            }\n          }\n        }\n      ],\n      "table": "`Other One`",\n      "uniqueConstraints": []\n    },\n    {\n      "attributes": [],\n      "indexes": [],\n      "name": "`Peer X`",\n      "relationships": [\n        {\n          "deleteRule": "nullify",\n          "destination": "`Other One`",\n          "inverse": "peers",\n          "isOptional": false,\n          "isToMany": true,\n          "isUnique": false,\n          "maximumCount": 0,\n          "minimumCount": 0,\n          "name": "peers",\n          "storage": {\n            "join": {\n              "links": {\n                "destination": "`Peer X`_peers_id",\n                "inversePosition": "`Other One`_peers_position",\n                "owner": "`Other One`_peers_id",\n                "position": "`Peer X`_peers_position",\n                "table": "`Peer X`_peers"\n              }\n            }\n          }\n        }\n      ],\n      "table": "`Peer X`",\n      "uniqueConstraints": []\n    }\n  ],\n  "version": {\n    "major": 1,\n    "minor": 0,\n    "patch": 0\n  }\n}','\n',char(10)));
INSERT INTO appdata_metadata VALUES('schema_fingerprint','65fb050e59ac7a7a');
INSERT INTO appdata_metadata VALUES('schema_version','1.0.0');
INSERT INTO appdata_metadata VALUES('store','0BC4EB1A-8CE0-43AC-A86D-4FAC1800AB24');
CREATE TABLE IF NOT EXISTS "`My Model`"(
  "_id" INTEGER PRIMARY KEY AUTOINCREMENT,
  "_class" TEXT NOT NULL DEFAULT '`My Model`',
  "name" TEXT NOT NULL DEFAULT ''
) STRICT;
INSERT INTO "`My Model`" VALUES(1,'`My Model`','a');
INSERT INTO "`My Model`" VALUES(2,'`My Special`','b');
CREATE TABLE IF NOT EXISTS "`My Special`"(
  "_id" INTEGER PRIMARY KEY REFERENCES "`My Model`"("_id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  "with space" INTEGER NOT NULL DEFAULT 3
) STRICT;
INSERT INTO "`My Special`" VALUES(2,3);
CREATE TABLE IF NOT EXISTS "`Other One`"(
  "_id" INTEGER PRIMARY KEY AUTOINCREMENT,
  "owner_id" INTEGER REFERENCES "`My Model`"("_id") DEFERRABLE INITIALLY DEFERRED,
  "owner_position" INTEGER
) STRICT;
INSERT INTO "`Other One`" VALUES(1,1,1);
CREATE TABLE IF NOT EXISTS "`Peer X`"(
  "_id" INTEGER PRIMARY KEY AUTOINCREMENT
) STRICT;
INSERT INTO "`Peer X`" VALUES(1);
CREATE TABLE IF NOT EXISTS "`My Model`_befriended"(
  "befriended_id" INTEGER NOT NULL REFERENCES "`My Model`"("_id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  "friends_id" INTEGER NOT NULL REFERENCES "`My Model`"("_id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  "befriended_position" INTEGER,
  "friends_position" INTEGER,
  PRIMARY KEY("befriended_id", "friends_id")
) STRICT, WITHOUT ROWID;
INSERT INTO "`My Model`_befriended" VALUES(1,2,1,1);
CREATE TABLE IF NOT EXISTS "`My Model`_loose ones"(
  "destination_id" INTEGER NOT NULL REFERENCES "`Other One`"("_id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  "owner_id" INTEGER NOT NULL REFERENCES "`My Model`"("_id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  "position" INTEGER,
  PRIMARY KEY("destination_id", "owner_id")
) STRICT, WITHOUT ROWID;
INSERT INTO "`My Model`_loose ones" VALUES(1,2,1);
CREATE TABLE IF NOT EXISTS "`Peer X`_peers"(
  "`Other One`_peers_id" INTEGER NOT NULL REFERENCES "`Peer X`"("_id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  "`Peer X`_peers_id" INTEGER NOT NULL REFERENCES "`Other One`"("_id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  "`Other One`_peers_position" INTEGER,
  "`Peer X`_peers_position" INTEGER,
  PRIMARY KEY("`Other One`_peers_id", "`Peer X`_peers_id")
) STRICT, WITHOUT ROWID;
INSERT INTO "`Peer X`_peers" VALUES(1,1,1,1);
CREATE TABLE appdata_transactions(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time REAL NOT NULL,
  author TEXT,
  bundle TEXT NOT NULL,
  process TEXT NOT NULL
) STRICT;
INSERT INTO appdata_transactions VALUES(1,817620617.48046815394,'me','main','main');
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
INSERT INTO appdata_changes VALUES(1,0,'`My Model`',1,1,'insert',NULL,NULL);
INSERT INTO appdata_changes VALUES(1,1,'`My Special`',2,1,'insert',NULL,NULL);
INSERT INTO appdata_changes VALUES(1,2,'`Other One`',1,1,'insert',NULL,NULL);
INSERT INTO appdata_changes VALUES(1,3,'`Peer X`',1,1,'insert',NULL,NULL);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('appdata_transactions',1);
INSERT INTO sqlite_sequence VALUES('`My Model`',32);
INSERT INTO sqlite_sequence VALUES('`Other One`',32);
INSERT INTO sqlite_sequence VALUES('`Peer X`',32);
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
CREATE UNIQUE INDEX "`My Model`_name_unique" ON "`My Model`"("name");
CREATE INDEX "`Other One`_owner_id_owner_position_index" ON "`Other One`"("owner_id", "owner_position");
CREATE INDEX "`My Model`_befriended_friends_id_index" ON "`My Model`_befriended"("friends_id");
CREATE INDEX "`My Model`_loose ones_owner_id_index" ON "`My Model`_loose ones"("owner_id");
CREATE INDEX "`Peer X`_peers_`Peer X`_peers_id_index" ON "`Peer X`_peers"("`Peer X`_peers_id");
COMMIT;
