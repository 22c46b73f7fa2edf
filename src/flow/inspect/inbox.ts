import type { Block } from '../../domain/block/block.ts'
import { isNewer } from '../../domain/block/standing.ts'
import { codePointLength, takeCodePoints } from '../../domain/text/text.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'
import { pendingJudgementFilter } from '../judge/pending-judgements.ts'

/** Which of the waiting blocks, and what else a host may judge. */
export interface InboxInput {
  readonly maxCount: number
  /** The `cursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many pairs that wait for a label. */
  readonly pairs: number
  /** At most so many active blocks that want a judgement. */
  readonly pendingJudgement: number
}

/** One block of a pair, with as much of its text as its relation to another shows in. */
interface PairSide {
  readonly id: string
  readonly content: string
  /** The content goes on. */
  readonly truncated?: true
}

/** Two blocks that belong together somehow; whoever judges says how the newer relates to the older. */
interface PairToLabel {
  readonly newer: PairSide
  readonly older: PairSide
  /** Of the two contents, 0..1. */
  readonly cosine: number
}

/** The first of something, and whether there is more. */
interface Some<T> {
  readonly items: readonly T[]
  readonly more: boolean
}

export interface InboxResult {
  /** Oldest first. */
  readonly blocks: readonly Block[]
  /** How many wait behind these. */
  readonly remaining: number
  readonly cursor?: string
  readonly pairs?: Some<PairToLabel>
  /** Those a model did not judge first, then those never judged, then those judged longest ago. */
  readonly pendingJudgement?: Some<Block>
}

/**
 * Returns what waits for a dream and, if asked for, for a label or a judgement, so that a host can read and
 * judge it. Changes nothing. At most six statements.
 */
export function inbox(
  engine: Engine,
  { pairs, pendingJudgement, ...page }: InboxInput,
): Promise<InboxResult> {
  return engine.store.read(async (tx) => ({
    ...(await waitingBlocks(tx, page)),
    ...(pairs > 0 ? { pairs: await pairsToLabel(engine, tx, pairs) } : {}),
    ...(pendingJudgement > 0 ? { pendingJudgement: await blocksToJudge(engine, tx, pendingJudgement) } : {}),
  }))
}

async function waitingBlocks(
  tx: StoreReader,
  { maxCount, cursor }: Pick<InboxInput, 'maxCount' | 'cursor'>,
): Promise<InboxResult> {
  const { seen, inner } = opened(cursor)
  const page = await tx.page({
    status: 'inbox',
    order: 'arrival',
    limit: maxCount,
    ...(inner === undefined ? {} : { cursor: inner }),
  })
  if (page.cursor === undefined) return { blocks: page.blocks, remaining: 0 }
  const shown = seen + page.blocks.length
  return {
    blocks: page.blocks,
    remaining: Math.max(1, (await tx.waiting()) - shown),
    cursor: `${shown}:${page.cursor}`,
  }
}

async function pairsToLabel(
  { settings }: Engine,
  tx: StoreReader,
  limit: number,
): Promise<Some<PairToLabel>> {
  const waiting = await tx.unlabelledPairs(limit + 1)
  const shown = waiting.slice(0, limit)
  const ids = [...new Set(shown.flatMap(({ from, to }) => [from, to]))]
  const blocks = new Map((await tx.blocks(ids)).map((block) => [block.id, block]))
  const side = (block: Block) => sideOf(block, settings.llm.charactersPerSide)
  const items = shown.flatMap(({ from, to, cosine }): PairToLabel[] => {
    const [one, other] = [blocks.get(from), blocks.get(to)]
    if (!one || !other) return []
    const [newer, older] = isNewer(one, other) ? [one, other] : [other, one]
    return [{ newer: side(newer), older: side(older), cosine }]
  })
  return { items, more: waiting.length > limit }
}

function sideOf({ id, content }: Block, most: number): PairSide {
  if (codePointLength(content) <= most) return { id, content }
  return { id, content: `${takeCodePoints(content, most)}…`, truncated: true }
}

async function blocksToJudge(engine: Engine, tx: StoreReader, limit: number): Promise<Some<Block>> {
  if (!engine.settings.rescore.enabled) return { items: [], more: false }
  const pendingJudgement = await tx.pendingJudgements(pendingJudgementFilter(engine, limit + 1))
  return { items: pendingJudgement.slice(0, limit), more: pendingJudgement.length > limit }
}

/** Ours counts what was shown before the store's own cursor. */
function opened(cursor: string | undefined): { readonly seen: number; readonly inner?: string } {
  const match = /^(\d+):(.*)$/s.exec(cursor ?? '')
  if (match === null) return cursor === undefined ? { seen: 0 } : { seen: 0, inner: cursor }
  return { seen: Number(match[1]), inner: match[2] ?? '' }
}
