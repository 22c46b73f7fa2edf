import * as z from 'zod'
import type { Block } from '../../block/block.ts'
import { codePointLength, defined, takeCodePoints } from '../../block/text.ts'
import { isNewer } from '../../block/validity.ts'
import { JUDGING } from '../../dream/judgement.ts'
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

/** Returns pairs without a relation, the longest waiting first. Three statements. */
export async function pairsToLabel(
  tx: ReadTransaction,
  limit: number,
): Promise<z.output<typeof pairToLabel>[]> {
  const waiting = await tx.queries.unlabelledPairs(limit)
  const ends = waiting.map(({ from, to }): Ends => [from, to])
  const sidesOf = await readSides(tx, ends, JUDGING.charactersPerSide)
  return waiting.flatMap(({ from, to, cosine }) => {
    const sides = sidesOf(from, to)
    return sides ? [{ ...sides, cosine }] : []
  })
}

/** Returns the oldest open pairs, with the whole of both texts. */
export async function openPairs(tx: ReadTransaction, limit: number): Promise<z.output<typeof openPair>[]> {
  const open = (await readOpenPairs(tx, limit)) ?? []
  const sidesOf = await readSides(
    tx,
    open.map(({ a, b }): Ends => [a, b]),
  )
  return open.flatMap(({ a, b, kind, score, foundBy }) => {
    const sides = sidesOf(a, b)
    return sides ? [{ ...sides, kind, score, ...defined({ foundBy }) }] : []
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
