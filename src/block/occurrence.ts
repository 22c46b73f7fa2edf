import type { Block, Occurrence } from './block.ts'
import { mayCover } from './source-class.ts'
import { isNewer } from './validity.ts'

/** The wall time of words that come in, and the newest words before them; times are ISO-8601 UTC. */
interface Arriving {
  readonly at: string
  readonly newest?: { readonly at: string; readonly session: string }
}

/** The last millisecond that an ISO date of four digits can name. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * Returns the fields that order a new block where the clock does not; none where its own dates do, or its place in the
 * session of the words before it.
 */
export function orderOfNew(
  { at, newest }: Arriving,
  { occurredAt, session }: Pick<Block, 'occurredAt' | 'session'>,
): Pick<Block, 'lastAt' | 'lastToldAt'> {
  if (newest === undefined || newest.at < at) return {}
  if (newest.at === at && newest.session === session) return {}
  const lastToldAt = later(newest.at, 1)
  return { lastAt: occurredAt === at ? lastToldAt : occurredAt, lastToldAt }
}

/**
 * Returns a block as an occurrence of its text dates it. Its order stays if the speaker is trusted less, or if the given date
 * is before the newest one.
 *
 * @param newest when the newest words before it arrived, ISO-8601 UTC
 */
export function datedAgain(
  block: Block,
  { at, createdAt, sourceClass }: Occurrence,
  newest = createdAt,
): Block {
  const lastToldAt = later(newest > createdAt ? newest : createdAt, 1)
  const again: Block = { ...block, lastAt: at === createdAt ? lastToldAt : at, lastToldAt }
  if (mayCover(sourceClass, block) && isNewer(again, block)) return again
  return {
    ...block,
    lastAt: block.lastAt ?? block.occurredAt,
    lastToldAt: block.lastToldAt ?? block.createdAt,
  }
}

/** Returns a block as only these occurrences date it. */
export function datedBy(block: Block, occurrences: readonly Occurrence[]): Block {
  const { lastAt: _at, lastToldAt: _toldAt, ...first } = block
  return occurrences.reduce((dated, each) => datedAgain(dated, each), first as Block)
}

/** True if two occurrences are one: the same speaker, dated in the same second. */
export function isSameOccurrence(one: Occurrence, other: Occurrence): boolean {
  const keyOf = ({ at, source = '', sourceClass }: Occurrence) =>
    [at.slice(0, 19), sourceClass, source].join(' ')
  return keyOf(one) === keyOf(other)
}

/** The first time a block was said, as an occurrence. */
export function firstOccurrence({
  id,
  occurredAt,
  createdAt,
  source,
  sourceClass,
  session,
}: Block): Occurrence {
  return {
    ...{ blockId: id, at: occurredAt, createdAt, sourceClass, session },
    ...(source === undefined ? {} : { source }),
  }
}

function later(at: string, milliseconds: number): string {
  return new Date(Math.min(Date.parse(at) + milliseconds, LAST_MS)).toISOString()
}
