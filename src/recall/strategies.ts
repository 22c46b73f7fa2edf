import { type Block, isOwn } from '../block/block.ts'
import { estimateTokens } from '../block/text.ts'
import { hasEnded } from '../block/validity.ts'
import type { Engine } from '../engine/engine.ts'
import type { FrameName } from '../engine/frames.ts'
import type { LanguagePack } from '../language/pack.ts'
import type { Entry } from './match.ts'
import type { Chosen } from './rank.ts'

/** The category of blocks that say what to do in a situation: "when …, do …". */
export const STRATEGY = 'strategy'

/** Bounds of the proven strategies that stand first. */
const FIRST = {
  most: 3,
  /** Largest share of the budget that they take. */
  share: 0.5,
  /** Least share of the nearest entry's cosine: a question about something else is nearer to what answers it (docs/strategies.md). */
  near: 0.95,
} as const

/** The end of a clause: a sign before a space, a sign of a script without spaces, or the end of a line. */
const CLAUSE_END = /[,;:.!?](?=\s)|[，；：、。！？،؛]|\n/

/** Returns the situation of a strategy: the first clause of its words, and its cue. */
export function situationOf({ content, cue = '' }: Pick<Block, 'content' | 'cue'>): string {
  const [clause = content] = content.trim().split(CLAUSE_END, 1)
  return `${clause} ${cue}`.trim()
}

/**
 * Puts the proven strategies of a task frame before its other entries, those with the best evidence first (docs/strategies.md). Runs no
 * statement. Returns the same answer if none of its entries is one.
 */
export function provenFirst(
  { analysis }: Engine,
  found: Chosen,
  { frame, budget }: { readonly frame: FrameName; readonly budget: number },
): Chosen {
  const { asked, at, entries } = found
  if (frame !== 'task' || asked === undefined) return found
  let room = budget * FIRST.share
  const nearest = Math.max(0, ...entries.map(nearnessOf))
  const proven = entries
    .filter((entry) => isProven(entry) && nearnessOf(entry) >= FIRST.near * nearest)
    .filter(({ block }) => !hasEnded(block, at) && isSituation(asked.text, block, analysis.language))
    .sort((one, other) => evidenceFor(other) - evidenceFor(one))
    .slice(0, FIRST.most)
    .filter(({ block }) => {
      room -= estimateTokens(block.content)
      return room >= 0
    })
  if (proven.length === 0) return found
  const first = proven.map((entry): Entry => ({ ...entry, isProven: true }))
  const others = entries.filter((entry) => !proven.includes(entry))
  const guaranteed = others.filter((entry) => entry.guaranteed).length
  return { ...found, entries: others.toSpliced(guaranteed, 0, ...first) }
}

/**
 * Returns true for a strategy of the user or the agent that helped more than it misled, over all questions, and did not mislead on such a
 * question. One that only an edge brought does not count: the question does not bear on it.
 */
function isProven({ block, terms, guaranteed, match, path, isUnfound }: Entry): boolean {
  const isOwnStrategy = block.category === STRATEGY && isOwn(block) && !guaranteed
  if (!isOwnStrategy || match === undefined || path !== undefined || isUnfound) return false
  return termOf(terms, 'belief') > 0 && termOf(terms, 'asked') >= 0
}

/** Returns the cosine of an entry and the question; 0 where words alone find. */
function nearnessOf({ match }: Entry): number {
  return match?.ownCosine ?? 0
}

/** Returns the evidence for a strategy: that of all questions and that of such questions, −1..1 each. */
function evidenceFor({ terms }: Entry): number {
  return termOf(terms, 'belief') + termOf(terms, 'asked')
}

function termOf(terms: Entry['terms'], wanted: string): number {
  return terms.find(({ name }) => name === wanted)?.value ?? 0
}

/** Returns false if the words that a question shares with a strategy stand only in what to do, and not in the situation. */
function isSituation(question: string, block: Block, { terms }: LanguagePack): boolean {
  const [asked, all] = [terms(question), new Set(terms(`${block.content} ${block.cue ?? ''}`))]
  const shared = asked.filter((term) => all.has(term))
  const situation = new Set(terms(situationOf(block)))
  return shared.length === 0 || shared.some((term) => situation.has(term))
}
