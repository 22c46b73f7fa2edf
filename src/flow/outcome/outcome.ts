import type { Block } from '../../domain/block/block.ts'
import { isConstitutional } from '../../domain/block/tags.ts'
import { type Edge, pairsAmong } from '../../domain/graph/edge.ts'
import { count } from '../../domain/text/count.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { learnEdges, NO_OUTCOME_EDGES, type OutcomeEdges } from '../graph/outcome-edges.ts'
import { type Believed, believe, useful } from './believe.ts'
import { checkReport, type OutcomeInput, type Reports, reportsOf } from './reports.ts'

/** A block nothing was applied to, and why. */
export interface Skipped {
  readonly id: string
  readonly reason: 'constitutional' | 'archived' | 'unknown'
}

export interface OutcomeResult {
  readonly blocksUpdated: number
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
  readonly skipped: readonly Skipped[]
  readonly hint?: string
}

interface Sorted {
  readonly active: readonly Block[]
  readonly inbox: readonly Block[]
  readonly skipped: readonly Skipped[]
}

const WHOLE_RECALL = 3

/** How it went, into belief, decay and edges. A report about a set moves only clocks and staging. No model. */
export function outcome(engine: Engine, context: CallContext, input: OutcomeInput): Promise<OutcomeResult> {
  const { outcomeReinforceThreshold } = engine.settings.memory
  checkReport(input, outcomeReinforceThreshold)
  return mutate(engine, context, async (mutation) => {
    const reports = await reportsOf(mutation.tx, input, outcomeReinforceThreshold)
    const sorted = await sortBlocks(mutation.tx, reports, input.allowConstitutional)
    const apply = input.scope === 'set' ? applyToSet : applyToBlocks
    const applied = await apply(engine, mutation, { input, reports, sorted })
    const hint = hintFor(engine, input, reports)
    engine.session.noteTouched(sorted.active.map(({ id }) => id))
    return { ...applied, skipped: sorted.skipped, ...(hint === undefined ? {} : { hint }) }
  })
}

interface Application {
  readonly input: OutcomeInput
  readonly reports: Reports
  readonly sorted: Sorted
}

async function sortBlocks(
  tx: StoreReader,
  { signals, unknown }: Reports,
  allowConstitutional: boolean,
): Promise<Sorted> {
  const blocks = await tx.blocks([...signals.keys()])
  const open = (block: Block): boolean => allowConstitutional || !isConstitutional(block.tags)
  const archived = blocks.filter(({ status }) => status === 'archived')
  const living = blocks.filter(({ status }) => status !== 'archived')
  const named = (reason: Skipped['reason']) => (id: string) => ({ id, reason })
  const idOf = ({ id }: Block): string => id
  return {
    active: living.filter((block) => block.status === 'active' && open(block)),
    inbox: living.filter((block) => block.status === 'inbox' && open(block)),
    skipped: [
      ...unknown.map(named('unknown')),
      ...archived.map(idOf).map(named('archived')),
      ...living
        .filter((block) => !open(block))
        .map(idOf)
        .map(named('constitutional')),
    ],
  }
}

async function applyToBlocks(engine: Engine, mutation: Mutation, { input, reports, sorted }: Application) {
  const { settings } = engine
  const { tx, moment, log } = mutation
  const { weight, source } = input
  const signalOf = ({ id }: Block): number => reports.signals.get(id) ?? 0
  const believed = sorted.active.map((block) =>
    believe(block, { signal: signalOf(block), weight, source }, { settings, moment }),
  )
  await tx.saveBlocks(believed.map(({ block }) => block))
  const { keepOutcomes } = settings.memory
  await tx.appendOutcomes(
    believed.map(({ record }) => record),
    keepOutcomes,
  )
  await tx.queueOutcomes(
    sorted.inbox.map((block) => ({ blockId: block.id, signal: signalOf(block), weight, source })),
    keepOutcomes,
  )
  const signals = new Map(sorted.active.map((block) => [block.id, signalOf(block)]))
  const edges = await learnEdges(engine, mutation, signals)
  await log({
    operation: 'outcome',
    blockIds: [...sorted.active, ...sorted.inbox].map(({ id }) => id),
    summary: `${count(believed.length, 'block')} updated, ${sorted.inbox.length} queued`,
    ...(source === '' ? {} : { reason: source }),
    before: {
      blocks: sorted.active.map(({ id, successes, failures, decayLambda }) => ({
        id,
        successes,
        failures,
        decayLambda,
      })),
      displacements: edges.displacements,
    },
  })
  return { ...countsOf(believed, sorted.active, edges), queued: sorted.inbox.map(({ id }) => id) }
}

/** Nobody said which block it was: no evidence, no edges (lifecycle bench: crediting whole sets cost 2.8 points of recall). */
async function applyToSet(engine: Engine, mutation: Mutation, { input, reports, sorted }: Application) {
  const { tx, moment, session, log } = mutation
  const { memory, graph } = engine.settings
  const helped = sorted.active.filter(
    ({ id }) => (reports.signals.get(id) ?? 0) > memory.outcomeReinforceThreshold,
  )
  await tx.saveBlocks(helped.map((block) => useful(block, moment.hours)))
  await tx.stagePairs(pairsAmong(helped.slice(0, memory.coRetrievalBlocks).map(({ id }) => id)), {
    session,
    threshold: memory.coRetrievalThreshold,
    limit: memory.coRetrievalStagingMax,
    disconnectedSince: moment.hours - graph.disconnectHours,
  })
  await log({
    operation: 'outcome',
    blockIds: helped.map(({ id }) => id),
    summary: `a set of ${reports.signals.size} was reported; ${helped.length} clocks moved`,
    ...(input.source === '' ? {} : { reason: input.source }),
  })
  const nothing = countsOf([], [], NO_OUTCOME_EDGES)
  return { ...nothing, clocksMoved: helped.length, queued: [] }
}

function countsOf(believed: readonly Believed[], before: readonly Block[], edges: OutcomeEdges) {
  const delta = believed.reduce(
    (sum, { record }) => sum + record.confidenceAfter - record.confidenceBefore,
    0,
  )
  return {
    blocksUpdated: believed.length,
    meanConfidenceDelta: believed.length === 0 ? 0 : delta / believed.length,
    edgesReinforced: edges.reinforced,
    outcomeEdgesCreated: edges.created,
    edgesWeakened: edges.weakened,
    edgesSkippedByCap: edges.skippedByCap,
    edgesSkippedAsDisconnected: edges.skippedAsDisconnected,
    displaced: edges.displacements.map(({ edge }) => edge),
    blocksPenalized: believed.filter(({ block }, at) => block.decayLambda > (before[at]?.decayLambda ?? 0))
      .length,
  }
}

function hintFor(
  engine: Engine,
  { blockIds, scope }: OutcomeInput,
  { signals }: Reports,
): string | undefined {
  if (blockIds === undefined || scope === 'set') return undefined
  const recalled = new Set(engine.session.breadcrumbs.lastRecallBlockIds)
  const values = new Set(signals.values())
  const isWhole = signals.size === recalled.size && [...signals.keys()].every((id) => recalled.has(id))
  if (!isWhole || recalled.size < WHOLE_RECALL || values.size !== 1) return undefined
  return 'These are all blocks of the last recall with one signal. Naming which of them helped (helped, notHelped) teaches more.'
}
