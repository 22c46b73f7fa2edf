import { join } from 'node:path'
import { type Memory, openMemory } from '../../src/index.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import type { SharedEmbedder } from '../lib/shared-embedder.ts'
import { foreignTo } from '../locomo/foreign.ts'
import { loadConversations } from '../locomo/loader.ts'
import { rememberConversation } from '../locomo/ours.ts'
import { loadHay, loadNotes, missingNotes, storesOf } from '../notes/stores.ts'
import type { Judged } from './fit.ts'

interface Surroundings {
  readonly folder: string
  readonly embedder: SharedEmbedder
  readonly log: (line: string) => void
}

/** A question, whether the first blocks held its answer, and whether any block of the memory did. */
export interface Answered extends Omit<Judged, 'weight'> {
  /** The size of the memory, or the kind of it. */
  readonly where: string
  readonly present: boolean
}

/** Of every memory so large a share of the weight lies on questions without an answer in it. */
const ABSENT_SHARE = 0.25

/** Every kind of memory counts the same, and in it questions without an answer as much as was said. */
export function weighAnswers(answered: readonly Answered[]): (Answered & Judged)[] {
  const keyOf = ({ where, present }: Answered) => `${where} ${present}`
  const counts = new Map([...Map.groupBy(answered, keyOf)].map(([key, { length }]) => [key, length]))
  return answered.map((each) => ({
    ...each,
    weight: (each.present ? 1 - ABSENT_SHARE : ABSENT_SHARE) / (counts.get(keyOf(each)) as number),
  }))
}

/** Asks notes in other words, in stores of several sizes. */
export async function answersOfNotes(
  file: string,
  conversations: string | undefined,
  { embedder, log }: Surroundings,
): Promise<Answered[]> {
  const { notes, negatives } = loadNotes(file)
  const answered: Answered[] = []
  for (const { size, stores } of storesOf(notes, loadHay(conversations)))
    for (const [i, { blocks, held }] of stores.entries()) {
      log(`notes in ${size} blocks, store ${i + 1}`)
      await using memory = await openMemory(':memory:', { embedder, clock: fixedClock, config: {} })
      for (const { text, session } of blocks) await memory.remember({ content: text, session })
      await dreamAll(memory)
      const questions = [
        ...held.flatMap((note) => note.questions.map(({ q }) => ({ q, text: note.text }))),
        ...missingNotes(stores, i).flatMap((note) => note.questions.map(({ q }) => ({ q, text: undefined }))),
        ...negatives.map((q) => ({ q, text: undefined })),
      ]
      for (const { q, text } of questions)
        answered.push(
          await answerOf(memory, { query: q, where: `${size} notes`, held: blocks.length }, (block) =>
            text === undefined ? undefined : block.content === text,
          ),
        )
    }
  return answered
}

/** Asks conversations their own questions and those of others with the people renamed. */
export async function answersOfConversations(
  file: string,
  { folder, embedder, log }: Surroundings,
): Promise<Answered[]> {
  const answered: Answered[] = []
  const all = loadConversations(file)
  for (const [i, conversation] of all.entries()) {
    log(`asking ${conversation.questions.length} questions of ${conversation.id}`)
    const path = join(folder, `${conversation.id}.db`)
    const { turnsOf } = await rememberConversation(path, conversation, embedder)
    await using memory = await openMemory(path, { embedder, clock: fixedClock, config: {} })
    const about = { where: 'conversations', held: turnsOf.size }
    for (const { text, evidence } of conversation.questions)
      answered.push(
        await answerOf(memory, { ...about, query: text }, ({ id }) =>
          (turnsOf.get(id) ?? []).some((turn) => evidence.has(turn)),
        ),
      )
    for (const query of foreignTo(conversation, all, i))
      answered.push(await answerOf(memory, { ...about, query }, () => undefined))
  }
  return answered
}

/** Looked at for the strongest match: what orders an answer is more than strength. */
const LOOKED_AT = 20
/** An answer among so many first blocks counts as found. */
const FIRST = 5

/** @param isAnswer undefined where no block is the answer */
async function answerOf(
  memory: Memory,
  { query, where, held }: { readonly query: string; readonly where: string; readonly held: number },
  isAnswer: (block: { readonly id: string; readonly content: string }) => boolean | undefined,
): Promise<Answered> {
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
  const evidence = { cosine, lexical, strength, runnerUp, blocks: held }
  const verdicts = blocks.slice(0, FIRST).map(isAnswer)
  return { where, evidence, present: !verdicts.includes(undefined), right: verdicts.includes(true) }
}
