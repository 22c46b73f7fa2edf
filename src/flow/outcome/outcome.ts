import type { Block } from '../../domain/block/block.ts'
import { isConstitutional } from '../../domain/block/tags.ts'
import { type Edge, pairsAmong } from '../../domain/graph/edge.ts'
import { count } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { learnEdges, NO_OUTCOME_EDGES, type OutcomeEdges } from '../graph/outcome-edges.ts'
import { resolveIds } from '../guard/resolve-ids.ts'
import { type Believed, believe, useful } from './believe.ts'

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
    mark: session,
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

/** Arguments of `outcome`. */
interface OutcomeInput {
  /** Together with `signal`. */
  readonly blockIds?: readonly string[] | undefined
  /** 0 misled .. 1 helped. */
  readonly signal?: number | undefined
  readonly helped?: readonly string[] | undefined
  readonly notHelped?: readonly string[] | undefined
  /** `set`: says how a whole answer did, not which block it was. */
  readonly scope: 'blocks' | 'set'
  readonly weight: number
  readonly source: string
  readonly allowConstitutional: boolean
}

/** The signal of each block by whole id, and what is no block's id. */
interface Reports {
  readonly signals: ReadonlyMap<string, number>
  readonly unknown: readonly string[]
}

/** One report a block, in the order given; refuses two different ones about the same block. */
async function reportsOf(tx: StoreReader, input: OutcomeInput, usefulAbove: number): Promise<Reports> {
  const given = givenReports(input, usefulAbove)
  const { byGiven, unknown } = await resolveIds(
    tx,
    given.map(({ id }) => id),
  )
  const signals = new Map<string, number>()
  for (const { id: named, signal } of given) {
    const id = byGiven.get(named.trim())
    if (id === undefined) continue
    const said = signals.get(id)
    if (said !== undefined && said !== signal) throw contradictory(id)
    signals.set(id, signal)
  }
  return { signals, unknown }
}

/** Throws `INVALID_INPUT` for a report that says nothing or two things; needs no store. */
function checkReport(input: OutcomeInput, usefulAbove: number): void {
  const { blockIds, signal, helped, notHelped, scope, weight } = input
  const byName = helped !== undefined || notHelped !== undefined
  if (blockIds === undefined && !byName)
    throw refused('An outcome needs blocks.', 'Pass helped and notHelped, or blockIds with signal.')
  if (blockIds !== undefined && signal === undefined)
    throw refused('blockIds need a signal.', 'Add signal: 1 for helped, 0 for misled, or anything between.')
  if (scope === 'set' && byName)
    throw refused(
      'A report about a whole set does not say which block helped.',
      'Pass blockIds with signal, or leave scope out.',
    )
  if (blockIds === undefined && signal !== undefined && signal <= usefulAbove)
    throw refused(
      `A signal of ${signal} does not say that a block helped.`,
      `Leave signal out or give one above ${usefulAbove}; name what did not help in notHelped.`,
    )
  if (!inUnit(signal ?? 1) || !(weight > 0 && Number.isFinite(weight)))
    throw refused(
      'A signal lies between 0 and 1 and a weight is a finite number above 0.',
      'Correct the numbers.',
    )
}

function givenReports(input: OutcomeInput, usefulAbove: number) {
  const { blockIds = [], signal = 1, helped = [], notHelped = [] } = input
  const credit = signal > usefulAbove ? signal : 1
  return [
    ...blockIds.map((id) => ({ id, signal })),
    ...helped.map((id) => ({ id, signal: credit })),
    ...notHelped.map((id) => ({ id, signal: 0 })),
  ]
}

function inUnit(value: number): boolean {
  return value >= 0 && value <= 1
}

function contradictory(id: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `Two different things are said about block ${id}.`, {
    recovery: 'Name each block once: in helped, in notHelped, or in blockIds.',
    details: { blockId: id },
  })
}

function refused(message: string, recovery: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', message, { recovery })
}
