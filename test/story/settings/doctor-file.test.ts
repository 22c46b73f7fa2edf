import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../../src/engine/memory.ts'
import { openTestMemory, temporaryFolder } from '../../helpers/memory.ts'

async function outcomes(memory: Memory, asked: Parameters<Memory['doctor']>[0] = {}) {
  const { checks } = await memory.doctor(asked)
  return Object.fromEntries(checks.map(({ name, outcome }) => [name, outcome]))
}

/** A memory of two blocks with an edge. */
async function pair() {
  const opened = await openTestMemory()
  const [apple = '', pear = ''] = await opened.learn('one apple', 'one pear')
  await opened.memory.connect({ source: apple, target: pear })
  /** Changes the file as no operation does. */
  const tamper = (sql: string) => {
    const raw = new DatabaseSync(opened.path)
    raw.exec(`PRAGMA foreign_keys = OFF; ${sql}`)
    raw.close()
  }
  return { ...opened, apple, pear, tamper }
}

test('doctor fails a file that another program gave a trigger, a view or a table', async () => {
  const { memory, tamper } = await pair()
  tamper('CREATE TRIGGER planted AFTER INSERT ON blocks BEGIN SELECT 1; END; CREATE VIEW seen AS SELECT 1')
  expect(await outcomes(memory)).toMatchObject({ file: 'fail' })
  tamper('DROP TRIGGER planted; DROP VIEW seen; CREATE TABLE theirs (x)')
  expect(await outcomes(memory)).toMatchObject({ file: 'fail' })
  tamper('DROP TABLE theirs')
  expect(await outcomes(memory)).toMatchObject({ file: 'ok' })
})

test('doctor with fix removes rows whose block is gone', async () => {
  const { memory, tamper, apple, pear } = await pair()
  tamper(`DELETE FROM blocks WHERE id = '${pear}'`)
  expect(await outcomes(memory)).toMatchObject({ file: 'ok', orphans: 'fail' })
  expect(await outcomes(memory, { fix: true })).toMatchObject({ orphans: 'ok', fix: 'ok' })
  expect((await memory.history({ operation: 'doctor' })).operations).toHaveLength(1)
  expect((await memory.recall({ query: 'apple', topK: 1 })).blockIds).toEqual([apple])
})

test('doctor without a file checks the rows and says that no file was checked', async () => {
  const memory = await openMemory(':memory:', { as: 'owner', embedder: createHashingEmbedder() })
  await memory.remember({ content: 'one apple', tags: ['fruit'] })
  const found = await outcomes(memory, { fix: true })
  expect(found).toMatchObject({ store: 'ok', file: 'skipped', orphans: 'ok', values: 'ok', fix: 'ok' })
  expect(found).not.toHaveProperty('access')
  await memory.close()
})

test.skipIf(process.platform === 'win32')('doctor with fix closes files that others may read', async () => {
  const { memory, path } = await pair()
  await memory.backup()
  chmodSync(path, 0o644)
  chmodSync(`${path}.backups`, 0o755)
  expect(await outcomes(memory)).toMatchObject({ access: 'warn' })
  expect(await outcomes(memory, { fix: true })).toMatchObject({ access: 'ok' })
  expect([path, `${path}.backups`].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o700])
})

test.skipIf(process.platform === 'win32')(
  'doctor warns of a folder in which others may replace the file',
  async () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o777)
    const embedder = createHashingEmbedder()
    const memory = await openMemory(join(folder, 'memory.db'), { as: 'owner', embedder })
    expect(await outcomes(memory, { fix: true })).toMatchObject({ access: 'warn' })
    expect(statSync(folder).mode & 0o777).toBe(0o777)
    await memory.close()
  },
)
