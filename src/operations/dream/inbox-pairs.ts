import * as z from 'zod'
import type { Block } from '../../block/block.ts'
import { codePointLength, defined, takeCodePoints } from '../../block/text.ts'
import { isNewer } from '../../block/validity.ts'
import { JUDGING } from '../../dream/judgement.ts'
import { ElfmemError } from '../../errors.ts'
import type { Ends } from '../../graph/edge.ts'
import { readBlocks } from '../../store/blocks.ts'
import { readOpenPairs } from '../../store/graph.ts'
import type { ReadTransaction } from '../../store/transaction.ts'

const wholeSide = z.object({ id: z.string(), content: z.string().describe('All of its words') })

const pairSide = wholeSide.extend({
  content: z.string().describe('Its first 600 characters (llm.characters_per_side)'),
  truncated: z.literal(true).optional().describe('The content goes on; show gives all of it'),
})

/** The schema of two active blocks that look alike and that nobody has related yet. */
export const pairToLabel = z.object({
  newer: pairSide,
  older: pairSide,
  cosine: z.number().describe('How alike the two contents are, 0..1'),
})

/** The schema of why a pair of blocks is open. */
export const pairKind = z.string().describe('near_duplicate, perhaps_newer, supersession or contradiction')

/** The schema of who found a pair. */
export const pairFoundBy = z
  .string()
  .optional()
  .describe('similarity, score, model, host, agent, owner, hint (remember with supersedes) or a rule')

/** The schema of two blocks that somebody is to decide about. */
export const openPair = z.object({
  newer: wholeSide,
  older: wholeSide,
  kind: pairKind,
  score: z.number().describe('Similarity for near_duplicate, confidence for the others; 0..1'),
  foundBy: pairFoundBy,
})

type Side = z.output<typeof pairSide>

/** The first of something, and whether there is more. */
export interface First<T> {
  readonly items: readonly T[]
  readonly more: boolean
}

/** A page of open pairs. */
export interface OpenPairs extends First<z.output<typeof openPair>> {
  /** The last pair of the page, by which the next one begins; absent with the last page. */
  readonly cursor?: string
}

/** Pairs without a relation, the longest waiting first. Three statements. */
export async function pairsToLabel(
  tx: ReadTransaction,
  limit: number,
): Promise<First<z.output<typeof pairToLabel>>> {
  const waiting = await tx.queries.unlabelledPairs(limit + 1)
  const shown = waiting.slice(0, limit)
  const ends = shown.map(({ from, to }): Ends => [from, to])
  const sidesOf = await readSides(tx, ends, JUDGING.charactersPerSide)
  const items = shown.flatMap(({ from, to, cosine }) => {
    const sides = sidesOf(from, to)
    return sides ? [{ ...sides, cosine }] : []
  })
  return { items, more: waiting.length > limit }
}

/**
 * Returns a page of the open pairs, oldest first, with the whole of both texts. It costs what the page does.
 *
 * @param cursor of the page before; throws `INVALID_INPUT` for one that leads nowhere
 */
export async function openPairsPage(
  tx: ReadTransaction,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
): Promise<OpenPairs> {
  const open = await readOpenPairs(tx, limit + 1, cursor === undefined ? undefined : endsIn(cursor))
  if (open === undefined) throw noSuchPage()
  const shown = open.slice(0, limit)
  const sidesOf = await readSides(
    tx,
    shown.map(({ a, b }): Ends => [a, b]),
  )
  const items = shown.flatMap(({ a, b, kind, score, foundBy }) => {
    const sides = sidesOf(a, b)
    return sides ? [{ ...sides, kind, score, ...defined({ foundBy }) }] : []
  })
  const last = shown.at(-1)
  const more = open.length > limit
  return { items, more, ...(more && last ? { cursor: `${last.a}:${last.b}` } : {}) }
}

function endsIn(cursor: string): Ends {
  const [a = '', b = '', ...rest] = cursor.split(':')
  if (rest.length > 0 || b === '') throw noSuchPage()
  return [a, b]
}

function noSuchPage(): ElfmemError {
  return new ElfmemError('INVALID_INPUT', 'The cursor of open pairs is not one that a page returned.', {
    recovery: 'Leave openPairsCursor out, and begin with the first page again.',
  })
}

type Sides = { readonly newer: Side; readonly older: Side }

/** @param most code points of a text that are given */
async function readSides(
  tx: ReadTransaction,
  pairs: readonly Ends[],
  most = Number.POSITIVE_INFINITY,
): Promise<(one: string, other: string) => Sides | undefined> {
  const blocks = new Map((await readBlocks(tx, [...new Set(pairs.flat())])).map((block) => [block.id, block]))
  const side = (block: Block) => sideOf(block, most)
  return (a, b) => {
    const [one, other] = [blocks.get(a), blocks.get(b)]
    if (!one || !other) return undefined
    const [newer, older] = isNewer(one, other) ? [one, other] : [other, one]
    return { newer: side(newer), older: side(older) }
  }
}

function sideOf({ id, content }: Block, most: number): Side {
  if (codePointLength(content) <= most) return { id, content }
  return { id, content: `${takeCodePoints(content, most)}…`, truncated: true }
}
