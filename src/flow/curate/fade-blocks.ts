import {
  bridgeThreshold,
  type FadeRule,
  fadeRule,
  isBridge,
  isFaint,
  mayFade,
} from '../../domain/score/formulas.ts'
import { count } from '../../domain/text/text.ts'
import type { BlockVitality, StoreReader } from '../../ports/store/transaction.ts'
import { archive } from '../blocks/archive.ts'
import { type CallContext, type Engine, nextTurn } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'

/** Blocks read at a time. */
const PAGE = 1_000
/** Quantile of the degree from which faint blocks are kept, since they are well joined. */
const BRIDGE_QUANTILE = 0.8

/** Blocks archived in one transaction: each takes its edges along, up to the degree cap. */
const BATCH = 32

/** The ids of the blocks that a curation archived, and the decay of the others. */
export interface FadedBlocks {
  readonly archived: readonly string[]
  /** Decay of the blocks that stay active, by id. */
  readonly lambdas: ReadonlyMap<string, number>
}

/**
 * Archives, reversibly, the active blocks that faded below the limit; bridges of the graph and permanent blocks stay.
 * Blocks are read without a lock and archived in small transactions, each only if it is still faint. One statement for
 * 1,000 blocks and a few for 32 that leave, which need not be durable before the curation is.
 */
export async function fadeBlocks(engine: Engine, context: CallContext, hours: number): Promise<FadedBlocks> {
  const { settings } = engine
  const rule = fadeRule(settings)
  const faint: BlockVitality[] = []
  const degrees: number[] = []
  const lambdas = new Map<string, number>()
  for (let after = 0; ; ) {
    const page = await engine.store.read((tx: StoreReader) => tx.vitalityPage(after, PAGE))
    for (const block of page) {
      if (isFaint(block, rule, hours)) faint.push(block)
      degrees.push(block.degree)
      lambdas.set(block.id, block.decayLambda)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) break
    after = last.arrival
    await nextTurn()
  }
  const threshold = bridgeThreshold(degrees, BRIDGE_QUANTILE)
  const wellJoined = faint.filter(({ degree }) => isBridge(degree, threshold)).map(({ id }) => id)
  const bridges = await joinedByDeeds(engine, wellJoined)
  const leaving = faint.filter(({ id }) => !bridges.has(id)).map(({ id }) => id)
  const archived: string[] = []
  for (let at = 0; at < leaving.length; at += BATCH) {
    const ids = leaving.slice(at, at + BATCH)
    const work = (mutation: Mutation) => archiveFaint(rule, mutation, ids)
    archived.push(...(await mutate(engine, context, work, { durable: false })))
    await nextTurn()
  }
  for (const id of archived) lambdas.delete(id)
  return { archived, lambdas }
}

/** Those that somebody or their use joined to another: similarity alone, which dream finds by itself, keeps no faded block. */
async function joinedByDeeds(
  { store }: Pick<Engine, 'store'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const joined = new Set<string>()
  for (let at = 0; at < ids.length; at += PAGE) {
    const around = await store.read((tx) => tx.edgesAround(ids.slice(at, at + PAGE)))
    for (const { edge } of around) if (edge.origin !== 'similarity') joined.add(edge.from).add(edge.to)
  }
  return new Set(ids.filter((id) => joined.has(id)))
}

async function archiveFaint(
  rule: FadeRule,
  { tx, moment, log }: Mutation,
  ids: readonly string[],
): Promise<string[]> {
  const leaving = (await tx.blocks(ids)).filter(
    (block) => mayFade(block) && isFaint(block, rule, moment.hours),
  )
  const archived = (await archive(tx, leaving, { reason: 'decayed', at: moment.at })).map(({ id }) => id)
  await log({
    operation: 'archive',
    blockIds: archived,
    summary: `${count(archived.length, 'faded block')} archived`,
  })
  return archived
}
