import { readData } from '../lib/data.ts'
import { createRandom } from '../lib/random.ts'

/** A memory and a question it answers without sharing a content word. */
export interface Pair {
  readonly block: string
  readonly question: string
}

/** A text on its way into a memory, with the session it is said in. */
export interface Placed {
  readonly text: string
  readonly session: string
}

/** One way to place the pairs' blocks. */
export interface Corpus {
  readonly name: string
  readonly blocks: readonly Placed[]
}

/** Plain questions ask for just what the block says; oblique ones want a step of thought as well. */
export const PAIR_SETS = ['plain', 'oblique'] as const
export type PairSet = (typeof PAIR_SETS)[number]

const FILES: Readonly<Record<PairSet, string>> = {
  plain: 'plain-paraphrases.json',
  oblique: 'paraphrases.json',
}

export function loadPairs(set: PairSet): readonly Pair[] {
  return readData(FILES[set])
}

/** The pairs' blocks in four surroundings: alone or among the notes, each in a session of its own or all in one. */
export function corpora(pairs: readonly Pair[]): readonly Corpus[] {
  const blocks = pairs.map(({ block }) => block)
  const notes = readData<readonly string[]>('notes.json')
  // Shuffled, so that in one session the neighbours of a block have nothing to do with it.
  const mixed = createRandom(480).shuffled([...blocks, ...notes])
  const apart = (texts: readonly string[]) => texts.map((text, i) => ({ text, session: `note-${i}` }))
  const packed = (texts: readonly string[]) => texts.map((text) => ({ text, session: 'one' }))
  return [
    { name: 'alone, apart', blocks: apart(blocks) },
    { name: 'alone, one session', blocks: packed(blocks) },
    { name: `among ${notes.length} notes, apart`, blocks: apart(mixed) },
    { name: `among ${notes.length} notes, one session`, blocks: packed(mixed) },
  ]
}
