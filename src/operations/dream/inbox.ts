import * as z from 'zod'
import type { Block } from '../../block/block.ts'
import { codePointLength, count, defined, preview, takeCodePoints } from '../../block/text.ts'
import { isNewer } from '../../block/validity.ts'
import { JUDGING, pendingJudgementFilter } from '../../dream/judgement.ts'
import type { Engine } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import type { Ends } from '../../graph/edge.ts'
import { findOutdated, type Outdated } from '../../intake/supersede.ts'
import { recall } from '../../recall/recall.ts'
import { readBlocks, readPage, readWaiting } from '../../store/blocks.ts'
import { readOpenPairs } from '../../store/graph.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { alias, blocksRest, outdatedBlock, toOutdatedBlock } from '../schemas.ts'
import { sentences, shortId, wholeText } from '../wording.ts'

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

/** More at once are more than a reader judges well. */
const JUDGED_AT_ONCE = 50

const limit = z.int().min(1).max(500)

const blockToJudge = schemas.waitingBlock.extend({
  judgementPending: schemas.judgementPending,
  alignment: z.number().optional().describe('As it was judged before'),
  scoredAt: z.string().optional().describe('When it was judged last; absent: never'),
})

const input = z.object({
  limit: limit.default(20).describe('At most so many blocks'),
  maxCount: alias('limit', limit.optional()),
  max: alias('limit', limit.optional()),
  cursor: schemas.cursor.optional(),
  identity: z.boolean().default(false).describe('Also the self frame, to judge against'),
  pairs: z
    .int()
    .min(0)
    .max(JUDGED_AT_ONCE)
    .default(0)
    .describe('Also so many pairs whose relation nobody named'),
  openPairs: z
    .int()
    .min(0)
    .max(JUDGED_AT_ONCE)
    .default(0)
    .describe('Also so many open pairs for resolve(), oldest first'),
  openPairsCursor: schemas.cursor.optional(),
  pendingJudgement: z
    .int()
    .min(0)
    .max(JUDGED_AT_ONCE)
    .default(0)
    .describe('Also so many active blocks that nobody judged, or long ago'),
  outdated: z
    .int()
    .min(0)
    .max(500)
    .default(20)
    .describe('Also so many blocks that rest on what holds no more')
    .meta({ unlisted: true }),
})

/** Returns waiting blocks with a cursor, oldest first; nothing is taken out of the inbox. */
export const inbox = defineScopedOperation({
  name: 'inbox',
  summary: 'Read what waits for a dream, and for a judgement, oldest first.',
  guide: {
    when: 'To judge blocks and pairs yourself, without a model; then dream() with hostAnalyses and edgeLabels.',
    whenNot: 'To find something: recall() finds what waits, too.',
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
    openPairsTotal: z.int().optional().describe('How many pairs are open; with the first page of them'),
    openPairsCursor: z.string().optional().describe('Pass it to get those behind these'),
    pendingJudgement: z
      .array(blockToJudge)
      .readonly()
      .optional()
      .describe('Those that no model judged, then those judged the longest ago; only when asked for'),
    outdated: z
      .array(outdatedBlock)
      .readonly()
      .optional()
      .describe('Blocks that rest on what holds no more: edit or replace them'),
    identity: z.string().optional().describe('The self frame; empty while nothing of it is active'),
    summary: schemas.summary,
  }),
  page: 'limit',
  run: async (engine, asked, context) => {
    const { pairs, openPairs, openPairsTotal, pendingJudgement, outdated, ...waiting } = await read(
      engine,
      asked,
    )
    const self = asked.identity
      ? await recall(engine, { frame: 'self', reinforce: false, suggest: false }, context)
      : undefined
    return {
      ...defined({ identity: self?.text }),
      blocks: waiting.blocks.map(schemas.toWaitingBlock),
      remaining: waiting.remaining,
      ...defined({ cursor: waiting.cursor }),
      ...defined({ pairs: pairs?.items, openPairs: openPairs?.items }),
      ...defined({ openPairsTotal, openPairsCursor: openPairs?.cursor }),
      ...(pendingJudgement && { pendingJudgement: pendingJudgement.items.map(toBlockToJudge) }),
      ...(outdated.blocks.length > 0 && {
        outdated: outdated.blocks.map((block) => toOutdatedBlock(block, outdated.grounds.get(block.id))),
      }),
      summary: sentences(
        waitingSentence(waiting.blocks.length, waiting.remaining),
        pendingJudgement &&
          `${count(pendingJudgement.items.length, 'active block')}${pendingJudgement.more ? ' and more' : ''} to judge.`,
        outdated.blocks.length > 0 &&
          `${blocksRest(outdated.blocks.length)} on what holds no more${outdated.more ? ', and more' : ''}.`,
        pairs && `${count(pairs.items.length, 'pair')}${pairs.more ? ' and more' : ''} to label.`,
        openPairs && openPairsSentence(openPairs, openPairsTotal),
      ),
    }
  },
  render: ({ blocks, pairs = [], openPairs = [], pendingJudgement = [], outdated = [], summary }) =>
    [
      ...blocks.map(({ id, category, content }) => `${shortId(id)}  [${category}]  ${preview(content, 80)}`),
      ...pendingJudgement.map(
        ({ id, judgementPending, scoredAt, content }) =>
          `${shortId(id)}  to judge (${judgementPending ? 'pending' : (scoredAt?.slice(0, 10) ?? 'never judged')})  ${preview(content, 80)}`,
      ),
      ...outdated.flatMap(({ id, content, restsOnOutdated }) => [
        wholeText(`${shortId(id)}  rests on what is outdated  `, content),
        ...restsOnOutdated.map((ground) =>
          wholeText(`${shortId(ground.id)}  ${ground.why}  `, ground.content),
        ),
      ]),
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

const NONE_OUTDATED: Outdated = { blocks: [], grounds: new Map(), more: false }

/** Returns what waits for a dream and, if asked for, for a label or a judgement. Changes nothing. A few statements. */
function read(engine: Engine, asked: Asked) {
  const { pairs, openPairs: limit, openPairsCursor, pendingJudgement, cursor, outdated } = asked
  return engine.store.read(async (tx) => ({
    ...(await waitingBlocks(tx, asked)),
    outdated:
      cursor === undefined && outdated > 0
        ? await findOutdated(tx, { at: engine.session.moment((await tx.state()).clock).at, most: outdated })
        : NONE_OUTDATED,
    pairs: pairs > 0 ? await pairsToLabel(tx, pairs) : undefined,
    openPairs: limit > 0 ? await openPairsPage(tx, { limit, cursor: openPairsCursor }) : undefined,
    openPairsTotal:
      limit > 0 && openPairsCursor === undefined ? (await tx.queries.counts()).openPairs : undefined,
    pendingJudgement: pendingJudgement > 0 ? await blocksToJudge(engine, tx, pendingJudgement) : undefined,
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

async function blocksToJudge(engine: Engine, tx: ReadTransaction, limit: number): Promise<First<Block>> {
  const pendingJudgement = await tx.queries.pendingJudgements(pendingJudgementFilter(engine, limit + 1))
  return { items: pendingJudgement.slice(0, limit), more: pendingJudgement.length > limit }
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

function openPairsSentence({ items, cursor }: OpenPairs, total: number | undefined): string {
  if (items.length === 0) return 'No pair is open.'
  const of = total === undefined || total === items.length ? '' : ` of ${total}`
  const more = cursor === undefined ? '' : ` For more add openPairsCursor: '${cursor}'.`
  return `${count(items.length, 'open pair')}${of}; resolve() decides about each.${more}`
}
