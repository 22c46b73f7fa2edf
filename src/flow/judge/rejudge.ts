import type { Block } from '../../domain/block/block.ts'
import { count } from '../../domain/text/count.ts'
import { reindex } from '../blocks/reindex.ts'
import { setTags } from '../blocks/set-tags.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { type Analysis, applyAnalysis } from './host-analysis.ts'

export interface Rejudged {
  /** Ids of the blocks that were judged anew. */
  readonly blockIds: readonly string[]
  readonly refusedTags: readonly string[]
}

/** Blocks in one transaction. */
const BATCH = 50

/**
 * Writes new judgements of active blocks: alignment, summary and the identity tags an analysis may grant. Evidence from
 * outcomes is left alone (W52). Whoever was changed or archived since it was read stays as it is. A few statements for 50.
 */
export async function rejudge(
  engine: Engine,
  context: CallContext,
  {
    blocks,
    analyses,
  }: { readonly blocks: readonly Block[]; readonly analyses: ReadonlyMap<string, Analysis> },
): Promise<Rejudged> {
  const blockIds: string[] = []
  const refusedTags: string[] = []
  const judged = blocks.filter(({ id }) => analyses.has(id))
  for (let at = 0; at < judged.length; at += BATCH) {
    const batch = judged.slice(at, at + BATCH)
    const work = (mutation: Mutation) => write(engine, mutation, { batch, analyses })
    const done = await mutate(engine, context, work)
    blockIds.push(...done.blockIds)
    refusedTags.push(...done.refusedTags)
  }
  return { blockIds, refusedTags }
}

async function write(
  { settings, analysis: words }: Engine,
  { tx, moment, log }: Mutation,
  { batch, analyses }: { readonly batch: readonly Block[]; readonly analyses: ReadonlyMap<string, Analysis> },
): Promise<Rejudged> {
  const read = new Map(batch.map((block) => [block.id, block]))
  const now = await tx.blocks([...read.keys()])
  const same = now.filter(
    ({ id, status, content }) => status === 'active' && content === read.get(id)?.content,
  )
  const judged = same.map((before) => {
    const { block, refusedTags } = applyAnalysis(before, analyses.get(before.id) as Analysis, {
      settings,
      at: moment.at,
    })
    const after = setTags({ ...block, tags: before.tags }, { tags: block.tags }, settings.decay)
    return { before, after, refusedTags }
  })
  if (judged.length === 0) return { blockIds: [], refusedTags: [] }
  await tx.saveBlocks(judged.map(({ after }) => after))
  await reindex(
    tx,
    judged.flatMap(({ before, after }) => (before.summary === after.summary ? [] : [after])),
    words,
  )
  const blockIds = judged.map(({ after }) => after.id)
  await log({
    operation: 'rescore',
    blockIds,
    summary: `${count(blockIds.length, 'block')} judged anew`,
    before: judged.map(({ before: { id, alignment, summary, tags } }) => ({ id, alignment, summary, tags })),
  })
  return { blockIds, refusedTags: judged.flatMap(({ refusedTags }) => refusedTags) }
}
