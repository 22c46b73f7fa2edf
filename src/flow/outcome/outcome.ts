import type { Block } from '../../domain/block/block.ts'
import { isConstitutional } from '../../domain/block/tags.ts'
import { pairsAmong } from '../../domain/graph/edge.ts'
import type { BlockReport } from '../../domain/score/experience.ts'
import { count, defined } from '../../domain/text/text.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { NO_OUTCOME_EDGES } from '../graph/outcome-edges.ts'
import { attribute, type ReportedRecall, recallsOf, withCredit } from './attribution.ts'
import { believe, useful } from './believe.ts'
import { learnByRecall, type Taken } from './learn.ts'
import { checkReport, type OutcomeInput, type Reports, reportsOf } from './reports.ts'
import { countsOf, type OutcomeResult, type Skipped } from './result.ts'

/** The blocks of a report, by what can be done to them. */
interface Sorted {
  readonly active: readonly Block[]
  readonly inbox: readonly Block[]
  readonly skipped: readonly Skipped[]
}

const WHOLE_RECALL = 3

/** How it went, into belief, decay and edges. A report about a set moves only clocks and staging. No model. */
export async function outcome(
  engine: Engine,
  context: CallContext,
  input: OutcomeInput,
): Promise<OutcomeResult> {
  checkReport(input, engine.settings.memory.outcomeReinforceThreshold)
  // What replaced a block that misled is looked for in the index, which a command has not read yet.
  if (mayMislead(input, engine.settings.memory.penalizeThreshold))
    await engine.store.read((tx) => engine.index.refresh(tx))
  const { taken, ...result } = await mutate(engine, context, (mutation) =>
    apply(engine, mutation, input, context),
  )
  if (taken !== undefined) engine.experience.took(taken.lesson, taken.mark)
  return result
}

function mayMislead({ misled, blockIds, signal = 1, about }: OutcomeInput, below: number): boolean {
  return misled !== undefined || (blockIds !== undefined && signal < below && about === 'blocks')
}

async function apply(
  engine: Engine,
  mutation: Mutation,
  input: OutcomeInput,
  context: CallContext,
): Promise<OutcomeResult & { readonly taken: Taken | undefined }> {
  const { memory, learning } = engine.settings
  const { tx, moment } = mutation
  const { weight } = input
  const { reports: said, unknown } = await reportsOf(tx, input, memory.outcomeReinforceThreshold)
  const asked = await recallsOf(engine, tx, input, context, [...said.keys()])
  const [{ recall } = { recall: undefined }] = asked
  const credit = recall && input.answer !== undefined ? await attribute(tx, input.answer, recall) : undefined
  const reports = credit ? withCredit(said, credit, { weight, ...learning }) : said
  const sorted = await sortBlocks(tx, { reports, unknown }, input.allowConstitutional)
  const used = credit ? await tx.reinforceBlocks(credit.used, moment.hours) : []
  const uncited = new Set(credit?.uncited.filter((id) => !said.has(id)))
  const { source } = input
  const applying = { reports, sorted, asked, uncited, operation: 'outcome', source }
  const { entry, hasChanged, ...applied } =
    input.about === 'set'
      ? await applyToSet(engine, mutation, { input, reports, sorted })
      : await applyToBlocks(engine, mutation, applying)
  engine.session.noteTouched(sorted.active.map(({ id }) => id))
  const living = new Set([...sorted.active, ...sorted.inbox].map(({ id }) => id))
  const isCredited = (id: string): boolean =>
    living.has(id) && (reports.get(id)?.signal ?? 0) > memory.outcomeReinforceThreshold
  return {
    ...applied,
    // Nobody asked for anything to be done to those that an answer leaves uncited.
    skipped: sorted.skipped.filter(({ id }) => !uncited.has(id)),
    ...defined({ recallId: recall?.id, operationId: hasChanged || used.length > 0 ? entry : undefined }),
    ...(credit && {
      cites: credit.cited.length > 0,
      credited: credit.cited.filter(isCredited),
      guessed: used,
    }),
    ...defined({ hint: hintFor(engine, input, reports) }),
  }
}

/** Reports that are to be applied to blocks, and under which name. */
export interface Application {
  /** Its name in the log. */
  readonly operation: string
  /** For the log, and the audit of each block. */
  readonly source: string
  /** True if nobody said it: the log tells where it comes from then. */
  readonly isImplicit?: true
  /** The source in the audit of single blocks, where it is another. */
  readonly sourceOf?: (id: string) => string
  readonly reports: ReadonlyMap<string, BlockReport>
  readonly sorted: Sorted
  /** Newest first; those of an answer are about one recall. */
  readonly asked: readonly ReportedRecall[]
  /** Blocks nobody said anything about: an answer cites others. */
  readonly uncited: ReadonlySet<string>
}

