import type { Block } from '../../domain/block/block.ts'
import { BELIEF, type BlockReport } from '../../domain/score/experience.ts'
import type { ReportableRecall } from '../../ports/store/evidence.ts'
import type { Lesson } from '../../search/experience/experience.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import {
  learnEdges,
  NO_OUTCOME_EDGES,
  type OutcomeEdges,
  type PairReports,
  withEdges,
} from '../graph/outcome-edges.ts'
import { agreementIn, helpedOn } from '../learning/agreement.ts'
import { keepLesson } from '../learning/keep-lesson.ts'
import { probablyReplaced } from '../learning/replaced.ts'
import type { ReportedRecall } from './attribution.ts'

/** A lesson and the mark under which it was written. */
export interface Taken {
  readonly lesson: Lesson
  readonly mark: string
}

/** Reports on the blocks of a recall. */
interface Reported {
  readonly reports: ReadonlyMap<string, BlockReport>
  readonly sorted: { readonly active: readonly Block[]; readonly inbox: readonly Block[] }
}

/**
 * Learns what is said of the blocks of each recall by itself, the oldest first: blocks that helped on two questions did not help
 * together. Returns the last lesson, which is still to be taken in, and all changes of edges.
 */
export async function learnByRecall(
  engine: Engine,
  mutation: Mutation,
  { reports, sorted, asked }: Reported & { readonly asked: readonly ReportedRecall[] },
): Promise<{ readonly taken: Taken | undefined; readonly edges: OutcomeEdges }> {
  let taken: Taken | undefined
  let edges = NO_OUTCOME_EDGES
  for (const { recall, blockIds } of asked.toReversed()) {
    // The next lesson is learned on top of this one; if nothing is committed, the mark says so.
    if (taken !== undefined) engine.experience.took(taken.lesson, taken.mark)
    const own = asked.length === 1 ? reports : reportsOn(blockIds, reports)
    const learned = await learn(engine, mutation, { reports: own, sorted, recall })
    if (learned === undefined) continue
    taken = learned
    const signals = new Map(
      [...sorted.active, ...sorted.inbox].flatMap(({ id }) => {
        const report = own.get(id)
        return report === undefined || report.beside ? [] : [[id, report.signal]]
      }),
    )
    const pairs = pairReports(engine, learned.lesson, signals)
    edges = withEdges(edges, await learnEdges(engine, mutation, pairs))
  }
  return { taken, edges }
}

function reportsOn(ids: readonly string[], reports: Reported['reports']): Reported['reports'] {
  return new Map(
    ids.flatMap((id) => {
      const report = reports.get(id)
      return report === undefined ? [] : [[id, report]]
    }),
  )
}

function pairReports(
  { experience }: Engine,
  lesson: Lesson,
  signals: ReadonlyMap<string, number>,
): PairReports {
  const helped = helpedOn(experience, lesson)
  const reported = new Set(lesson.evidence.map(({ blockId }) => blockId))
  const doubtful = helped.filter((id) => reported.has(id) && (signals.get(id) ?? 0) <= BELIEF.usefulAbove)
  return {
    signals,
    agreementOf: agreementIn(experience, lesson),
    doubted: doubtful.flatMap((id) =>
      helped.flatMap((other) => (other === id ? [] : [[id, other] as const])),
    ),
  }
}

/** Keeps what was said of the blocks by the question it was said after. Of what waits it is kept as well. */
async function learn(
  engine: Engine,
  { tx, moment }: Mutation,
  { reports, sorted, recall }: Reported & { readonly recall: ReportableRecall | undefined },
): Promise<Taken | undefined> {
  const { experience, index, ids } = engine
  const about = new Set([...sorted.active, ...sorted.inbox].map(({ id }) => id))
  const taken = new Map([...reports].filter(([id]) => about.has(id)))
  if (taken.size === 0) return undefined
  await experience.refresh(tx, index.generation)
  const { usefulAbove, misledBelow } = BELIEF
  const misled = sorted.active.filter(({ id }) => {
    const report = taken.get(id)
    return report !== undefined && !report.beside && report.signal < misledBelow
  })
  // Random names are dear where the system makes them; a question's will do for both.
  const mark = ids.random()
  const lesson = experience.learn(taken, recall, {
    hours: moment.hours,
    newId: mark,
    replaced: await probablyReplaced(engine, tx, misled, recall?.text ?? ''),
    lines: { usefulAbove, misledBelow },
  })
  await keepLesson(tx, experience, lesson, mark)
  return { lesson, mark }
}
