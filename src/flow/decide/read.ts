import type { Block } from '../../domain/block/block.ts'
import { isNewer } from '../../domain/block/validity/validity.ts'
import { type Choice, choicesOf } from '../../domain/decision/choices.ts'
import { DECISION_KINDS, type DecisionKind } from '../../domain/decision/decision.ts'
import type { ProposalState } from '../../domain/decision/proposal.ts'
import { decisionSentence } from '../../domain/decision/sentence.ts'
import { defined } from '../../domain/text/text.ts'
import { shownMeanwhile } from '../../domain/versions/versions.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { findOutdated } from '../blocks/grounds.ts'
import { blocksById } from '../blocks/look-up.ts'
import type { Engine } from '../engine/engine.ts'
import { type Found, noSuchPage, OUTDATED_MOST, pageOfKind } from './pages.ts'

/** A block that a decision is about. */
export interface Side {
  readonly block: Block
  /** Number of its edges. */
  readonly edges: number
  /** Recall shows it as an entry until somebody decides. */
  readonly isShown: boolean
}

/** Something to be decided with all that one needs to know for it. */
export interface Decision extends Omit<Found, 'blockIds' | 'place'> {
  readonly sentence: string
  /** The older of two blocks, or the one it is about. */
  readonly first?: Side
  readonly second?: Side
  readonly choices: readonly Choice[]
  /** Another one as soon as its words, or who speaks in them, are others. */
  readonly mark: string
}

/** The wanted page. */
interface Asked {
  /** All kinds, one after the other, when left out. */
  readonly kind?: DecisionKind | undefined
  readonly limit: number
  readonly cursor?: string | undefined
  /** Of proposals; others are wanted open alone. */
  readonly state: ProposalState
  /** ISO-8601 UTC. */
  readonly at: string
}

/** A page of what is to be decided, kind after kind, and where the next begins. A few statements for each kind on the page. */
export async function readDecisions(
  engine: Engine,
  tx: StoreReader,
  { kind, limit, cursor, state, at }: Asked,
): Promise<{ readonly decisions: readonly Decision[]; readonly cursor?: string }> {
  const from = cursor === undefined ? undefined : placeIn(cursor)
  const kinds = kind === undefined ? (state === 'open' ? DECISION_KINDS : (['proposal'] as const)) : [kind]
  const begin = from === undefined ? 0 : kinds.indexOf(from.kind as never)
  if (begin < 0) throw noSuchPage()
  const found: Found[] = []
  for (const [i, each] of kinds.slice(begin).entries()) {
    const after = i === 0 ? from?.place : undefined
    const page = { limit: limit + 1 - found.length, after, at, state }
    found.push(...(await pageOfKind(tx, each, page)))
    if (found.length > limit) break
  }
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const decisions = await decisionsOf(engine, tx, shown, at)
  const isMore = found.length > limit && last !== undefined
  return { decisions, ...(isMore ? { cursor: `${last.kind}:${last.place}` } : {}) }
}

function placeIn(cursor: string): { readonly kind: DecisionKind; readonly place: string } {
  const [, said, place = ''] = /^([a-z_]+):(.+)$/s.exec(cursor) ?? []
  const kind = DECISION_KINDS.find((each) => each === said)
  if (kind === undefined) throw noSuchPage()
  return { kind, place }
}

/** Returns decisions with their blocks; without those whose blocks are gone. Two statements. */
export async function decisionsOf(
  { ids }: Engine,
  tx: StoreReader,
  found: readonly Found[],
  at: string,
): Promise<Decision[]> {
  const wanted = [...new Set(found.flatMap(({ blockIds }) => blockIds))]
  const blocks = await blocksById(tx, wanted)
  const degrees = wanted.length === 0 ? new Map<string, number>() : await tx.degrees(wanted)
  return found.flatMap(({ blockIds, place: _place, ...each }): Decision[] => {
    const own = blockIds.flatMap((id) => blocks.get(id) ?? [])
    const isGone = each.proposal === undefined && own.length < blockIds.length
    const isUnfit = each.kind === 'unnamed' && own.some(({ status }) => status !== 'active')
    if (isGone || isUnfit) return []
    const entries =
      each.pair === undefined
        ? new Set(own.filter(({ status }) => status !== 'archived').map(({ id }) => id))
        : shownMeanwhile(each.pair, own, at)
    const [first, second] = inOrder(each, own).map(
      (block): Side => ({ block, edges: degrees.get(block.id) ?? 0, isShown: entries.has(block.id) }),
    )
    const told = { ...each, first: first?.block, second: second?.block }
    const facts = { kind: each.kind, ...defined({ ...told }) }
    return [
      {
        ...each,
        ...defined({ first, second }),
        sentence: decisionSentence(told),
        choices: each.proposal !== undefined && each.proposal.state !== 'open' ? [] : choicesOf(facts),
        mark: markOf(ids, told),
      },
    ]
  })
}

/** Of two blocks the older first, or the one that is to give way; else as they were found. */
function inOrder({ kind, pair }: Pick<Found, 'kind' | 'pair'>, blocks: readonly Block[]): readonly Block[] {
  const [one, other] = blocks
  if (one === undefined || other === undefined || kind === 'outdated') return blocks
  if (pair !== undefined && one.supersedes === other.id) return [other, one]
  if (pair !== undefined && other.supersedes === one.id) return [one, other]
  return isNewer(one, other) ? [other, one] : [one, other]
}

const MARK_LENGTH = 16

function markOf(
  ids: Engine['ids'],
  {
    first,
    second,
    proposal,
  }: Pick<Found, 'proposal'> & { first?: Block | undefined; second?: Block | undefined },
): string {
  const sides = [first, second].map(
    (block) => block && [block.id, block.content, block.sourceClass, block.tags, block.status],
  )
  const asked = proposal && [proposal.kind, proposal.content, proposal.sourceClass]
  return ids.sha256(JSON.stringify([sides, asked])).slice(0, MARK_LENGTH)
}

/** How many decisions only a person makes; outdated blocks are counted up to 1,000. */
export async function countForPerson(engine: Engine): Promise<number> {
  return engine.store.read(async (tx) => {
    const { waiting: _waiting, perhaps_newer: _guessed, ...counts } = await tx.decisionCounts()
    const { at } = engine.session.moment(await tx.clock())
    const { blocks } = await findOutdated(tx, { at, most: OUTDATED_MOST })
    return Object.values(counts).reduce((sum, each) => sum + each, blocks.length)
  })
}

/** How much is to be decided, by kind; unnamed pairs and outdated blocks are counted up to 1,000. */
export async function countDecisions(
  tx: StoreReader,
  at: string,
): Promise<Readonly<Record<DecisionKind, number>>> {
  const outdated = (await findOutdated(tx, { at, most: OUTDATED_MOST })).blocks.length
  const unnamed = (await tx.unlabelledPairs(OUTDATED_MOST)).length
  return { ...(await tx.decisionCounts()), outdated, unnamed }
}
