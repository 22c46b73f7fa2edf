import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { localIndexes } from '../../src/adapters/system/index-cache.ts'
import { openMemory } from '../../src/engine/memory.ts'
import { openSqliteDatabase } from '../../src/sqlite/store.ts'
import { createStore } from '../../src/store/store.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { tracesIn } from '../helpers/traces.ts'

const HEADER = { mark: 'a mark' }
const bytes = new Uint8Array([1, 2, 3])
const SECTIONS = [{ name: 'words', bytes }]

/** Opens the places of packed indexes under a new folder, and finds the files below it. */
function underFolder() {
  const folder = temporaryFolder()
  const indexesOf = (memoryId: string) => localIndexes(memoryId, { env: { XDG_CACHE_HOME: folder } })
  const files = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return { folder, indexesOf, files }
}

test('a local index gives back what was kept, to the same memory and scope alone', async () => {
  const { indexesOf, files } = underFolder()
  const indexes = indexesOf('one')
  expect(await indexes().keep(HEADER, SECTIONS)).toBe(true)
  expect(await indexes('attic').open()).toBeUndefined()
  expect(await indexesOf('two')().open()).toBeUndefined()
  const packed = await indexesOf('one')().open()
  const read = new Uint8Array(3)
  packed?.read('words', read)
  packed?.close()
  expect([packed?.header, read]).toEqual([HEADER, bytes])
  // The file of another memory in the place of this one is not used.
  await indexesOf('two')().keep(HEADER, SECTIONS)
  const [one = '', two = ''] = files().filter((path) => path.endsWith('index'))
  writeFileSync(one, readFileSync(two))
  writeFileSync(two, readFileSync(one))
  const found = [await indexesOf('one')().open(), await indexesOf('two')().open()]
  for (const each of found) each?.close()
  expect(found.filter(Boolean)).toHaveLength(1)
  await indexes('attic').keep(HEADER, SECTIONS)
  await indexes().drop()
  expect((await indexes('attic').open())?.header).toEqual(HEADER)
  await indexes().drop(true)
  expect(await indexes('attic').open()).toBeUndefined()
})

test.skipIf(process.platform === 'win32')('a local index is readable by its owner alone', async () => {
  const { indexesOf, files } = underFolder()
  await indexesOf('one')().keep(HEADER, SECTIONS)
  expect(files().map((path) => statSync(path).mode & 0o077)).toEqual(files().map(() => 0))
  const folder = files().find((path) => /\w{32}$/.test(path)) ?? ''
  chmodSync(folder, 0o777)
  expect(await indexesOf('one')().open()).toBeUndefined()
  expect(await indexesOf('one')().keep(HEADER, SECTIONS)).toBe(false)
})

test('a store that is brought opens from its packed index, and erase removes it', async () => {
  const { folder, indexesOf, files } = underFolder()
  const store = createStore(await openSqliteDatabase(join(temporaryFolder(), 'memory.db')))
  onTestFinished(() => store.close())
  const opened: string[] = []
  const indexes = (scope?: string) => {
    const cache = indexesOf('one')(scope)
    const open = async () => {
      const packed = await cache.open()
      opened.push(packed === undefined ? 'none' : 'packed')
      return packed
    }
    return { ...cache, open }
  }
  const open = () => openMemory(undefined, { as: 'owner', store, indexes, embedder: createHashingEmbedder() })
  const first = await open()
  await first.rememberMany({
    blocks: Array.from({ length: 1_100 }, (_, i) => ({ content: `Crate ${i} holds rope` })),
  })
  const { blockId } = await first.remember({ content: 'Evangeline stowed away in the bilge' })
  await first.dream()
  await first.close()
  expect(tracesIn(folder, ['evangelin']).length).toBeGreaterThan(0)
  const second = await open()
  onTestFinished(() => second.close())
  expect((await second.recall({ query: 'who stowed away?', topK: 1 })).blockIds).toEqual([blockId])
  expect(opened.at(-1)).toBe('packed')
  await second.erase({ blockIds: [blockId], yes: true })
  expect(files().filter((path) => path.includes('index'))).toEqual([])
  expect(tracesIn(folder, ['evangelin'])).toEqual([])
})
