/** The graph. A relation row is one run of a value: `times` are the moments at which it was stated, so that an older
 * statement that arrives later can cut the run. `change` numbers every write, for the index to catch up. */
export const GRAPH_SCHEMA: readonly string[] = [
  `CREATE TABLE entities (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, key TEXT NOT NULL UNIQUE, type TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '', created INTEGER NOT NULL, updated INTEGER NOT NULL);
  CREATE INDEX entities_type ON entities (type);
  CREATE TABLE aliases (
    key TEXT NOT NULL, entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE, name TEXT NOT NULL,
    PRIMARY KEY (key, entity)) WITHOUT ROWID;
  CREATE INDEX aliases_entity ON aliases (entity);
  CREATE TABLE sentences (
    id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, source TEXT NOT NULL DEFAULT '',
    at INTEGER NOT NULL, media TEXT);
  CREATE TABLE relations (
    id TEXT PRIMARY KEY, subject INTEGER NOT NULL REFERENCES entities (id), predicate TEXT NOT NULL, attribute TEXT NOT NULL,
    object INTEGER NOT NULL REFERENCES entities (id), confidence REAL NOT NULL, learned INTEGER NOT NULL,
    valid_from INTEGER NOT NULL, valid_to INTEGER, said_to INTEGER, times TEXT NOT NULL, sentence INTEGER REFERENCES sentences (id),
    source TEXT NOT NULL DEFAULT '', extra TEXT, change INTEGER NOT NULL);
  CREATE INDEX relations_subject ON relations (subject, attribute);
  CREATE INDEX relations_object ON relations (object);
  CREATE INDEX relations_change ON relations (change);
  CREATE INDEX relations_sentence ON relations (sentence);
  CREATE TABLE seen (id TEXT PRIMARY KEY, relation TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX seen_relation ON seen (relation);
  CREATE TABLE attributes (attribute TEXT PRIMARY KEY, many INTEGER NOT NULL, told INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE gone (id TEXT PRIMARY KEY, change INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
  INSERT INTO meta VALUES ('change', 0);`,
];
