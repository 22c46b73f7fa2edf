import '../helpers/properties.ts'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import {
  type Block,
  isIdentityTag,
  isOwn,
  mayCover,
  SOURCE_CLASSES,
  type SourceClass,
} from '../../src/block/block.ts'
import { ElfmemError } from '../../src/errors.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import { quickFolder } from '../faults/prepared.ts'
import { createTestClock } from '../helpers/clock.ts'

/** The arguments of a turn, of which each call takes what it needs. */
interface Said {
  readonly nth: number
  readonly content: string
  readonly tags: string[]
  readonly cue: string | undefined
  readonly source: string | undefined
  readonly sourceClass: SourceClass
  readonly keep: 'both' | 'a' | 'b'
}

/** The calls that a turn can make; `blockId` is that of the block at its place. */
const doings = {
  remember: (memory, { content, tags, cue, source }) => memory.remember({ content, tags, cue, source }),
  claim: (memory, { content, tags, sourceClass }) => memory.remember({ content, tags, sourceClass }),
  supersede: (memory, { content, tags, cue, source }, supersedes) =>
    memory.remember({ content, tags, cue, source, supersedes }),
  foretell: (memory, { content, source }, supersedes) =>
    memory.remember({ content, source, supersedes, at: '9999-01-01' }),
  contradict: async (memory, { nth }) => {
    await memory.dream()
    const { blocks } = await memory.ls({ limit: 10 })
    const [source, target] = [blocks[nth % blocks.length]?.id, blocks[(nth + 1) % blocks.length]?.id]
    const ends = { source: source ?? 'none', target: target ?? 'none' }
    await memory.connect({ ...ends, relation: 'contradicts', ifExists: 'update' })
  },
  report: (memory, { nth }, blockId) =>
    memory.outcome(nth % 2 === 0 ? { helped: [blockId] } : { misled: [blockId] }),
  reword: (memory, { content }, blockId) => memory.edit({ blockId, content }),
  tag: (memory, { tags }, blockId) => memory.edit({ blockId, tags }),
  dream: (memory, { tags, content }, blockId) =>
    memory.dream({ hostAnalyses: { [blockId]: { alignmentScore: 0.9, tags, summary: content } } }),
  learn: (memory, { content, source }) => memory.learnDocument({ text: content, source }),
  resolve: async (memory, { keep }, a) => {
    const [pair] = (await memory.show({ blockId: a })).openPairs
    if (pair !== undefined) await memory.resolve({ a, b: pair.other, keep })
  },
  undo: async (memory, { nth }) => {
    const { operations } = await memory.history({ lastN: 10 })
    await memory.undo({ operationId: operations[nth]?.id ?? 1 })
  },
  forget: (memory, _, blockId) => memory.forget({ blockId }),
  restore: (memory, _, blockId) => memory.restore({ blockId }),
  // The owner alone does the last two, which say who the agent is and who counts as speaking.
  class: (memory, { sourceClass }, blockId) => memory.edit({ blockId, sourceClass }),
  setup: (memory) => memory.setup({ identity: 'I keep the harbour', principles: ['I ask.'] }),
} satisfies Record<string, (memory: Memory, said: Said, blockId: string) => Promise<unknown>>

type Doing = keyof typeof doings
const OWNERS: ReadonlySet<string> = new Set<Doing>(['class', 'setup'])

/** Alike enough to be equal texts, near-duplicates and contradictions of each other. */
const CONTENTS = [
  'The harbour opens at six',
  'The harbour opens at six.',
  'the harbour opens at seven',
  'The harbour does not open at six',
]

const turn = fc.record({
  does: fc.constantFrom(...(Object.keys(doings) as Doing[])),
  isOwner: fc.boolean(),
  nth: fc.nat({ max: 7 }),
  content: fc.constantFrom(...CONTENTS),
  tags: fc.uniqueArray(fc.constantFrom('self/goal', 'self/value', 'harbour'), { maxLength: 2 }),
  cue: fc.constantFrom(undefined, 'when a ship comes'),
  source: fc.constantFrom(undefined, undefined, 'web page', 'user', 'tool: make'),
  sourceClass: fc.constantFrom(...SOURCE_CLASSES),
  keep: fc.constantFrom('both' as const, 'a' as const, 'b' as const),
})

type Seen = Pick<Block, 'content' | 'tags' | 'category' | 'sourceClass' | 'status'> & {
  readonly cue?: string | undefined
}
type Blocks = ReadonlyMap<string, Seen>

