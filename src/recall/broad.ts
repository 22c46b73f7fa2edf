import { preview } from '../block/text.ts'
import type { Engine } from '../engine/engine.ts'
import type { Filter } from '../index/blocks.ts'
import type { Subject } from '../index/resident-index.ts'
import { USERS } from '../language/question.ts'
import { type Entry, frameFilter } from './match.ts'

/** Returns whom or what an overview is about, as the index looks it up. */
export function subjectOf(
  { analysis }: Engine,
  request: {
    readonly about?: string | undefined
    readonly since?: string | undefined
    readonly until?: string | undefined
  },
  filter: Filter,
): Subject {
  const { about = '', since, until } = request
  const label = preview(about, about.length).toLowerCase()
  const isUser = label === 'me' || USERS.has(label)
  const terms = isUser ? [] : analysis.language.terms(about)
  return {
    filter,
    ...(label !== '' && { named: { terms, labels: isUser ? USERS : new Set([label]), isUser } }),
    since: since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since),
    until: until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until),
  }
}

/** An overview has clearly more than an answer if it has at least so many notes more, and as many as the answer. */
const CLEARLY_MORE = 5

/** Returns true if there are clearly more notes about a subject than an answer has. Asks no store. */
export async function hasClearlyMore(
  engine: Engine,
  about: string,
  shown: readonly Entry[],
): Promise<boolean> {
  const filter = await frameFilter(engine, engine.settings.frames.attention, {})
  const among = new Set(engine.index.about(subjectOf(engine, { about }, filter)))
  const here = shown.filter(({ block }) => among.has(block.id)).length
  return among.size - here >= Math.max(CLEARLY_MORE, here)
}
