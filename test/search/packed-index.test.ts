import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFileIndexCache } from '../../src/adapters/system/index-cache.ts'
import { loadScanKernel } from '../../src/adapters/system/scan-kernel.ts'
import type { Block, ContentVectors } from '../../src/block/block.ts'
import { passagesOf } from '../../src/block/text.ts'
import {
  type IndexCache,
  normalise,
  type PackedHeader,
  type PackedIndex,
  type PackedSection,
  packUnit,
} from '../../src/index/columns.ts'
import { INDEX_MARK, ResidentIndex } from '../../src/index/resident-index.ts'
import { createAnalysis, createLanguage, LANGUAGE } from '../../src/language/question.ts'
import type { IndexedBlock } from '../../src/store/database.ts'
import type { ReadTransaction } from '../../src/store/transaction.ts'
import { aBlock } from '../store/harness.ts'

const MARK = 'mark'
const indexEntry = createAnalysis(LANGUAGE).entry

/** Returns copied sections, as a reader of a file gets them. */
function packedOf(sections: readonly PackedSection[], header: PackedHeader = {}): PackedIndex {
  const kept = new Map(sections.map(({ name, bytes }) => [name, bytes.slice()]))
  return {
    header,
    sizeOf: (name) => kept.get(name)?.byteLength ?? 0,
    read: (name, into) => {
      const bytes = kept.get(name)
      if (bytes?.byteLength !== into.byteLength) throw new Error(`section ${name} is not what is asked for`)
      into.set(bytes)
    },
    close: () => undefined,
  }
}

/** Makes a cache in memory. */
function memoryIndexCache(): IndexCache {
  let kept: PackedIndex | undefined
  return {
    open: () => kept,
    drop: () => {
      kept = undefined
    },
    keep: (header, sections) => {
      kept = packedOf(sections, JSON.parse(JSON.stringify(header)) as PackedHeader)
      return true
    },
  }
}

function anIndex(cache?: IndexCache, analysis = createAnalysis(LANGUAGE)): ResidentIndex {
  const kept = cache && { cache, mark: INDEX_MARK }
  return new ResidentIndex(loadScanKernel(), analysis, kept)
}

/** A store at one state: all its rows, what changed since sequence 7, and what it says of the packed copy. */
function storeAt(
  sequence: number,
  {
    rows = [],
    changed = [],
    ...said
  }: {
    readonly rows?: readonly IndexedBlock[]
    readonly changed?: readonly IndexedBlock[]
    readonly mark?: string | undefined
  } = {},
): ReadTransaction {
  const mark = 'mark' in said ? said.mark : MARK
  return {
    rows: {
      get: async (_: unknown, [key]: readonly string[][]) =>
        key?.[0] === INDEX_MARK && mark !== undefined ? [{ value: mark }] : [],
    },
    queries: {
      changes: async (since: number) => ({
        clock: { hours: 1 },
        sequence,
        blocks: since === 7 ? changed : [],
      }),
      livingBlocks: async (visit: (batch: readonly IndexedBlock[]) => void) => visit(rows),
    },
  } as unknown as ReadTransaction
}

/** A block as it came, or that it went. */
interface Edit {
  readonly id: number
  readonly words: readonly string[]
  readonly tags: readonly string[]
  readonly source: string | undefined
  readonly session: string
  readonly gone: boolean
  readonly axis: number | undefined
  /** The words are said so often; a long text has several passages. */
  readonly times: number
}

const anEdit: fc.Arbitrary<Edit> = fc.record({
  id: fc.nat({ max: 9 }),
  words: fc.array(fc.constantFrom('redis', 'cache', 'port', 'tuesday', 'café'), {
    minLength: 1,
    maxLength: 4,
  }),
  tags: fc.subarray(['ops', 'self/goal']),
  source: fc.option(fc.constantFrom('anna', 'ben'), { nil: undefined }),
  session: fc.constantFrom('one', 'two'),
  gone: fc.boolean(),
  axis: fc.option(fc.nat({ max: 9 }), { nil: undefined }),
  times: fc.constantFrom(1, 1, 70, 130),
})

const vectorAlong = (axis: number) =>
  normalise(Float32Array.from({ length: 16 }, (_, i) => (i === axis ? 1 : 0.1)))

/** The vectors of a text along an axis, each passage along another one. */
function vectorsOf(content: string, axis: number): ContentVectors {
  const passages = passagesOf(content).map((_, i) => packUnit(vectorAlong((axis + i) % 16)))
  const vector = vectorAlong(axis)
  return passages.length === 1
    ? { vector }
    : { vector, passages: Uint8Array.from(passages.flatMap((each) => [...each])) }
}

