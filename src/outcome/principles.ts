import { type Block, isConstitutional } from '../block/block.ts'
import { defined } from '../block/text.ts'
import type { Engine, Mutation } from '../engine/engine.ts'
import { readBlocks } from '../store/blocks.ts'
import { readProposalPage, saveProposals } from '../store/graph.ts'
import { appendOutcomes, readOutcomes } from '../store/log.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import type { BlockReport } from './experience.ts'
import { BELIEF, confidenceOf } from './formulas.ts'

/** Number of misleading reports after which the owner is asked for other words of a principle. */
const ENOUGH = 3

/** The newest entries of the log about a principle, among which its last rewording is looked for. */
const ENTRIES = 100

/** The reports of a call, and the blocks that they are about or that were skipped. */
interface Reported {
  readonly reports: ReadonlyMap<string, BlockReport>
  readonly active: readonly Block[]
  readonly skipped: readonly { readonly id: string; readonly reason: string }[]
  readonly source: string
}

/**
 * Takes reports that principles misled: keeps those that are no evidence, with weight 0, and asks the owner for other words of a principle
 * that misled three times; it proposes none. Returns the number of principles that were asked about; undefined if none misled.
 */
export async function noteMisled(
  engine: Engine,
  { tx, moment, log }: Mutation,
  { reports, active, skipped: left, source }: Reported,
): Promise<{ readonly asked: number } | undefined> {
  const isMisled = ({ id }: { readonly id: string }) => {
    const { signal = 1, beside = false } = reports.get(id) ?? {}
    return !beside && signal < BELIEF.misledBelow
  }
  const skipped = left.filter((each) => each.reason === 'constitutional' && isMisled(each))
  const counted = active.filter((block) => isConstitutional(block.tags) && isMisled(block))
  if (skipped.length + counted.length === 0) return undefined
  let asked = 0
  const uncounted = await readBlocks(
    tx,
    skipped.map(({ id }) => id),
  )
  const limit = engine.settings.limits.openProposals
  const open = await readProposalPage(tx, { state: 'open', limit })
  for (const { id: target, scope = engine.scope } of [...uncounted, ...counted]) {
    const isOpen = open.some((each) => each.kind === 'rewording' && each.target === target)
    const times = 1 + (await misledBefore(tx, target))
    if (isOpen || times < ENOUGH || open.length + asked >= limit) continue
    const id = engine.ids.sha256(JSON.stringify(['misled', scope, target, moment.at])).slice(0, 16)
    const reason = `It misled ${times} times since its words were last decided about.`
    const said = {
      kind: 'rewording' as const,
      proposer: 'rule',
      state: 'open' as const,
      createdAt: moment.at,
    }
    await saveProposals(tx, [{ id, target, reason, ...said, ...defined({ scope }) }])
    const summary = `asked the owner for other words of a principle (${id})`
    await log({ operation: 'propose', blockIds: [target], summary })
    asked++
  }
  const records = uncounted.map((block) => {
    const [confidenceBefore, signal] = [confidenceOf(block), reports.get(block.id)?.signal ?? 0]
    const said = { blockId: block.id, signal, weight: 0, source, at: moment.at }
    return { ...said, confidenceBefore, confidenceAfter: confidenceBefore }
  })
  await appendOutcomes(tx, records, BELIEF.reportsKept)
  return { asked }
}

/** Returns how often a principle misled since its words were changed, or a proposal about it was decided. */
async function misledBefore(tx: ReadTransaction, blockId: string): Promise<number> {
  const entries = await tx.queries.operations({ blockId, limit: ENTRIES })
  const decided = entries.find(
    ({ operation, before }) =>
      operation === 'decide' || (operation === 'edit' && Object.hasOwn(Object(before), 'content')),
  )
  const outcomes = await readOutcomes(tx, blockId, BELIEF.reportsKept)
  return outcomes.filter(
    ({ at, signal, weight, confidenceBefore, confidenceAfter }) =>
      at > (decided?.at ?? '') &&
      signal < BELIEF.misledBelow &&
      // Evidence that misled lowers the confidence; a report that the block was beside the point leaves it.
      (weight === 0 || confidenceAfter < confidenceBefore),
  ).length
}
