import { join } from 'node:path'
import type { MatchEvidence } from '../../src/index/rank.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import type { SharedEmbedder } from '../lib/shared-embedder.ts'
import type { Described, Kind } from './descriptions.ts'

/** The best match of a description. */
export interface Asked {
  readonly kind: Kind
  /** The block described is in the memory. */
  readonly present: boolean
  readonly evidence: MatchEvidence
  readonly right: boolean
}

export interface Surroundings {
  readonly folder: string
  readonly embedder: SharedEmbedder
  readonly log: (line: string) => void
}

/** Memories that each lack another part of the blocks: this share of the descriptions means nothing that is there. */
const MEMORIES = 4
/** Blocks of a small memory. */
const SMALL = 6

/** Asks every description in every one of a few large memories. */
export async function askDescribed(described: Described, surroundings: Surroundings): Promise<Asked[]> {
  const asked: Asked[] = []
  for (let left = 0; left < MEMORIES; left++) {
    const isPresent = (place: number) => place % MEMORIES !== left
    surroundings.log(`asking ${described.descriptions.length} descriptions, all but part ${left + 1}`)
    asked.push(...(await askOne(described, { ...surroundings, name: `large-${left}`, isPresent })))
  }
  return asked
}

/** Asks in many memories of a few blocks: what describes one of them, and what describes one of the next memory. */
export async function askSmall(
  { blocks, descriptions }: Described,
  surroundings: Surroundings,
): Promise<Asked[]> {
  const count = Math.floor(blocks.length / SMALL)
  surroundings.log(`asking in ${count} memories of ${SMALL} blocks`)
  const memoryOf = (place: number) => Math.floor(place / SMALL)
  const byMemory = Map.groupBy(descriptions, ({ meant }) => memoryOf(meant))
  const asked: Asked[] = []
  for (let at = 0; at < count; at++) {
    const part = [...(byMemory.get(at) ?? []), ...(byMemory.get((at + 1) % count) ?? [])]
    const isPresent = (place: number) => memoryOf(place) === at
    const options = { ...surroundings, name: `small-${at}`, isPresent }
    asked.push(...(await askOne({ blocks, descriptions: part }, options)))
  }
  return asked
}

async function askOne(
  { blocks, descriptions }: Described,
  {
    folder,
    embedder,
    name,
    isPresent,
  }: Surroundings & { readonly name: string; readonly isPresent: (place: number) => boolean },
): Promise<Asked[]> {
  await using memory = await openMemory(join(folder, `${name}.db`), {
    embedder,
    clock: fixedClock,
    config: {},
  })
  const held = blocks.filter((_, place) => isPresent(place))
  for (const [i, content] of held.entries()) await memory.remember({ content, session: `note-${i}` })
  await dreamAll(memory)
  const asked: Asked[] = []
  for (const { kind, text, meant } of descriptions) {
    const { best, evidence } = await evidenceOf(memory, text, held.length)
    const right = best?.content === blocks[meant]
    asked.push({ kind, present: isPresent(meant), evidence, right })
  }
  return asked
}

interface Best {
  readonly evidence: MatchEvidence
  /** The strongest match, by which a description is joined. */
  readonly best: { readonly id: string; readonly content: string } | undefined
  /** The first blocks, best first. */
  readonly first: readonly { readonly id: string; readonly content: string }[]
}

/** Looked at for the strongest match: what orders an answer is more than strength. */
const LOOKED_AT = 20
/** An answer among so many first blocks counts as found. */
const FIRST = 5

/** What a question finds in a memory of so many blocks, without changing it. */
export async function evidenceOf(memory: Memory, query: string, held: number): Promise<Best> {
  const { blocks } = await memory.recall({
    query,
    topK: LOOKED_AT,
    reinforce: false,
    minStrength: 0,
    tokenBudget: 100_000,
    explain: true,
  })
  const [best, second] = [...blocks].sort((a, b) => (b.strength ?? 0) - (a.strength ?? 0))
  const { cosine = 0, lexical = 0 } = best?.explanation?.match ?? {}
  const [strength, runnerUp] = [best?.strength ?? 0, second?.strength ?? 0]
  return {
    best,
    first: blocks.slice(0, FIRST),
    evidence: { cosine, lexical, strength, runnerUp, blocks: held },
  }
}
