import { type BlockReport, LEARNING } from '../../domain/score/experience.ts'
import { citedIn, isSaidAgain, tellingWords } from '../../domain/text/citations.ts'
import { ElfmemError } from '../../errors.ts'
import type { ReportableRecall } from '../../ports/store/evidence.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { actorOf, type CallContext, type Engine } from '../engine/engine.ts'
import type { OutcomeInput } from './reports.ts'

/** Blocks of one report that one recall returned. */
export interface ReportedRecall {
  /** Undefined if no recall of late returned any of them. */
  readonly recall: ReportableRecall | undefined
  readonly blockIds: readonly string[]
}

/**
 * The recalls that a report is about, newest first: the one it names; else for an answer the session's latest of this caller;
 * else for each block the newest that returned it. A block that none returned goes with the newest of them. Two statements.
 */
export async function recallsOf(
  engine: Engine,
  tx: StoreReader,
  { recallId, answer }: OutcomeInput,
  context: CallContext,
  blockIds: readonly string[],
): Promise<readonly ReportedRecall[]> {
  if (recallId !== undefined) {
    const [named] = await tx.recalls({ limit: 1, id: Number(recallId) })
    if (named === undefined) throw unknownRecall(recallId)
    return [{ recall: named, blockIds }]
  }
  // Nearly always it is the newest one.
  const [newest] = answer === undefined ? await tx.recalls({ limit: 1 }) : []
  if (newest !== undefined && blockIds.every((id) => newest.blockIds.includes(id)))
    return [{ recall: newest, blockIds }]
  const recalls = await tx.recalls({ limit: LEARNING.reportedWithin })
  const session = engine.session.current?.id
  const isOwn = ({ actor, session: of }: ReportableRecall) =>
    actor === actorOf(engine, context) && of === session
  if (answer !== undefined) {
    const own = recalls.find(isOwn)
    if (own === undefined) throw nothingRecalled()
    return [{ recall: own, blockIds }]
  }
  // A block that several returned is the newest one's.
  const returning = new Map(
    recalls.toReversed().flatMap((recall) => recall.blockIds.map((id) => [id, recall] as const)),
  )
  const first = recalls.find((recall) => blockIds.some((id) => returning.get(id) === recall))
  const byRecall = Map.groupBy(blockIds, (id) => returning.get(id) ?? first)
  return [...byRecall]
    .map(([recall, ids]) => ({ recall, blockIds: ids }))
    .sort((one, other) => (other.recall?.id ?? 0) - (one.recall?.id ?? 0))
}

/** The credit that an answer gives to the blocks of a recall. */
export interface Attribution {
  /** Cited: they helped. */
  readonly cited: readonly string[]
  /** Not cited, though others were. */
  readonly uncited: readonly string[]
  /** Where nothing was cited: those whose words the answer says again. Nobody knows whether they were right. */
  readonly used: readonly string[]
}

/** Credits what an answer cites; without a citation it guesses by words what was used. One statement for a guess. */
export async function attribute(
  tx: StoreReader,
  answer: string,
  { blockIds }: ReportableRecall,
): Promise<Attribution> {
  const cited = citedIn(answer, blockIds)
  if (cited.length > 0) return { cited, uncited: blockIds.filter((id) => !cited.includes(id)), used: [] }
  const words = tellingWords(answer)
  const used = (await tx.blocks(blockIds)).filter(({ content }) => isSaidAgain(content, words))
  return { cited, uncited: [], used: used.map(({ id }) => id) }
}

/** The reports with what an answer credits; what somebody said himself counts more. */
export function withCredit(
  reports: ReadonlyMap<string, BlockReport>,
  { cited, uncited }: Attribution,
  weight: number,
): ReadonlyMap<string, BlockReport> {
  const credited = cited.map((id) => [id, { signal: 1, weight, beside: false }] as const)
  const left = uncited.map(
    (id) => [id, { signal: 0, weight: weight * LEARNING.uncitedWeight, beside: true }] as const,
  )
  return new Map([...credited, ...left, ...reports])
}

function unknownRecall(recallId: string): ElfmemError {
  return new ElfmemError('NOT_FOUND', `No recall ${recallId} is known any more.`, {
    recovery: `Pass the recallId of one of the last ${LEARNING.recallsKept} recalls with a question, or name the blocks in helped and misled without it.`,
    details: { recallId },
  })
}

function nothingRecalled(): ElfmemError {
  return new ElfmemError('NOT_FOUND', 'This session has recalled nothing that an answer could cite.', {
    recovery:
      'Pass the recallId of the recall the answer was made of, or name the blocks in helped and misled.',
  })
}
