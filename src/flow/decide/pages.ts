import type { Block } from '../../domain/block/block.ts'
import { sourceName } from '../../domain/block/source-class.ts'
import { type DecisionKind, decisionId, isOfPair } from '../../domain/decision/decision.ts'
import type { Proposal, ProposalState } from '../../domain/decision/proposal.ts'
import type { BlockPair, Ends } from '../../domain/graph/edge.ts'
import { ElfmemError } from '../../errors.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { Placed } from '../../store/rules/pairs.ts'
import { findOutdated } from '../blocks/grounds.ts'

/** Something to be decided, as it was found: its blocks are still to be read. */
export interface Found {
  readonly id: string
  readonly kind: DecisionKind
  /** Ids of the blocks it is about. */
  readonly blockIds: readonly string[]
  /** When it was found or asked, ISO-8601 UTC; absent where nobody noted it. */
  readonly at?: string
  /** Who found it or asked; absent where nobody noted it. */
  readonly by?: string
  readonly pair?: BlockPair
  readonly proposal?: Proposal
  /** Where the next page of its kind begins. */
  readonly place: string
}

/** A page of one kind. */
export interface PageOfKind {
  readonly limit: number
  /** The place of the last one of the page before. */
  readonly after?: string | undefined
  /** ISO-8601 UTC. */
  readonly at: string
  /** Of proposals alone. */
  readonly state: ProposalState
}

/** More blocks that rest on what holds no more are not counted, and not listed. */
export const OUTDATED_MOST = 1_000

/** A page of what is to be decided of one kind, oldest first; outdated blocks in the order of their ids. Cost: that of the page. */
export function pageOfKind(tx: StoreReader, kind: DecisionKind, page: PageOfKind): Promise<Found[]> {
  if (isOfPair(kind)) return pairPage(tx, kind, page)
  switch (kind) {
    case 'proposal':
      return proposalPage(tx, page)
    case 'waiting':
      return waitingPage(tx, page)
    case 'unnamed':
      return unnamedPage(tx, page)
    default:
      return outdatedPage(tx, page)
  }
}

async function pairPage(
  tx: StoreReader,
  kind: BlockPair['kind'],
  { limit, after }: PageOfKind,
): Promise<Found[]> {
  const open = await tx.openPairs(limit, after === undefined ? undefined : endsIn(after), kind)
  if (open === undefined) throw noSuchPage()
  return open.map(foundPair)
}

/** An open pair as something to be decided. */
export function foundPair(pair: BlockPair): Found {
  const { a, b, kind, createdAt, foundBy = 'similarity' } = pair
  return {
    ...{ id: decisionId(kind, a, b), kind, blockIds: [a, b], at: createdAt, by: foundBy },
    ...{ pair, place: `${a}:${b}` },
  }
}

async function proposalPage(tx: StoreReader, { limit, after, state }: PageOfKind): Promise<Found[]> {
  const page = await tx.proposalPage({ state, limit, after: numberIn(after) })
  return page.map(({ place, ...proposal }) => foundProposal(proposal, place))
}

/** A proposal as something to be decided. */
export function foundProposal(proposal: Proposal, place = 0): Found {
  const { id, target, createdAt, proposer } = proposal
  return {
    ...{ id: decisionId('proposal', id), kind: 'proposal', at: createdAt, by: proposer },
    ...{ blockIds: target === undefined ? [] : [target], proposal, place: String(place) },
  }
}

async function waitingPage(tx: StoreReader, { limit, after }: PageOfKind): Promise<Found[]> {
  return (await tx.waitingOfOthers({ limit, after: numberIn(after) })).map(foundWaiting)
}

/** A waiting block as something to be decided. */
export function foundWaiting(block: Block & Partial<Placed<object>>): Found {
  const { id, createdAt, place = 0 } = block
  return {
    ...{ id: decisionId('waiting', id), kind: 'waiting', blockIds: [id], at: createdAt },
    ...{ by: sourceName(block) ?? block.sourceClass, place: String(place) },
  }
}

async function unnamedPage(tx: StoreReader, { limit, after }: PageOfKind): Promise<Found[]> {
  const page = await tx.unlabelledPage({ limit, after: numberIn(after) })
  return page.map(({ from, to, place }) => foundUnnamed([from, to], place))
}

/** A pair without a label as something to be decided. */
export function foundUnnamed([from, to]: Ends, place = 0): Found {
  return {
    ...{ id: decisionId('unnamed', from, to), kind: 'unnamed', blockIds: [from, to] },
    ...{ by: 'similarity', place: String(place) },
  }
}

async function outdatedPage(tx: StoreReader, { limit, after = '', at }: PageOfKind): Promise<Found[]> {
  const { blocks, grounds } = await findOutdated(tx, { at, most: OUTDATED_MOST })
  return blocks
    .filter(({ id }) => id > after)
    .slice(0, limit)
    .map((block) => foundOutdated(block, grounds.get(block.id)?.[0]?.ground))
}

/** A block that rests on what holds no more as something to be decided. */
export function foundOutdated({ id }: Block, ground: Block | undefined): Found {
  return {
    ...{ id: decisionId('outdated', id), kind: 'outdated', place: id, by: 'rule' },
    blockIds: ground === undefined ? [id] : [id, ground.id],
    ...(ground?.supersededAt === undefined ? {} : { at: ground.supersededAt }),
  }
}

function endsIn(place: string): Ends {
  const [a = '', b = '', ...rest] = place.split(':')
  if (rest.length > 0 || b === '') throw noSuchPage()
  return [a, b]
}

function numberIn(place: string | undefined): number | undefined {
  if (place === undefined) return undefined
  const number = Number(place)
  if (!Number.isSafeInteger(number) || number < 0) throw noSuchPage()
  return number
}

/** The refusal of a cursor that no page returned. */
export function noSuchPage(): ElfmemError {
  return new ElfmemError('INVALID_INPUT', 'The cursor is not one that a page of decisions returned.', {
    recovery: 'Leave the cursor out, and begin with the first page again.',
  })
}
