import type { DreamRecord, TokenUsage } from '../../domain/advice/counts.ts'
import { defined } from '../../domain/text/text.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { AUTO, CURATE } from '../engine/engine.ts'

/** The newest dream of the log. */
export interface LastDream extends DreamRecord {
  /** The number of its entry. */
  readonly operationId: number
  /** The run of all its entries. */
  readonly run: string
  /** ISO-8601 UTC. */
  readonly at: string
  readonly actor: string
  /** Faded blocks archived by the curation that it found due. */
  readonly archived: number
  readonly tokens?: TokenUsage
}

/** Who curates at the end of a dream. */
const BY_DREAMS: readonly string[] = [AUTO, CURATE]

/** Curations by hand since then that are passed over. */
const CURATIONS_MOST = 20

/**
 * Reads the newest dream from its entry of the log, and from that of the curation it began. Undefined when the log has none, or
 * one of a version that kept no record. Two statements.
 */
export async function readLastDream(tx: StoreReader): Promise<LastDream | undefined> {
  const [entry] = await tx.operations({ operation: 'dream', limit: 1 })
  if (entry?.result === undefined || entry.run === undefined) return undefined
  const { id, run, at, actor, tokens, result } = entry
  const curations = await tx.operations({ operation: 'curate', limit: CURATIONS_MOST })
  const own = curations.find((each) => each.id > id && BY_DREAMS.includes(each.actor))
  return {
    ...{ operationId: id, run, at, actor, ...result },
    archived: own?.blockIds.length ?? 0,
    ...defined({ tokens }),
  }
}
