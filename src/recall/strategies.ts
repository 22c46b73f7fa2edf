import { type Block, isOwn } from '../block/block.ts'
import { estimateTokens } from '../block/text.ts'
import { hasEnded } from '../block/validity.ts'
import type { Engine } from '../engine/engine.ts'
import type { LanguagePack } from '../language/pack.ts'
import type { Entry } from './match.ts'
import type { Chosen } from './rank.ts'

/** The category of blocks that say what to do in a situation: "when …, do …". */
export const STRATEGY = 'strategy'

/** Bounds of the proven strategies that stand first. */
const FIRST = {
  most: 3,
  /** Largest share of the budget that each takes. */
  share: 1 / 6,
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
 * Puts the proven strategies among the entries of a task frame before the others, those with the best evidence first (docs/strategies.md). Returns
 * the same answer if none of its entries is one. Runs no statement.
 */
export function provenFirst({ analysis: { language } }: Engine, found: Chosen, budget: number): Chosen {
  const { asked, at, entries } = found
  if (asked === undefined) return found
  const nearFrom = FIRST.near * Math.max(0, ...entries.map(({ match }) => match?.ownCosine ?? 0))
  const proven = entries
    .filter((entry) => isProven(entry) && !hasEnded(entry.block, at))
    .filter(({ block }) => estimateTokens(block.content) <= FIRST.share * budget)
    .filter((entry) => isSituation(asked.text, entry, { language, nearFrom }))
    .sort((one, other) => evidenceFor(other) - evidenceFor(one))
    .slice(0, FIRST.most)
  if (proven.length === 0) return found
  const others = entries.filter((entry) => !proven.includes(entry))
  const place = others.filter(({ guaranteed }) => guaranteed).length
  const behind = others[place]
  const first = proven.map((entry): Entry => {
    const isMoved = behind !== undefined && entries.indexOf(behind) < entries.indexOf(entry)
    const move = isMoved ? [{ why: 'proven', before: behind.block.id } as const] : []
    return { ...entry, isProven: true, moves: [...entry.moves, ...move] }
  })
  return { ...found, entries: others.toSpliced(place, 0, ...first) }
}

/**
 * Returns true for a strategy of the user or the agent that helped more than it misled, over all questions, and did not mislead on such a
 * question. One that only an edge or a version brought does not count: the question does not bear on it.
 */
function isProven({ block, terms, guaranteed, match, path, isUnfound }: Entry): boolean {
  const isOwnStrategy = block.category === STRATEGY && isOwn(block) && !guaranteed
  const isFound = match !== undefined && path === undefined && !isUnfound
  return isOwnStrategy && isFound && termOf(terms, 'belief') > 0 && termOf(terms, 'asked') >= 0
}

/** Returns the evidence for a strategy: that of all questions and that of such questions, −1..1 each. */
function evidenceFor({ terms }: Entry): number {
  return termOf(terms, 'belief') + termOf(terms, 'asked')
}

function termOf(terms: Entry['terms'], wanted: string): number {
  return terms.find(({ name }) => name === wanted)?.value ?? 0
}

/**
 * Returns true if the situation of a strategy has all words of a question, or if the strategy is as near in meaning as what is nearest and
 * the words that it shares with the question do not all stand in what to do.
 */
function isSituation(
  question: string,
  { block, match }: Entry,
  { language: { terms }, nearFrom }: { readonly language: LanguagePack; readonly nearFrom: number },
): boolean {
  const [asked, situation] = [terms(question), new Set(terms(situationOf(block)))]
  const all = new Set(terms(`${block.content} ${block.cue ?? ''}`))
  const shared = asked.filter((term) => all.has(term))
  const inSituation = asked.filter((term) => situation.has(term)).length
  if (asked.length > 0 && inSituation === asked.length) return true
  return (match?.ownCosine ?? 0) >= nearFrom && (shared.length === 0 || inSituation > 0)
}
