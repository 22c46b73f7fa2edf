import type { Settings } from '../../config/settings.ts'
import type { Block } from '../../domain/block/block.ts'
import type { BlockReport } from '../../domain/score/evidence.ts'
import {
  BELIEF,
  confidenceOf,
  penalisedLambda,
  recoveredLambda,
  tierLambda,
  updateEvidence,
} from '../../domain/score/formulas.ts'
import { ElfmemError } from '../../errors.ts'
import type { OutcomeRecord, QueuedOutcome, StoreWriter } from '../../ports/store/transaction.ts'
import { type Lesson, roundedProof } from '../../search/experience/experience.ts'
import { packUnit } from '../../search/index/vectors.ts'
import { REPORTS_MARK, type ReportableRecall, type StoredQuestion } from '../../store/rules/evidence.ts'
import { embedOptionsOf } from '../engine/embedding.ts'
import type { CallContext, Engine, Moment } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'

/** A block after a report, and the line for the audit. */
export interface Believed {
  readonly block: Block
  readonly record: OutcomeRecord
}

/**
 * Returns a block after a report, and the record of it: evidence counts always; when it helped, its clocks
 * start anew and a penalty lessens; when it misled, it fades faster; when it was beside the point, nothing changes.
 */
export function believe(
  block: Block,
  { signal, weight, source, beside = false }: Omit<QueuedOutcome, 'blockId'> & { readonly beside?: boolean },
  { settings, moment }: { readonly settings: Settings; readonly moment: Moment },
): Believed {
  const after = beside
    ? block
    : moved({ ...block, ...updateEvidence(block, { signal, weight }) }, signal, { settings, moment })
  return {
    block: after,
    record: {
      ...{ blockId: block.id, signal, weight, source, at: moment.at },
      confidenceBefore: confidenceOf(block),
      confidenceAfter: confidenceOf(after),
    },
  }
}

/** Returns the block with its clocks at `hours`, as everything leaves it that says that it was useful. */
export function useful(block: Block, hours: number): Block {
  const reinforcementCount = block.reinforcementCount + 1
  return { ...block, reinforcementCount, lastReinforcedAt: hours, lastUsefulAt: hours }
}

function moved(
  block: Block,
  signal: number,
  { settings: { decay }, moment }: { readonly settings: Settings; readonly moment: Moment },
): Block {
  if (signal > BELIEF.usefulAbove) {
    const decayLambda = recoveredLambda(block.decayLambda, tierLambda(block, decay), BELIEF.penaltyFactor)
    return { ...useful(block, moment.hours), decayLambda }
  }
  if (signal >= BELIEF.misledBelow) return block
  const { penaltyFactor: factor, decayMost: ceiling, immuneAt } = BELIEF
  return { ...block, decayLambda: penalisedLambda(block.decayLambda, { factor, ceiling, immuneAt }) }
}

/**
 * Applies what was reported about blocks while they waited, oldest first, and writes the audit. For dream, which saves
 * the blocks it returns: those given, in their order, changed where something was queued. Two statements.
 */
export async function applyQueuedOutcomes(
  tx: StoreWriter,
  blocks: readonly Block[],
  stamp: { readonly settings: Settings; readonly moment: Moment },
): Promise<Block[]> {
  const queued = await tx.takeQueuedOutcomes(blocks.map(({ id }) => id))
  if (queued.length === 0) return [...blocks]
  const byId = new Map(blocks.map((block) => [block.id, block]))
  const records: OutcomeRecord[] = []
  for (const report of queued) {
    const block = byId.get(report.blockId)
    if (block === undefined) continue
    const believed = believe(block, report, stamp)
    byId.set(block.id, believed.block)
    records.push(believed.record)
  }
  await tx.appendOutcomes(records, BELIEF.reportsKept)
  return blocks.map((block) => byId.get(block.id) ?? block)
}

/** Blocks of one report that one recall returned. */
export interface ReportedRecall {
  /** Undefined if no recall of late returned any of them. */
  readonly recall: ReportableRecall | undefined
  readonly blockIds: readonly string[]
}

/** A lesson and the mark under which it was written. */
export interface Taken {
  readonly lesson: Lesson
  readonly mark: string
}

/**
 * Files reports about living blocks under the question of each recall, the oldest first. Returns the last lesson, which is
 * still to be taken in once it is committed.
 */
export async function learnByRecall(
  engine: Engine,
  { tx, moment }: Mutation,
  {
    reports,
    asked,
  }: { readonly reports: ReadonlyMap<string, BlockReport>; readonly asked: readonly ReportedRecall[] },
): Promise<Taken | undefined> {
  const { experience, index, ids } = engine
  let taken: Taken | undefined
  for (const { recall, blockIds } of asked.toReversed()) {
    // The next lesson is learned on top of this one; if nothing is committed, the mark says so.
    if (taken !== undefined) experience.took(taken.lesson, taken.mark)
    const own = asked.length === 1 ? reports : new Map([...reports].filter(([id]) => blockIds.includes(id)))
    if (own.size === 0) continue
    await experience.refresh(tx, index.generation)
    // Random names are dear where the system makes them; a question's will do for both.
    const mark = ids.random()
    const lesson = experience.learn(own, recall, { hours: moment.hours, newId: mark })
    const { proof, ...change } = lesson
    const state = { [experience.proofKey]: JSON.stringify(roundedProof(proof)), [REPORTS_MARK]: mark }
    await tx.saveEvidence({ ...change, state })
    taken = { lesson, mark }
  }
  return taken
}

/** Tells every reader of reports, here and in other processes, that they are not what they were. */
export async function markReports(tx: StoreWriter, mark: string): Promise<void> {
  await tx.saveMeta(REPORTS_MARK, mark)
}

/** Of questions, in one dream: reports name them faster than that only after a change of model. */
const VECTORS_PER_DREAM = 128

/**
 * Embeds the newest questions that have no vector, because they were asked elsewhere or the model has changed. Without an
 * embedder that works they wait for another dream; this one does not fail for them.
 */
export async function newQuestionVectors(engine: Engine, context: CallContext): Promise<StoredQuestion[]> {
  const { store, experience, index, embedder } = engine
  await store.read((tx) => experience.refresh(tx, index.generation))
  const lacking = experience.lacking(VECTORS_PER_DREAM)
  if (lacking.length === 0) return []
  const texts = lacking.map(({ text }) => engine.index.read(text ?? '').toEmbed)
  const vectors = await embedder.embed(texts, embedOptionsOf(context)).catch((error: unknown) => {
    if (ElfmemError.is(error) && error.code === 'EMBEDDER_FAILED') return []
    throw error
  })
  return lacking
    .slice(0, vectors.length)
    .map((question, i) => ({ ...question, vector: packUnit(vectors[i] ?? new Float32Array()) }))
}

/** Keeps vectors of questions; none of a question that is gone meanwhile. */
export async function saveQuestionVectors(
  { experience, index, ids }: Engine,
  tx: StoreWriter,
  questions: readonly StoredQuestion[],
): Promise<void> {
  if (questions.length === 0) return
  await experience.refresh(tx, index.generation)
  const wanted = new Map(experience.lacking(questions.length).map((each) => [each.id, each]))
  const kept = questions.flatMap(({ id, vector }) => {
    const question = wanted.get(id)
    return question === undefined || vector === undefined ? [] : [{ ...question, vector }]
  })
  const gone = { goneQuestions: [], goneEvidence: [] }
  await tx.saveEvidence({ questions: kept, evidence: [], ...gone, state: { [REPORTS_MARK]: ids.random() } })
}
