import { join } from 'node:path'
import { type Memory, openMemory } from '../../src/index.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import type { SharedEmbedder } from '../lib/shared-embedder.ts'
import { type Conversation, loadConversations } from '../locomo/loader.ts'
import { rememberConversation } from '../locomo/ours.ts'
import type { Described, Kind } from './descriptions.ts'

/** The best match of a description. */
export interface Asked {
  readonly kind: Kind | 'LoCoMo question'
  /** Describes a block of the half that a curve is checked on, not fitted on. */
  readonly forCheck: boolean
  /** The block described is in the memory. */
  readonly present: boolean
  readonly strength: number
  /** Of the second best match; 0 when there is none. */
  readonly runnerUp: number
  readonly right: boolean
}

interface Surroundings {
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
    const { best, ...strengths } = await bestMatch(memory, text)
    // Not by the same digit that leaves blocks out: each half misses as many.
    const forCheck = Math.floor(meant / MEMORIES) % 2 === 1
    const right = best?.content === blocks[meant]
    asked.push({ kind, forCheck, present: isPresent(meant), ...strengths, right })
  }
  return asked
}

/** Asks the questions of conversations in LoCoMo's format; right is a best match that is evidence. */
export async function askConversations(
  path: string,
  { folder, embedder, log }: Surroundings,
): Promise<Asked[]> {
  const asked: Asked[] = []
  for (const conversation of loadConversations(path)) {
    log(`asking ${conversation.questions.length} questions of ${conversation.id}`)
    asked.push(...(await askConversation(join(folder, `${conversation.id}.db`), conversation, embedder)))
  }
  return asked
}

async function askConversation(
  path: string,
  conversation: Conversation,
  embedder: SharedEmbedder,
): Promise<Asked[]> {
  const { turnsOf } = await rememberConversation(path, conversation, embedder)
  await using memory = await openMemory(path, { embedder, clock: fixedClock, config: {} })
  const asked: Asked[] = []
  for (const { text, evidence } of conversation.questions) {
    const { best, ...strengths } = await bestMatch(memory, text)
    const turns = best === undefined ? [] : (turnsOf.get(best.id) ?? [])
    const right = turns.some((turn) => evidence.has(turn))
    asked.push({ kind: 'LoCoMo question', forCheck: true, present: true, ...strengths, right })
  }
  return asked
}

interface BestMatch extends Pick<Asked, 'strength' | 'runnerUp'> {
  readonly best: { readonly id: string; readonly content: string } | undefined
}

async function bestMatch(memory: Memory, query: string): Promise<BestMatch> {
  const { blocks } = await memory.recall({ query, topK: 2, reinforce: false, minStrength: 0 })
  const [best, second] = blocks
  return { best, strength: best?.strength ?? 0, runnerUp: second?.strength ?? 0 }
}
