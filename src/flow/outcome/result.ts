import type { Block } from '../../domain/block/block.ts'
import type { Edge } from '../../domain/graph/edge.ts'
import type { OutcomeEdges } from '../graph/outcome-edges.ts'
import type { Believed } from './believe.ts'

/** A block nothing was applied to, and why. */
export interface Skipped {
  readonly id: string
  readonly reason: 'constitutional' | 'archived' | 'unknown'
}

/** The changes that one report made, in blocks and edges. */
export interface OutcomeResult {
  /** Blocks with evidence; not those beside the point, of which nothing changed. */
  readonly blocksUpdated: number
  /** Blocks that were said to be beside the point. */
  readonly blocksBeside: number
  /** Of the updated blocks; 0 without any. */
  readonly meanConfidenceDelta: number
  readonly edgesReinforced: number
  readonly outcomeEdgesCreated: number
  readonly edgesWeakened: number
  readonly edgesSkippedByCap: number
  readonly edgesSkippedAsDisconnected: number
  /** Edges evicted for new ones. */
  readonly displaced: readonly Edge[]
  readonly blocksPenalized: number
  /** Only of a report about a set: blocks whose clocks started anew. */
  readonly clocksMoved?: number
  /** Waiting blocks; applied when they are promoted. */
  readonly queued: readonly string[]
  /** Of those that the report or the citations name. */
  readonly skipped: readonly Skipped[]
  /** The recall the reports were taken to be about. */
  readonly recallId?: number
  /** True if the answer cites a block that the recall returned. */
  readonly cites?: boolean
  /** Blocks that the answer cites and that were not skipped. */
  readonly credited?: readonly string[]
  /** Blocks whose words the answer says again, where it cites none: only their clocks moved. */
  readonly guessed?: readonly string[]
  /** The entry of the log; absent when nothing changed, so that there is nothing to take back. */
  readonly operationId?: number
  readonly hint?: string
}

/** Counts the effects of a report on blocks and edges. */
export function countsOf(
  believed: readonly Believed[],
  before: readonly Block[],
  { edges, beside }: { readonly edges: OutcomeEdges; readonly beside: number },
) {
  const lambdas = new Map(before.map(({ id, decayLambda }) => [id, decayLambda]))
  const delta = believed.reduce(
    (sum, { record }) => sum + record.confidenceAfter - record.confidenceBefore,
    0,
  )
  return {
    blocksUpdated: believed.length,
    blocksBeside: beside,
    meanConfidenceDelta: believed.length === 0 ? 0 : delta / believed.length,
    edgesReinforced: edges.reinforced,
    outcomeEdgesCreated: edges.created,
    edgesWeakened: edges.weakened,
    edgesSkippedByCap: edges.skippedByCap,
    edgesSkippedAsDisconnected: edges.skippedAsDisconnected,
    displaced: edges.displacements.map(({ edge }) => edge),
    blocksPenalized: believed.filter(({ block }) => block.decayLambda > (lambdas.get(block.id) ?? 0)).length,
  }
}
