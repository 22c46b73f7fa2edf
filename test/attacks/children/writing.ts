// Writes to the memory that it is given and moves its log into the file, without end.
import { DatabaseSync } from 'node:sqlite'

const memory = new DatabaseSync(process.argv[2] as string)
memory.exec('PRAGMA busy_timeout = 10000; CREATE TEMP TABLE going (x)')
process.send?.('begun')
for (let i = 0; ; i += 1) {
  memory.exec(`BEGIN IMMEDIATE; INSERT OR REPLACE INTO meta (key, value)
    WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT ${100 + (i % 7) * 50})
    SELECT 'written ' || x, hex(randomblob(400)) FROM n; COMMIT`)
  if (i % 3 === 0) memory.exec(`DELETE FROM meta WHERE key LIKE 'written %'`)
  if (i % 2 === 0) memory.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}
