/** The index: everything that recall can find, and what documents need besides their files. All of it can be rebuilt
 * from the documents, the graph, the text log and the knowledge base. `units_fts` holds rows of `units.tokens`,
 * `echoes_fts` those of units that are no source: however often something is asked, the terms of what was told stay rare
 * and its places in a search are not taken. */
export const INDEX_SCHEMA: readonly string[] = [
  `CREATE TABLE units (
    num INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL, title TEXT, text TEXT NOT NULL,
    tokens TEXT NOT NULL, length INTEGER NOT NULL, at INTEGER NOT NULL, until INTEGER, since INTEGER, thread TEXT, n REAL,
    source TEXT, subject TEXT, attribute TEXT, object TEXT, UNIQUE (kind, id));
  CREATE INDEX units_thread ON units (thread, n) WHERE thread IS NOT NULL;
  CREATE INDEX units_subject ON units (subject, attribute) WHERE subject IS NOT NULL;
  CREATE INDEX units_object ON units (object) WHERE object IS NOT NULL;
  CREATE VIRTUAL TABLE units_fts USING fts5(tokens, content='', detail=none, columnsize=0,
    tokenize="ascii tokenchars '.:/-_@+'''");
  INSERT INTO units_fts (units_fts, rank) VALUES ('secure-delete', 1);
  CREATE TABLE documents (
    id TEXT PRIMARY KEY, at INTEGER NOT NULL, accesses INTEGER NOT NULL DEFAULT 0, accessed INTEGER NOT NULL,
    derived INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL, hash TEXT NOT NULL, source TEXT) WITHOUT ROWID;
  CREATE INDEX documents_cold ON documents (accessed, accesses) WHERE derived = 0;
  CREATE TABLE vectors (num INTEGER PRIMARY KEY, space TEXT NOT NULL, cells BLOB NOT NULL);
  CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;`,
  `ALTER TABLE units ADD COLUMN echo TEXT`,
  `CREATE VIRTUAL TABLE echoes_fts USING fts5(tokens, content='', detail=none, columnsize=0,
    tokenize="ascii tokenchars '.:/-_@+'''");
  INSERT INTO echoes_fts (echoes_fts, rank) VALUES ('secure-delete', 1)`,
];
