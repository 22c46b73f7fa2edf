import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/engine/memory.ts'
import { Connection } from '../../src/sqlite/connection/connection.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'

/** The user that owns nothing. */
const NOBODY = 65_534

const open = (path: string) => openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })

/** Makes a memory of so many blocks and closes it. */
async function filled(count: number): Promise<string> {
  const path = join(temporaryFolder(), 'memory.db')
  const memory = await open(path)
  const blocks = Array.from({ length: count }, (_, i) => ({ content: `Crate ${i} holds ${i} ropes` }))
  await memory.rememberMany({ blocks })
  await memory.close()
  return path
}

/** Resolves to the code with which a memory is refused, at its opening or at its first use. */
async function codeOf(path: string): Promise<string> {
  const use = async () => {
    const memory = await open(path)
    try {
      await memory.recall({ query: 'rope' })
      await memory.ls({ limit: 500 })
    } finally {
      await memory.close()
    }
  }
  return (await refusal(use())).code
}

/** Does the work as a user to whom permissions mean something, where we are root. */
async function asNobody<T>(folder: string, work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work()
  await chmod(folder, 0o755)
  process.seteuid?.(NOBODY)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
    await chmod(folder, 0o700)
  }
}

test('a new memory, its log and its folders are for their owner only, and a closed one is one file', async () => {
  const folder = join(temporaryFolder(), 'deep', 'er')
  const path = join(folder, 'memory.db')
  const memory = await open(path)
  await memory.remember({ content: 'Tea is at four' })
  const modeOf = async (each: string) => (await stat(each)).mode & 0o777
  expect([await modeOf(path), await modeOf(`${path}-wal`)]).toEqual([0o600, 0o600])
  expect([await modeOf(folder), await modeOf(join(folder, '..'))]).toEqual([0o700, 0o700])
  await memory.close()
  expect(await readdir(folder)).toEqual(['memory.db'])
})

test.skipIf(!('enableDefensive' in DatabaseSync.prototype))(
  'a connection writes no schema, trusts none, and checks the size of cells',
  async () => {
    using connection = new Connection(await filled(1))
    connection.script('PRAGMA writable_schema = ON')
    expect(() => connection.run("UPDATE sqlite_schema SET sql = 'CREATE TABLE evil (id)'")).toThrow()
    expect(connection.control('PRAGMA trusted_schema')).toEqual({ trusted_schema: 0 })
    expect(connection.control('PRAGMA cell_size_check')).toEqual({ cell_size_check: 1 })
  },
)

test('a new memory in a folder that cannot be written is refused as read-only', async () => {
  const folder = temporaryFolder()
  const closed = join(folder, 'closed')
  await mkdir(closed, { mode: 0o555 })
  expect(await asNobody(folder, () => codeOf(join(closed, 'memory.db')))).toBe('STORE_READ_ONLY')
})
