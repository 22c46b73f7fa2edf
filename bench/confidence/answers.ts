import { join } from 'node:path'
import type { Memory } from '../../src/index.ts'
import type { Log } from '../lib/bench.ts'
import type { SharedEmbedder } from '../lib/embedders.ts'
import { withTemporaryFolder } from '../lib/files.ts'
import { dreamAll, openStill } from '../lib/memory.ts'
import { createRandom } from '../lib/random.ts'
import { rememberTurns } from '../locomo/ask.ts'
import { type Conversation, loadConversations } from '../locomo/loader.ts'
import type { Judged } from './fit.ts'
import { loadHay, loadNotes, missingNotes, storesOf } from './notes.ts'

interface Surroundings {
  readonly embedder: SharedEmbedder
  readonly log: Log
}

/** A question, whether the first blocks held its answer, and whether any block of the memory did. */
export interface Answered extends Omit<Judged, 'weight'> {
  /** The size of the memory, or the kind of it. */
  readonly where: string
  readonly present: boolean
}

/** Of every memory so large a share of the weight lies on questions without an answer in it. */
const ABSENT_SHARE = 0.25

/** Gives every kind of memory the same weight. In each, questions without an answer have the share `ABSENT_SHARE`. */
export function weighAnswers(answered: readonly Answered[]): Judged[] {
  const keyOf = ({ where, present }: Answered) => `${where} ${present}`
  const groups = Map.groupBy(answered, keyOf)
  return answered.map((each) => ({
    ...each,
    weight: (each.present ? 1 - ABSENT_SHARE : ABSENT_SHARE) / (groups.get(keyOf(each))?.length ?? 1),
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
      await using memory = await openStill(':memory:', embedder)
      for (const block of blocks) await memory.remember(block)
      await dreamAll(memory)
      const questions = [
        ...held.flatMap((note) => note.questions.map(({ q }) => ({ q, text: note.text }))),
        ...missingNotes(stores, i).flatMap((note) => note.questions.map(({ q }) => ({ q, text: undefined }))),
        ...negatives.map((q) => ({ q, text: undefined })),
      ]
      const about = { where: `${size} notes`, held: blocks.length }
      for (const { q, text } of questions)
        answered.push(
          await answerOf(memory, { ...about, query: q }, (block) =>
            text === undefined ? undefined : block.content === text,
          ),
        )
    }
  return answered
}

/** Asks conversations their own questions and those of others with the people renamed. */
export function answersOfConversations(file: string, { embedder, log }: Surroundings): Promise<Answered[]> {
  return withTemporaryFolder(async (folder) => {
    const answered: Answered[] = []
    const all = loadConversations(file)
    for (const [i, conversation] of all.entries()) {
      const { id: name, turns, questions } = conversation
      log(`asking ${questions.length} questions of ${name}`)
      const { path, turnsOf } = await rememberTurns(join(folder, `${name}.db`), turns, embedder)
      await using memory = await openStill(path, embedder)
      const about = { where: 'conversations', held: turnsOf.size }
      for (const { text, evidence } of questions)
        answered.push(
          await answerOf(memory, { ...about, query: text }, ({ id }) =>
            (turnsOf.get(id) ?? []).some((turn) => evidence.has(turn)),
          ),
        )
      for (const query of foreignTo(conversation, all, i))
        answered.push(await answerOf(memory, { ...about, query }, () => undefined))
    }
    return answered
  })
}

/** Number of questions for each conversation that it cannot answer. */
const FOREIGN = 80
const SEED = 20_262

/** Returns questions of the other conversations that name somebody, renamed to the people of this one. */
function foreignTo(own: Conversation, all: readonly Conversation[], seed: number): string[] {
  const renamed = all
    .filter((other) => other !== own)
    .flatMap(({ speakers, questions }) => {
      // All at once, so that a name which both conversations know is not renamed twice.
      const names = new RegExp(`\\b(?:${speakers.join('|')})\\b`, 'g')
      return questions.flatMap(({ text }) => {
        const question = text.replace(
          names,
          (name) => own.speakers[speakers.indexOf(name) % own.speakers.length] as string,
        )
        return question === text ? [] : [question]
      })
    })
  return createRandom(SEED, seed).shuffled(renamed).slice(0, FOREIGN)
}

/** Number of blocks asked for. The strongest match counts, because an answer is not ordered by strength alone. */
const LOOKED_AT = 20
/** An answer counts as found if it is among so many first blocks. */
const FIRST = 5

/** @param isAnswer undefined where no block is the answer */
async function answerOf(
  memory: Memory,
  { query, where, held }: { readonly query: string; readonly where: string; readonly held: number },
  isAnswer: (block: { readonly id: string; readonly content: string }) => boolean | undefined,
): Promise<Answered> {
  const { blocks } = await memory.recall({
    ...{ query, topK: LOOKED_AT, reinforce: false, minStrength: 0, tokenBudget: 100_000, explain: true },
  })
  const [best, second] = blocks.toSorted((a, b) => (b.strength ?? 0) - (a.strength ?? 0))
  const { cosine = 0, lexical = 0 } = best?.explanation?.match ?? {}
  const [strength, runnerUp] = [best?.strength ?? 0, second?.strength ?? 0]
  const evidence = { cosine, lexical, strength, runnerUp, blocks: held }
  const verdicts = blocks.slice(0, FIRST).map(isAnswer)
  return { where, evidence, present: !verdicts.includes(undefined), right: verdicts.includes(true) }
}
