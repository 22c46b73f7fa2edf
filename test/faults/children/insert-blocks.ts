import { openSqliteStore } from '../../../src/sqlite/store.ts'
import { aBlock } from '../../store/harness.ts'

const [path, name, count] = process.argv.slice(2) as [string, string, string]

/** Begins when its parent says so, so that both children open and write at once. */
await new Promise((resolve) => process.stdin.once('data', resolve))
const store = await openSqliteStore(path)
for (let index = 0; index < Number(count); index += 1) {
  await store.write((tx) => tx.insertBlock(aBlock(`${name}-${index}`, { status: 'inbox' })))
}
await store.close()
process.exit(0)