async function blocksOf(memory: Memory): Promise<Blocks> {
  const pages = await Promise.all(
    (['inbox', 'active', 'archived'] as const).map((status) => memory.ls({ status, limit: 200 })),
  )
  return new Map(pages.flatMap(({ blocks }) => blocks).map((block) => [block.id, block]))
}

/** Ids of blocks with tags that turns of the agent gave them. */
type Filed = Set<string>

/** Lists what a turn of the agent did that it may not, and adds the tags it gave to those it gave before. */
function wrongsOf(before: Blocks, after: Blocks, filed: Filed): unknown[] {
  const wrongs = [...raised(before, after), ...beaten(before, after, filed)]
  for (const [id, { tags }] of after)
    for (const tag of tags) if (!before.get(id)?.tags.includes(tag)) filed.add(`${id} ${tag}`)
  return wrongs
}

/** Blocks whose words are what they were and count as those of somebody who is trusted more. */
function raised(before: Blocks, after: Blocks): unknown[] {
  return [...after].filter(([id, { content, sourceClass }]) => {
    const was = before.get(id)
    return was?.content === content && !mayCover(was.sourceClass, sourceClass)
  })
}

/**
 * Words of the owner that an agent's turn changed, put away, removed, or gave an identity. A dream may file them under tags
 * that their words deserve, and who dreamt may take that back.
 *
 * @param filed tags that turns of the agent gave
 */
function beaten(before: Blocks, after: Blocks, filed: Filed): unknown[] {
  const wordsOf = (block: Seen | undefined) =>
    String(block && [block.content, block.cue, block.category, block.sourceClass])
  return [...before].filter(([id, was]) => {
    const is = after.get(id)
    const isAway = was.status !== 'archived' && is?.status === 'archived'
    const hasLost = was.tags.some((tag) => !is?.tags.includes(tag) && !filed.has(`${id} ${tag}`))
    const hasIdentity = is?.tags.some((tag) => isIdentityTag(tag) && !was.tags.includes(tag))
    return was.sourceClass === 'user' && (isAway || hasLost || hasIdentity || wordsOf(was) !== wordsOf(is))
  })
}

/** Lists what stands in an answer under words that are trusted less, and was not archived for them. */
async function hidden(memory: Memory, blocks: Blocks): Promise<unknown[]> {
  const { blocks: entries } = await memory.recall({
    ...{
      query: 'When does the harbour open?',
      minStrength: 0,
      topK: 50,
      tokenBudget: 100_000,
      reinforce: false,
    },
  })
  return entries.flatMap(({ sourceClass, versions = [] }) =>
    versions.filter(({ id }) => {
      const block = blocks.get(id)
      return block?.status !== 'archived' && !mayCover(sourceClass, block?.sourceClass ?? 'import')
    }),
  )
}

/** Whether it was done and not refused. */
async function isDone(call: Promise<unknown>): Promise<boolean> {
  try {
    await call
    return true
  } catch (error) {
    if (ElfmemError.is(error)) return false
    throw error
  }
}

const CASES = 500

test('after any turns of an owner and an agent no words count as more and none of the owner is changed or hidden', async () => {
  const done = new Set<string>()
  const property = fc.asyncProperty(fc.array(turn, { minLength: 5, maxLength: 40 }), async (turns) => {
    const path = join(quickFolder(), 'm.db')
    const open = (as: 'owner' | 'agent') =>
      openMemory(path, { embedder: createHashingEmbedder(), clock: createTestClock(), as })
    const [owner, agent] = [await open('owner'), await open('agent')]
    let before: Blocks = new Map()
    const filed: Filed = new Set()
    for (const { does, ...said } of turns) {
      const isOwner = said.isOwner || OWNERS.has(does)
      const blockId = [...before.keys()].at(said.nth % Math.max(1, before.size)) ?? 'none'
      if (await isDone(doings[does](isOwner ? owner : agent, said, blockId))) done.add(does)
      const after = await blocksOf(owner)
      const foreign = [...after.values()].filter((block) => !isOwn(block))
      expect(foreign.filter((block) => block.tags.some(isIdentityTag))).toEqual([])
      expect(isOwner ? [] : wrongsOf(before, after, filed)).toEqual([])
      expect(await hidden(owner, after)).toEqual([])
      before = after
    }
    await owner.close()
    await agent.close()
    rmSync(dirname(path), { recursive: true, force: true })
  })
  await fc.assert(property, { numRuns: CASES })
  expect([...done].sort()).toEqual(Object.keys(doings).sort())
})
