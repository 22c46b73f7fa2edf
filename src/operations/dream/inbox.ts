import * as z from 'zod'
import type { Block } from '../../block/block.ts'
import { codePointLength, count, defined, preview, takeCodePoints } from '../../block/text.ts'
import { isNewer } from '../../block/validity.ts'
import { JUDGING, pendingJudgementFilter } from '../../dream/judgement.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Ends } from '../../graph/edge.ts'
import { recall } from '../../recall/recall.ts'
import { readBlocks, readPage, readWaiting } from '../../store/blocks.ts'
import { readOpenPairs } from '../../store/graph.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { alias } from '../schemas.ts'
import { sentences, shortId, wholeText } from '../wording.ts'

const wholeSide = z.object({ id: z.string(), content: z.string().describe('All of its words') })

const pairSide = wholeSide.extend({
  content: z.string().describe('Its first 600 characters (llm.characters_per_side)'),
  truncated: z.literal(true).optional().describe('The content goes on; show gives all of it'),
})

/** The schema of two active blocks that look alike and that nobody has related yet. */
const pairToLabel = z.object({
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
const openPair = z.object({
  newer: wholeSide,
  older: wholeSide,
  kind: pairKind,
  score: z.number().describe('Similarity for near_duplicate, confidence for the others; 0..1'),
  foundBy: pairFoundBy,
})

type Side = z.output<typeof pairSide>

/** Returns pairs without a relation, the longest waiting first. Three statements. */
async function pairsToLabel(tx: ReadTransaction, limit: number): Promise<z.output<typeof pairToLabel>[]> {
  const waiting = await tx.queries.unlabelledPairs(limit)
  const ends = waiting.map(({ from, to }): Ends => [from, to])
  const sidesOf = await readSides(tx, ends, JUDGING.charactersPerSide)
  return waiting.flatMap(({ from, to, cosine }) => {
    const sides = sidesOf(from, to)
    return sides ? [{ ...sides, cosine }] : []
  })
}

/** Returns the oldest open pairs, with the whole of both texts. */
async function openPairs(tx: ReadTransaction, limit: number): Promise<z.output<typeof openPair>[]> {
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

/** More at once are more than a reader judges well. */
const JUDGED_AT_ONCE = 50

const limit = z.int().min(1).max(500)

const blockToJudge = schemas.waitingBlock.extend({
  judgementPending: schemas.judgementPending,
  alignment: z.number().optional().describe('As it was judged before'),
  scoredAt: z.string().optional().describe('When it was judged last; absent: never'),
})

const judged = z.int().min(0).max(JUDGED_AT_ONCE).default(0)

const input = z.object({
  limit: limit.default(20).describe('At most so many blocks'),
  maxCount: alias('limit', limit.optional()),
  max: alias('limit', limit.optional()),
  cursor: schemas.cursor.optional(),
  identity: z.boolean().default(false).describe('Also the self frame, to judge against'),
  pairs: judged.describe('Also so many pairs whose relation nobody named'),
  openPairs: judged.describe('Also so many open pairs for resolve(), oldest first'),
  pendingJudgement: judged.describe('Also so many active blocks that nobody judged, or long ago'),
})

/** Returns waiting blocks with a cursor, oldest first; nothing is taken out of the inbox. */
export const inbox = defineScopedOperation({
  name: 'inbox',
  summary: 'Read what waits for a dream, and for a judgement, oldest first.',
  guide: {
    when: 'To judge blocks and pairs yourself, without a model; then dream() with hostAnalyses and edgeLabels.',
    whenNot: 'To find something use recall(), which also finds blocks that wait.',
    next: 'dream(), with hostAnalyses by block id for the blocks, and edgeLabels for pairs, if you judged them. To have all there is to judge: inbox({ identity: true, pairs: 20, pendingJudgement: 10 }).',
    example: 'const { blocks } = await memory.inbox({ limit: 5 })',
  },
  tools: 'agent',
  needs: 'reader',
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  input,
  output: z.object({
    blocks: z.array(schemas.waitingBlock).readonly(),
    remaining: z.int().describe('How many wait behind these'),
    cursor: z.string().optional().describe('Pass it to get those'),
    pairs: z
      .array(pairToLabel)
      .readonly()
      .optional()
      .describe('Say in edgeLabels how the newer relates to the older; only when asked for'),
    openPairs: z
      .array(openPair)
      .readonly()
      .optional()
      .describe('Decide about each with resolve; only when asked for'),
    pendingJudgement: z
      .array(blockToJudge)
      .readonly()
      .optional()
      .describe('Those that no model judged, then those judged the longest ago; only when asked for'),
    identity: z.string().optional().describe('The self frame; empty while nothing of it is active'),
    summary: schemas.summary,
  }),
  page: 'limit',
  run: async (engine, asked, context) => {
    const { blocks, remaining, cursor, pairs, open, toJudge } = await read(engine, asked)
    const self = asked.identity
      ? await recall(engine, { frame: 'self', reinforce: false, suggest: false }, context)
      : undefined
    return {
      ...defined({ identity: self?.text }),
      ...{ blocks: blocks.map(schemas.toWaitingBlock), remaining },
      ...defined({ cursor, pairs, openPairs: open, pendingJudgement: toJudge?.map(toBlockToJudge) }),
      summary: sentences(
        waitingSentence(blocks.length, remaining),
        toJudge && `${count(toJudge.length, 'active block')} to judge.`,
        pairs && `${count(pairs.length, 'pair')} to label.`,
        open && `${count(open.length, 'open pair')}; resolve() decides about each.`,
      ),
    }
  },
  render: ({ blocks, pairs = [], openPairs = [], pendingJudgement = [], summary }) =>
    [
      ...blocks.map(({ id, category, content }) => `${shortId(id)}  [${category}]  ${preview(content, 80)}`),
      ...pendingJudgement.map(
        ({ id, judgementPending, scoredAt, content }) =>
          `${shortId(id)}  to judge (${judgementPending ? 'pending' : (scoredAt?.slice(0, 10) ?? 'never judged')})  ${preview(content, 80)}`,
      ),
      ...pairs.flatMap(({ newer, older, cosine }) => [
        wholeText(`${shortId(newer.id)}  newer (${cosine.toFixed(2)})  `, newer.content),
        wholeText(`${shortId(older.id)}  older         `, older.content),
      ]),
      ...openPairs.flatMap(({ newer, older, kind, score }) => [
        wholeText(`${shortId(newer.id)}  ${kind} (${score.toFixed(2)})  `, newer.content),
        wholeText(`${shortId(older.id)}  older  `, older.content),
      ]),
      summary,
    ].join('\n'),
})

type Asked = z.output<typeof input>

/** Returns what waits for a dream and, if asked for, for a label or a judgement. Changes nothing. A few statements. */
function read(engine: Engine, asked: Asked) {
  const { pairs, openPairs: open, pendingJudgement: limit } = asked
  return engine.store.read(async (tx) => ({
    ...(await waitingBlocks(tx, asked)),
    pairs: pairs > 0 ? await pairsToLabel(tx, pairs) : undefined,
    open: open > 0 ? await openPairs(tx, open) : undefined,
    toJudge:
      limit > 0 ? await tx.queries.pendingJudgements(pendingJudgementFilter(engine, limit)) : undefined,
  }))
}

async function waitingBlocks(
  tx: ReadTransaction,
  { limit, cursor }: Asked,
): Promise<{
  readonly blocks: readonly Block[]
  readonly remaining: number
  readonly cursor?: string
}> {
  const { seen, inner } = opened(cursor)
  const given = defined({ cursor: inner })
  const page = await readPage(tx, { status: 'inbox', order: 'arrival', limit, ...given })
  if (page.cursor === undefined) return { blocks: page.blocks, remaining: 0 }
  const shown = seen + page.blocks.length
  return {
    blocks: page.blocks,
    remaining: Math.max(1, (await readWaiting(tx)) - shown),
    cursor: `${shown}:${page.cursor}`,
  }
}

/** Reads our cursor, which has the number of blocks shown before, and the store's own cursor. */
function opened(cursor: string | undefined): { readonly seen: number; readonly inner?: string } {
  const match = /^(\d+):(.*)$/s.exec(cursor ?? '')
  if (match === null) return cursor === undefined ? { seen: 0 } : { seen: 0, inner: cursor }
  return { seen: Number(match[1]), inner: match[2] ?? '' }
}

function toBlockToJudge(block: Block): z.output<typeof blockToJudge> {
  const { judgementPending, alignment, scoredAt } = block
  return {
    ...schemas.toWaitingBlock(block),
    ...(judgementPending ? { judgementPending } : {}),
    ...defined({ alignment, scoredAt }),
  }
}

function waitingSentence(shown: number, remaining: number): string {
  if (shown === 0) return 'The inbox is empty.'
  if (remaining === 0) return `${count(shown, 'waiting block')}; dream() judges and links them.`
  return `${count(shown, 'waiting block')}, ${remaining} more wait.`
}