/** Parts the reported blocks by what can be done to them. One statement. */
export async function sortBlocks(
  tx: StoreReader,
  { reports, unknown }: Reports,
  allowConstitutional: boolean,
): Promise<Sorted> {
  const blocks = await tx.blocks([...reports.keys()])
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

/** Applies reports about single blocks in an open transaction, and logs them as one entry. */
export async function applyToBlocks(engine: Engine, mutation: Mutation, application: Application) {
  const { operation, source, sourceOf = () => source, reports, sorted } = application
  const { settings } = engine
  const { tx, moment, log } = mutation
  const reportOf = ({ id }: Block) => reports.get(id) as BlockReport
  const isBeside = (block: Block): boolean => reportOf(block).beside
  const isTold = ({ id }: Block): boolean => !application.uncited.has(id)
  const [told, waiting] = [sorted.active.filter(isTold), sorted.inbox.filter(isTold)]
  const believed = told.map((block) =>
    believe(block, { ...reportOf(block), source: sourceOf(block.id) }, { settings, moment }),
  )
  await tx.saveBlocks(believed.map(({ block }) => block))
  const { keepOutcomes } = settings.memory
  await tx.appendOutcomes(
    believed.map(({ record }) => record),
    keepOutcomes,
  )
  const queued = waiting.filter((block) => !isBeside(block))
  await tx.queueOutcomes(
    queued.map((block) => {
      const { signal, weight } = reportOf(block)
      return { blockId: block.id, signal, weight, source: sourceOf(block.id) }
    }),
    keepOutcomes,
  )
  const { taken, edges } = await learnByRecall(engine, mutation, application)
  const beside = [...told, ...waiting].filter(isBeside).length
  const changed = believed.filter(({ record }) => !reports.get(record.blockId)?.beside)
  const entry = await log({
    operation,
    blockIds: [...told, ...waiting].map(({ id }) => id),
    summary: `${application.isImplicit ? `${source}; ` : ''}${count(changed.length, 'block')} updated, ${queued.length} queued${beside > 0 ? `, ${beside} beside the point` : ''}`,
    ...(source === '' ? {} : { reason: source }),
    before: {
      blocks: told.map(({ id, successes, failures, decayLambda }) => ({
        id,
        successes,
        failures,
        decayLambda,
      })),
      displacements: edges.displacements,
    },
  })
  const counts = countsOf(changed, told, { edges, beside })
  return { ...counts, queued: queued.map(({ id }) => id), entry, hasChanged: taken !== undefined, taken }
}

/** Nobody said which block it was: no evidence, no edges (lifecycle bench: crediting whole sets cost 2.8 points of recall). */
async function applyToSet(
  engine: Engine,
  mutation: Mutation,
  { input, reports, sorted }: Pick<Application, 'reports' | 'sorted'> & { readonly input: OutcomeInput },
) {
  const { log } = mutation
  const { memory } = engine.settings
  const helped = sorted.active.filter(
    ({ id }) => (reports.get(id)?.signal ?? 0) > memory.outcomeReinforceThreshold,
  )
  await keepFresh(engine, mutation, helped)
  const entry = await log({
    operation: 'outcome',
    blockIds: helped.map(({ id }) => id),
    summary: `a set of ${reports.size} was reported; ${count(helped.length, 'clock')} moved`,
    ...(input.source === '' ? {} : { reason: input.source }),
  })
  const nothing = countsOf([], [], { edges: NO_OUTCOME_EDGES, beside: 0 })
  const hasChanged = helped.length > 0
  return { ...nothing, clocksMoved: helped.length, queued: [], entry, hasChanged, taken: undefined }
}

/** Blocks that were used together, of which nobody knows how it went: their clocks start anew, and their pairs are staged. */
async function keepFresh(
  { settings: { memory, graph } }: Engine,
  { tx, moment, session }: Mutation,
  used: readonly Block[],
): Promise<void> {
  await tx.saveBlocks(used.map((block) => useful(block, moment.hours)))
  await tx.stagePairs(pairsAmong(used.slice(0, memory.coRetrievalBlocks).map(({ id }) => id)), {
    mark: session,
    threshold: memory.coRetrievalThreshold,
    limit: memory.coRetrievalStagingMax,
    disconnectedSince: moment.hours - graph.disconnectHours,
  })
}

function hintFor(
  engine: Engine,
  { blockIds, about }: OutcomeInput,
  reports: ReadonlyMap<string, BlockReport>,
): string | undefined {
  if (blockIds === undefined || about === 'set') return undefined
  const recalled = new Set(engine.session.breadcrumbs.lastRecallBlockIds)
  const values = new Set([...reports.values()].map(({ signal }) => signal))
  const isWhole = reports.size === recalled.size && [...reports.keys()].every((id) => recalled.has(id))
  if (!isWhole || recalled.size < WHOLE_RECALL || values.size !== 1) return undefined
  return 'These are all blocks of the last recall with one signal. Naming which of them helped (helped, misled) teaches more.'
}
