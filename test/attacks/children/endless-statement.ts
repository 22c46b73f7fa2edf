// Preloaded into a command: the first statement that begins as TEST_ENDLESS says never ends. The file that
// TEST_MARK names is made just before.
import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const { TEST_ENDLESS: beginning = '', TEST_MARK: mark = '' } = process.env
const prepare = DatabaseSync.prototype.prepare
DatabaseSync.prototype.prepare = function (sql, ...options) {
  if (!sql.startsWith(beginning)) return prepare.call(this, sql, ...options)
  writeFileSync(mark, '')
  return prepare.call(
    this,
    'WITH RECURSIVE e(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM e) SELECT count(*) AS blocks FROM e',
  )
}
