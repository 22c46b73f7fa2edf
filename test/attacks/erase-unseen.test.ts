import { copyFileSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import { Connection } from '../../src/sqlite/connection/driver.ts'
import { createErasing } from '../../src/sqlite/erase/erase-file.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { remade } from './remade.ts'

const SECRET = 'Evangeline stowed away in the bilge with a parrot called Mortimer'

/** A memory with the secret, and a backup. */
async function memoryWithSecret() {
  const folder = temporaryFolder()
  const path = join(folder, 'memory.db')
  const memory = await openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })
  onTestFinished(() => memory.close())
  const { blockId } = await memory.remember({ content: SECRET })
  await memory.remember({ content: 'The red ferry comes at nine on weekdays' })
  await memory.dream()
  const backup = (await memory.backup()).path
  return { folder, path, memory, blockId, backup }
}

async function exported(memory: Memory): Promise<string> {
  const { path } = await memory.export({ name: 'good.jsonl' })
  return path as string
}

const heldBy = ({ held }: { readonly held: readonly { readonly path: string }[] }) =>
  held.map(({ path }) => path).sort()

test.each(['UTF-16le', 'UTF-16be'])(
  'an erasing is not finished while a backup in %s is there, in which nothing is found',
  async (encoding) => {
    const { memory, blockId, backup } = await memoryWithSecret()
    remade(backup, `PRAGMA encoding = '${encoding}'`)
    const done = await memory.erase({ blockIds: [blockId], yes: true })
    expect(done).toMatchObject({ finished: false, rewritten: [] })
    expect(heldBy(done)).toEqual([backup])
    expect(done.held[0]?.reason).toContain(encoding.toUpperCase())
    expect(heldBy(await memory.erase({}))).toEqual([backup])
    expect(existsSync(backup)).toBe(true)
    expect(await memory.erase({ copies: 'delete' })).toMatchObject({ finished: true, deleted: [backup] })
  },
)

test.each(['beside the memory', 'among the backups', 'where a backup was made by path'])(
  'a copy in UTF-16 %s is named, never passed over as clean',
  async (place) => {
    const { folder, memory, blockId, backup } = await memoryWithSecret()
    const copy =
      place === 'beside the memory'
        ? join(folder, 'copy.sqlite')
        : place === 'among the backups'
          ? join(dirname(backup), 'copy.sqlite')
          : (await memory.backup({ path: join(temporaryFolder(), 'mine.db') })).path
    if (!existsSync(copy)) copyFileSync(backup, copy)
    remade(copy, `PRAGMA encoding = 'UTF-16le'`)
    const before = readFileSync(copy)
    const done = await memory.erase({ blockIds: [blockId], yes: true })
    expect(done).toMatchObject({ finished: true, elsewhere: [copy] })
    expect(readFileSync(copy).equals(before)).toBe(true)
  },
)

const UTF_16 = (text: string) => Buffer.from(text, 'utf16le')
const ENCODINGS: readonly (readonly [name: string, encoded: (text: string) => Buffer])[] = [
  ['UTF-16 with its mark, as PowerShell writes it', (text) => UTF_16(`\ufeff${text}`)],
  ['UTF-16 the other way round', (text) => UTF_16(`\ufeff${text}`).swap16()],
  ['UTF-16 without a mark', UTF_16],
  ['UTF-32', (text) => Buffer.from([...`\ufeff${text}`].flatMap((sign) => [0, 0, ...UTF_16(sign).swap16()]))],
  ['Latin-1', (text) => Buffer.from(text.replace('ferry', 'fähre'), 'latin1')],
]

test.each(ENCODINGS)(
  'an erasing is not finished while an export in %s is there, which is never written anew',
  async (_, encoded) => {
    const { memory, blockId } = await memoryWithSecret()
    const good = await exported(memory)
    const other = join(dirname(good), 'other.jsonl')
    const bytes = encoded(readFileSync(good, 'utf8'))
    writeFileSync(other, bytes)
    const done = await memory.erase({ blockIds: [blockId], yes: true })
    expect(done).toMatchObject({ finished: false, rewritten: expect.arrayContaining([good]) })
    expect(heldBy(done)).toEqual([other])
    expect(done.held[0]?.reason).toContain('UTF-')
    expect(readFileSync(other).equals(bytes)).toBe(true)
    expect(heldBy(await memory.erase({}))).toEqual([other])
    expect(await memory.erase({ copies: 'delete' })).toMatchObject({ finished: true, deleted: [other] })
  },
)

test.each(ENCODINGS)(
  'an export in %s beside the memory is named, and one in UTF-8 without the words is not',
  async (_, encoded) => {
    const { folder, memory, blockId } = await memoryWithSecret()
    const good = await exported(memory)
    const text = readFileSync(good, 'utf8')
      .split('\n')
      .filter((line) => !line.includes('Mortimer'))
    const other = join(folder, 'other.jsonl')
    writeFileSync(other, encoded(text.join('\n')))
    writeFileSync(
      join(folder, 'clean.jsonl'),
      '\ufeff{"content": "Die Fähre kommt um neun 🚢"}\n'.repeat(40_000),
    )
    const done = await memory.erase({ blockIds: [blockId], yes: true })
    expect(done).toMatchObject({ finished: true, elsewhere: [other] })
  },
)

test('a damaged backup in which nothing is found keeps an erasing from ending; a damaged copy beside is named', async () => {
  const { folder, memory, blockId, backup } = await memoryWithSecret()
  const other = (await memory.backup()).path
  truncateSync(backup, 512)
  writeFileSync(other, Buffer.alloc(40_000))
  copyFileSync(backup, join(folder, 'copy.sqlite'))
  const done = await memory.erase({ blockIds: [blockId], yes: true })
  expect(done).toMatchObject({ finished: false, elsewhere: [join(folder, 'copy.sqlite')] })
  expect(heldBy(done)).toEqual([backup, other].sort())
  expect(done.held.every(({ reason }) => reason.includes('damaged'))).toBe(true)
  expect(await memory.erase({ copies: 'delete' })).toMatchObject({ finished: true })
  expect(readdirSync(dirname(backup))).toEqual([])
})

test('blocks that are in a file without being found there before are not certified as gone', async () => {
  const { path, memory } = await memoryWithSecret()
  await memory.close()
  remade(path, `PRAGMA encoding = 'UTF-16le'`)
  const alone = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    const connection = new Connection(path)
    try {
      return await work(connection)
    } finally {
      connection.close()
    }
  }
  const erasing = createErasing(
    {
      location: path,
      busyRetry: { milliseconds: 0, now: () => 0 },
      mustBeThere: () => undefined,
      alone,
      connect: () => new Connection(path),
      write: () => Promise.reject(new Error('not needed')),
    },
    [],
  )
  const { blocks } = await erasing.choose({ words: ['parrot'] })
  expect(blocks).toHaveLength(1)
  for (const report of [await erasing.erase({ blocks, copies: 'delete' }), await erasing.finish('delete')])
    expect(report?.held).toMatchObject([{ path, reason: expect.stringContaining('were not found there') }])
})