function changeOf(
  { id, words, tags, source, session, gone, axis, times }: Edit,
  position: number,
): IndexedBlock {
  const content = Array.from({ length: times }, () => words.join(' ')).join('. ')
  const block: Block = {
    ...aBlock(`block-${id}`, { content, tags, session, ...(source ? { source } : {}) }),
    position,
    category: id % 2 === 0 ? 'knowledge' : 'decision',
    sourceClass: id % 3 === 0 ? 'tool' : 'agent',
    status: gone ? 'archived' : 'active',
    createdAt: new Date(id * 1000).toISOString(),
    successes: id / 10,
    reinforcementCount: id,
    lastReinforcedAt: id,
    lastUsefulAt: 0.25,
  }
  if (gone) return { block }
  return { block, index: indexEntry(block, axis === undefined ? undefined : vectorsOf(content, axis)) }
}

/** All an index says. */
function answersOf(index: ResidentIndex) {
  const question = index.read('When did Anna say redis cache port?')
  return {
    size: index.size,
    ranked: index.rank(question, vectorAlong(3), 20),
    byWords: index.rank(question, undefined, 20, { category: 'decision' }),
    tagged: index.tagged(['self/*']),
    near: index.nearest([{ vector: vectorAlong(3) }], { count: 5, floor: 0 }),
  }
}

/** A filled index that came from a store at sequence 7, and the cache that holds its packed copy. */
async function packedAt7(edits: readonly Edit[], cache = memoryIndexCache()) {
  const index = anIndex(cache)
  await index.refresh(storeAt(7, { mark: undefined }))
  index.apply(edits.map(changeOf))
  const { header, sections } = index.pack(MARK)
  cache.keep(header, sections)
  return { index, cache }
}

test('an index read from its packed copy answers as the one that was packed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anEdit, { maxLength: 25 }),
      fc.array(anEdit, { maxLength: 10 }),
      async (before, after) => {
        const { index, cache } = await packedAt7(before)
        const other = anIndex(cache)
        await other.refresh(storeAt(7))
        expect(answersOf(other)).toEqual(answersOf(index))
        const more = after.map((each, i) => changeOf(each, before.length + i))
        index.apply(more)
        other.apply(more)
        expect(answersOf(other)).toEqual(answersOf(index))
      },
    ),
  )
})

const SOME: readonly Edit[] = ['redis', 'cache', 'port'].map((word, id) => ({
  id,
  words: [word],
  tags: [],
  source: undefined,
  session: 'one',
  gone: false,
  axis: id,
  times: 1,
}))

test('the rows are read instead when the store does not call the packed copy its own', async () => {
  const { cache } = await packedAt7(SOME)
  const rows = SOME.slice(1).map(changeOf)
  for (const mark of [undefined, 'of another state']) {
    const other = anIndex(cache)
    await other.refresh(storeAt(7, { mark, rows }))
    expect(other.size).toBe(2)
  }
  const otherwise = anIndex(cache, createAnalysis(createLanguage('german')))
  await otherwise.refresh(storeAt(7, { rows }))
  expect(otherwise.size).toBe(2)
})

describe('the file', () => {
  let folder = ''
  const path = () => join(folder, 'memory.db-index')
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'elfmem-index-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const reread = async () => {
    const index = anIndex(createFileIndexCache(path()))
    await index.refresh(storeAt(7, { rows: [changeOf(SOME[0] as Edit, 0)] }))
    return index
  }

  test('gives back what was kept, and has mode 0600', async () => {
    const { index } = await packedAt7(SOME, createFileIndexCache(path()))
    expect(answersOf(await reread())).toEqual(answersOf(index))
    expect(statSync(path()).mode & 0o777).toBe(0o600)
  })

  test('is not used when any of it is torn off or changed', async () => {
    const { index } = await packedAt7(SOME, createFileIndexCache(path()))
    const whole = readFileSync(path())
    rmSync(path())
    const answers = { 1: answersOf(await reread()), 3: answersOf(index) }
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 150)) {
      const damaged = Buffer.from(whole)
      damaged[at] = (damaged[at] as number) ^ 0xff
      writeFileSync(path(), damaged)
      const flipped = await reread()
      writeFileSync(path(), whole)
      truncateSync(path(), at)
      const torn = await reread()
      // Bytes between sections mean nothing.
      expect(answersOf(flipped)).toEqual(answers[flipped.size as 1 | 3])
      expect(answersOf(torn)).toEqual(answers[1])
    }
  })
})
