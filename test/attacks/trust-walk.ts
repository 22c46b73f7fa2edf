import '../helpers/properties.ts'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import type { Block } from '../../src/domain/block/block.ts'
import {
  isLessTrusted,
  isOwn,
  SOURCE_CLASSES,
  type SourceClass,
} from '../../src/domain/block/source-class.ts'
import { isIdentityTag } from '../../src/domain/block/tags.ts'
import { ElfmemError } from '../../src/errors.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import { quickFolder } from '../faults/prepared.ts'
import { createTestClock } from '../helpers/clock.ts'

/** What may be said in a turn; what is done takes of it what it needs. */
interface Said {
  readonly nth: number
  readonly content: string
  readonly tags: string[]
  readonly cue: string | undefined
  readonly source: string | undefined
  readonly sourceClass: SourceClass
  readonly keep: 'both' | 'a' | 'b' | 'merge'
}

/** What is done about the blocks there are, of which a turn means the one at its place. */
const doings = {
  remember: (memory, { content, tags, cue, source }) => memory.remember({ content, tags, cue, source }),
  claim: (memory, { content, tags, sourceClass }) => memory.remember({ content, tags, sourceClass }),
  supersede: (memory, { content, tags, cue, source }, supersedes) =>
    memory.remember({ content, tags, cue, source, supersedes }),
  reword: (memory, { content }, blockId) => memory.edit({ blockId, content }),
  tag: (memory, { tags }, blockId) => memory.edit({ blockId, tags }),
  dream: (memory, { tags, content }, blockId) =>
    memory.dream({ hostAnalyses: { [blockId]: { alignmentScore: 0.9, tags, summary: content } } }),
  rejudge: (memory, { tags, content }, blockId) =>
    memory.dream({
      rescore: true,
      hostAnalyses: { [blockId]: { alignmentScore: 0.9, tags, summary: content } },
    }),
  learn: (memory, { content, source }) => memory.learnDocument({ text: content, source }),
  resolve: async (memory, { keep }, a) => {
    const [pair] = (await memory.show({ blockId: a })).openPairs
    if (pair !== undefined) await memory.resolve({ a, b: pair.other, keep })
  },
  undoLast: (memory) => memory.undo(),
  undo: async (memory, { nth }) => {
    const { operations } = await memory.history({ lastN: 10 })
    await memory.undo({ operationId: operations[nth]?.id ?? 1 })
  },
  forget: (memory, _, blockId) => memory.forget({ blockId }),
  restore: (memory, _, blockId) => memory.restore({ blockId }),
  /** Left to the owner: these say who the agent is, and who counts as speaking. */
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
  keep: fc.constantFrom('both' as const, 'a' as const, 'b' as const, 'merge' as const),
})

type Blocks = ReadonlyMap<string, Pick<Block, 'content' | 'tags' | 'sourceClass'>>

async function blocksOf(memory: Memory): Promise<Blocks> {
  const pages = await Promise.all(
    (['inbox', 'active', 'archived'] as const).map((status) => memory.ls({ status, limit: 200 })),
  )
  return new Map(pages.flatMap(({ blocks }) => blocks).map((block) => [block.id, block]))
}

/** Blocks whose words are what they were and count as those of somebody who is trusted more. */
function raised(before: Blocks, after: Blocks): unknown[] {
  return [...after].filter(([id, { content, sourceClass }]) => {
    const was = before.get(id)
    return was?.content === content && isLessTrusted(was.sourceClass, sourceClass)
  })
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

/** After every turn of an owner and an agent: words of others have no identity, and the agent had no words count as more. */
export async function checkTrust(options: { readonly numRuns: number }): Promise<void> {
  const done = new Set<string>()
  const property = fc.asyncProperty(fc.array(turn, { minLength: 5, maxLength: 40 }), async (turns) => {
    const folder = quickFolder()
    const open = (as: 'owner' | 'agent') =>
      openMemory(join(folder, 'm.db'), {
        ...{ embedder: createHashingEmbedder(), clock: createTestClock(), as },
      })
    const [owner, agent] = [await open('owner'), await open('agent')]
    let before: Blocks = new Map()
    for (const { does, ...said } of turns) {
      const isOwner = said.isOwner || OWNERS.has(does)
      const blockId = [...before.keys()].at(said.nth % Math.max(1, before.size)) ?? 'none'
      if (await isDone(doings[does](isOwner ? owner : agent, said, blockId))) done.add(does)
      const after = await blocksOf(owner)
      const foreign = [...after.values()].filter((block) => !isOwn(block))
      expect(foreign.filter((block) => block.tags.some(isIdentityTag))).toEqual([])
      expect(isOwner ? [] : raised(before, after)).toEqual([])
      before = after
    }
    await owner.close()
    await agent.close()
    rmSync(folder, { recursive: true, force: true })
  })
  await fc.assert(property, options)
  expect([...done].sort()).toEqual(Object.keys(doings).sort())
}
