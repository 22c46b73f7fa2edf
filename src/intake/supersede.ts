import {
  type ArchiveReason,
  type Block,
  type Ground,
  isConstitutional,
  mayCover,
  type OutdatedGround,
} from '../block/block.ts'
import {
  earlier,
  endBy,
  endBySuccessors,
  endOf,
  everHeld,
  hasEnded,
  isAtOnce,
  isNewer,
  saidAt,
  takesPlaceOf,
} from '../block/validity.ts'
import type { Engine, Mutation } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { type BlockPair, orderedPair } from '../graph/edge.ts'
import { PAIR_TEXT_MOST, pairScorer, textOf } from '../recall/pair-score.ts'
import { blocksById, GROUND, readBlocks, readGroundsOf, saveBlocks, saveGrounds } from '../store/blocks.ts'
import { archiveEdgesOf, readSettledPairs } from '../store/graph.ts'
import { grounds as groundRows } from '../store/tables.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import { readIds, requireIds } from './check-input.ts'

/** Largest number of blocks that are read around a block to find the one that replaces it. */
export const REPLACING_MOST = 64
/** Largest number of steps that are followed along grounds. */
const STEPS_MOST = 8
/** Number of grounds that one statement reads. */
const PAGE = 500

/**
 * Looks up blocks that new ones are to replace. Runs two statements, however many there are. The returned function returns the block of an
 * id or prefix; it throws `NOT_FOUND`, `AMBIGUOUS_ID`, `WRONG_STATUS` for an archived block, `PROTECTED` for a principle, and
 * `INVALID_INPUT` for a block of another scope.
 */
export async function readReplaceable(
  { scope }: Pick<Engine, 'scope'>,
  tx: ReadTransaction,
  given: readonly string[],
): Promise<(given: string) => Block> {
  const { ids, idOf } = await readIds(tx, given)
  const blocks = await blocksById(tx, ids)
  return (one) => {
    const block = blocks.get(idOf(one)) as Block
    const { id, status, tags, scope: other } = block
    const details = { blockId: id }
    if (isConstitutional(tags))
      throw new ElfmemError('PROTECTED', 'A principle is not replaced by remembering something.', {
        recovery: 'The owner changes it with edit() and allowConstitutional.',
        details,
      })
    if (other !== scope)
      throw new ElfmemError(
        'INVALID_INPUT',
        `Block ${id} belongs to the scope ${other}, the new one does not.`,
        {
          recovery: `Remember it there: remember({ …, scope: '${other}' }).`,
          details,
        },
      )
    if (status === 'archived')
      throw new ElfmemError('WRONG_STATUS', `Block ${id} is archived: recall shows it no more.`, {
        recovery: 'Leave supersedes out; nothing is left to replace.',
        details,
      })
    return block
  }
}

/** Throws `INVALID_INPUT` if a text would replace, or rest on, the very block that says it. */
export function refuseItself(
  { id }: Pick<Block, 'id'>,
  others: readonly string[],
  argument: 'supersedes' | 'derivedFrom',
): void {
  if (!others.includes(id)) return
  const verb = argument === 'supersedes' ? 'supersede' : 'rest on'
  throw new ElfmemError('INVALID_INPUT', `A block cannot ${verb} itself: the contents are the same.`, {
    recovery: `Leave ${argument} out, or use edit() to change the block that is there. Of a secret only its mark is kept: say in words what changed.`,
    details: { blockId: id },
  })
}

/**
 * Archives inbox and active blocks with their tags; their edges and open pairs go where `restore` finds them. A block that another one
 * replaces ends when the other begins. Returns the blocks that it archived; others were archived already.
 */
export async function archive(
  tx: Transaction,
  blocks: readonly Block[],
  { reason, at, by }: { readonly reason: ArchiveReason; readonly at: string; readonly by?: Block },
): Promise<Block[]> {
  const leaving = blocks.filter(({ status }) => status !== 'archived')
  if (leaving.length === 0) return []
  const ends = leaving.map(({ id, status }) => ({ id, previousStatus: status }))
  await archiveEdgesOf(tx, ends)
  const why = { status: 'archived', archiveReason: reason, archivedAt: at } as const
  const archived = leaving.map(
    (block): Block => ({ ...block, ...why, ...(by && { supersededBy: by.id, ...endedBy(block, by) }) }),
  )
  await saveBlocks(tx, archived)
  return archived
}

/** Returns the end of a block that another one replaces; an earlier end stays. */
export function endedBy(older: Block, newer: Block): Pick<Block, 'supersededAt'> {
  const supersededAt = earlier(older.supersededAt, endBy(older, newer))
  return supersededAt === undefined ? {} : { supersededAt }
}

function withEnd({ supersededAt: _end, ...block }: Block, supersededAt?: string): Block {
  return supersededAt === undefined ? block : { ...block, supersededAt }
}

/**
 * Ends the living blocks that others replace, each when the other begins. A block that is trusted less or dated before only proposes to
 * replace another, and ends nothing. Returns the ended blocks. Runs two statements, none if nothing is replaced.
 */
export async function endReplaced(tx: Transaction, taking: readonly Block[]): Promise<readonly Block[]> {
  const newer = taking.filter(({ supersedes, status }) => supersedes !== undefined && status !== 'archived')
  if (newer.length === 0) return []
  const found = await readBlocks(tx, [...new Set(newer.map(({ supersedes }) => supersedes as string))])
  const ended = found.flatMap((older) => {
    const successors = newer.filter((each) => takesPlaceOf(each, older))
    if (older.status === 'archived' || successors.length === 0) return []
    return [withEnd(older, earlier(older.supersededAt, endBySuccessors(older, successors)))]
  })
  await saveBlocks(tx, ended)
  return ended
}

/** Lets a living block hold again, whatever had replaced it. Runs at most two statements. */
export async function goOn(tx: Transaction, id: string): Promise<void> {
  const [older] = await readBlocks(tx, [id])
  if (older?.supersededAt !== undefined && older.status !== 'archived') await saveBlocks(tx, [withEnd(older)])
}

/** A left block is one that a block had replaced that is gone now. */
export interface Left {
  readonly block: Block
  /** `goesOn`: the block holds again; `archived`: it was archived for the other and stays so until somebody restores it. */
  readonly how: 'goesOn' | 'archived'
}

/**
 * Lets the block that a wrong block had replaced hold again, until another replaces it. Returns its state; undefined if it was not
 * replaced by that block alone. Runs at most four statements.
 */
export async function leavePlace(tx: Transaction, gone: Block): Promise<Left | undefined> {
  const older = await replacedBy(tx, gone)
  if (older === undefined) return undefined
  if (older.status !== 'archived') {
    if (older.supersededAt === undefined) return undefined
    const block = withEnd(older, await endByOthers(tx, older, gone.id))
    await saveBlocks(tx, [block])
    return block.supersededAt === undefined ? { block, how: 'goesOn' } : undefined
  }
  const isReplaced = older.archiveReason === 'superseded' && older.supersededBy === gone.id
  if (!isReplaced || (await successorsOf(tx, gone)).length > 0) return undefined
  return { block: older, how: 'archived' }
}

/**
 * Moves the end that a block has from the beginning of its successor, which begins at another time now. An end that comes from elsewhere
 * stays: from a third block, or from a given date. Returns the block if its end changed. Runs at most three statements.
 */
export async function moveEnd(tx: Transaction, before: Block, after: Block): Promise<Block | undefined> {
  const older = await replacedBy(tx, after)
  if (older === undefined || older.supersededAt !== endBy(older, before)) return undefined
  const moved = withEnd(older, earlier(endBy(older, after), await endByOthers(tx, older, after.id)))
  if (moved.supersededAt === older.supersededAt) return undefined
  await saveBlocks(tx, [moved])
  return endOf(moved) === endOf(older) ? undefined : moved
}

async function replacedBy(tx: ReadTransaction, { supersedes }: Block): Promise<Block | undefined> {
  return supersedes === undefined ? undefined : (await readBlocks(tx, [supersedes]))[0]
}

/** Returns the end that a block has from all its living successors but one, without those whose pair somebody settled. */
export async function endByOthers(
  tx: ReadTransaction,
  older: Block,
  but?: string,
): Promise<string | undefined> {
  const taking = (await successorsOf(tx, older)).filter(({ id }) => id !== but)
  if (taking.length === 0) return undefined
  const pairs = taking.map(({ id }) => [id, older.id] as const)
  const settled = (await readSettledPairs(tx, pairs)).flatMap(({ a, b }) => [a, b])
  return endBySuccessors(
    older,
    taking.filter(({ id }) => !settled.includes(id)),
  )
}

/** Returns the living blocks that say they replace a block. */
async function successorsOf(tx: ReadTransaction, { id }: Block): Promise<Block[]> {
  return (await tx.queries.replacing([id], REPLACING_MOST)).filter(({ supersedes }) => supersedes === id)
}

/** Replaces the noted grounds of a block; returns the former ones, or undefined if they are the same. */
export async function restOn(
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  { id }: Block,
  given: readonly string[],
): Promise<readonly string[] | undefined> {
  const wanted = [...new Set(await requireIds(tx, given))]
  refuseItself({ id }, wanted, 'derivedFrom')
  const noted = await readGroundsOf(tx, [id])
  const gone = noted.filter(({ ground }) => !wanted.includes(ground))
  if (noted.length === wanted.length && gone.length === 0) return undefined
  await tx.remove(groundRows, gone)
  await saveGrounds(
    tx,
    wanted.map((ground) => ({ blockId: id, ground, foundBy: 'given', createdAt: moment.at })),
  )
  return noted.map(({ ground }) => ground)
}

/**
 * Returns the outdated grounds of blocks at a time, by block id, the nearest first, each once; blocks without any are absent. The search
 * goes from ground to ground and ends at one that holds no more, since that one is wrong. Runs two statements for each step, one if nothing
 * rests on anything. The grounds of a step are read along with the blocks of the one before.
 *
 * @param at ISO-8601 UTC
 */
export async function readOutdated(
  tx: ReadTransaction,
  ids: readonly string[],
  at: string,
): Promise<Map<string, readonly OutdatedGround[]>> {
  const found = new Map<string, OutdatedGround[]>()
  const seen = new Map([...new Set(ids)].map((id) => [id, new Set([id])]))
  let ways = [...seen.keys()].map((root) => ({ root, id: root, path: [] as readonly string[] }))
  let rows = await readGroundsOf(tx, [...seen.keys()])
  for (let step = 0; step < STEPS_MOST && rows.length > 0; step++) {
    const groundsOf = Map.groupBy(rows, ({ blockId }) => blockId)
    const grounds = [...new Set(rows.map(({ ground }) => ground))]
    const [blocks, below] = await Promise.all([blocksById(tx, grounds), readGroundsOf(tx, grounds)])
    const reached = ways.flatMap(({ root, id, path }) =>
      (groundsOf.get(id) ?? []).flatMap(({ ground: next }) => {
        const ground = blocks.get(next)
        if (ground === undefined || seen.get(root)?.has(next)) return []
        seen.get(root)?.add(next)
        return [{ root, id: next, path: [...path, next], ground }]
      }),
    )
    for (const { root, ground, path } of reached)
      if (isOutdated(ground, at)) found.set(root, [...(found.get(root) ?? []), { ground, path }])
    ways = reached.filter(({ ground }) => !isOutdated(ground, at))
    const ends = new Set(ways.map(({ id }) => id))
    rows = below.filter(({ blockId }) => ends.has(blockId))
  }
  return new Map([...seen.keys()].flatMap((id) => (found.has(id) ? [[id, found.get(id) ?? []]] : [])))
}

/** Returns true if a block held once and holds no more: it ended, or another took its place. A forgotten block is no ground. */
function isOutdated(block: Block, at: string): boolean {
  if (block.status === 'archived' && block.archiveReason !== 'superseded') return false
  return (block.status === 'archived' || hasEnded(block, at)) && everHeld(block)
}

/** Outdated blocks are living blocks that rest on a ground that holds no more, in the order of their ids. */
export interface Outdated {
  readonly blocks: readonly Block[]
  readonly grounds: ReadonlyMap<string, readonly OutdatedGround[]>
  /** There are more blocks, or not all grounds were read. */
  readonly more: boolean
}

/**
 * Finds at most `most` blocks that hold themselves and rest on a ground that holds no more. Reads up to 10,000 grounds, with a few
 * statements for 500.
 *
 * @param at ISO-8601 UTC
 */
export async function findOutdated(
  tx: ReadTransaction,
  { at, most }: { readonly at: string; readonly most: number },
): Promise<Outdated> {
  const grounds = new Map<string, readonly OutdatedGround[]>()
  const blocks = new Map<string, Block>()
  let after: readonly [string, string] | undefined = ['', '']
  for (let page = 0; page < 20 && after !== undefined && blocks.size <= most; page++) {
    const rows: Ground[] = await tx.rows.scan(GROUND, { order: ['blockId', 'ground'], after, limit: PAGE })
    const outdated = await readOutdated(
      tx,
      rows.map(({ blockId }) => blockId),
      at,
    )
    for (const [id, block] of await blocksById(tx, [...outdated.keys()]))
      if (isLiving(block, at)) {
        blocks.set(id, block)
        grounds.set(id, outdated.get(id) ?? [])
      }
    const last = rows.at(-1)
    after = last === undefined || rows.length < PAGE ? undefined : [last.blockId, last.ground]
  }
  const more = blocks.size > most || after !== undefined
  return { blocks: [...blocks.values()].slice(0, most), grounds, more }
}

function isLiving(block: Block, at: string): boolean {
  return block.status !== 'archived' && !hasEnded(block, at)
}

/**
 * Returns by id the living blocks that rest on each of these blocks, directly or through others. Runs two statements for each step, one if
 * nothing rests on them.
 *
 * @param at ISO-8601 UTC; blocks that have ended by then are left out
 */
export async function readResting(
  tx: ReadTransaction,
  ids: readonly string[],
  at: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rootsOf = new Map(ids.map((id) => [id, new Set([id])]))
  const living: string[] = []
  let next = ids
  for (let step = 0; step < STEPS_MOST && next.length > 0; step++) {
    const fresh = (await readGroundsOf(tx, next, 'ground')).filter(({ blockId }) => !rootsOf.has(blockId))
    for (const { blockId, ground } of fresh)
      rootsOf.set(blockId, new Set([...(rootsOf.get(blockId) ?? []), ...(rootsOf.get(ground) ?? [])]))
    const blocks = await blocksById(tx, [...new Set(fresh.map(({ blockId }) => blockId))])
    for (const block of blocks.values()) if (isLiving(block, at)) living.push(block.id)
    next = [...blocks.keys()]
  }
  const restingOn = (root: string) => living.filter((id) => rootsOf.get(id)?.has(root)).slice(0, 20)
  return new Map(ids.map((root) => [root, restingOn(root)]))
}

/** Largest number of blocks with a word that is looked up; a more frequent word does not lead to the few that matter. */
const HOLDERS_MOST = 32

/** Pair score above which a newer note is said to perhaps replace an older one: by their vectors, or by words alone. */
const MAY_REPLACE = { vectors: 1.3, words: 2 }
/** A replaceable block is an earlier block that a newer one may replace. */
export interface Replaceable {
  readonly older: Block
  /** Probability by the pair score, 0..1. */
  readonly score: number
}

/**
 * Returns the earlier blocks that a block without a vector may replace: among the eight that share most with its rarest terms. Costs the
 * postings of a few terms, and one statement if they lead to any block. Returns none if this process holds no index.
 */
export async function replaceableByWords(
  engine: Engine,
  tx: ReadTransaction,
  block: Block,
): Promise<readonly Replaceable[]> {
  const { analysis, index } = engine
  if (index.size === 0 || !isComparable(block)) return []
  const terms = [...new Set(analysis.language.terms(block.content))]
    .map((term) => ({ term, idf: index.idf(term) }))
    .sort((one, other) => other.idf - one.idf)
    .slice(0, 8)
  const shared = new Map<string, number>()
  for (const { term, idf } of terms)
    for (const holder of index.holding([term], HOLDERS_MOST) ?? [])
      shared.set(holder, (shared.get(holder) ?? 0) + idf)
  const ids = [...shared.keys()]
    .filter((id) => id !== block.id && index.get(id)?.scope === block.scope)
    .sort((one, other) => (shared.get(other) as number) - (shared.get(one) as number))
    .slice(0, 8)
  const found = ids.length === 0 ? undefined : await blocksById(tx, ids)
  return replaceable(engine, block, { earlier: ids.flatMap((id) => found?.get(id) ?? []) })
}

/** Blocks that a newer one is compared with, nearest first. */
interface Comparison {
  readonly earlier: readonly Block[]
  /** Cosine of two of the blocks by their ids; without it their words are compared. */
  readonly cosine?: (one: string, other: string) => number | undefined
}

/** Returns the earlier blocks that a newer one may replace, likeliest first, at most three. It is a hint: nothing is noted. */
export function replaceable(
  { analysis, index }: Pick<Engine, 'analysis' | 'index'>,
  newer: Block,
  { earlier, cosine }: Comparison,
): readonly Replaceable[] {
  const olders = earlier.filter((older) => mayBeReplaced(older, newer)).slice(0, 5)
  const blocks = [...olders, newer]
  if (olders.length === 0) return []
  const scoreOf = pairScorer({
    notes: blocks.map((block) => ({
      text: textOf(analysis, block.content),
      at: Date.parse(saidAt(block)),
      rank: 0,
      asked: Number.NaN,
    })),
    idf: (term) => index.idf(term),
    size: index.size,
    ...(cosine && {
      cosine: (one: number, other: number) => cosine(blocks[one]?.id ?? '', blocks[other]?.id ?? ''),
    }),
  })
  const least = cosine === undefined ? MAY_REPLACE.words : MAY_REPLACE.vectors
  return olders
    .map((older, place) => ({ older, z: scoreOf(place, olders.length) }))
    .filter(({ z }) => z > least)
    .sort((one, other) => other.z - one.z)
    .slice(0, 3)
    .map(({ older, z }) => ({ older, score: 1 / (1 + Math.exp(-z)) }))
}

/** Returns true if the pair score can read a block: it was made for short notes without a named speaker. */
function isComparable({ source, content }: Block): boolean {
  return source === undefined && content.length <= PAIR_TEXT_MOST
}

/** Returns true if the second of two notes is newer and not less trusted, so that it may replace the first. */
function mayBeReplaced(older: Block, newer: Block): boolean {
  const isThere = older.status !== 'archived' && older.supersededAt === undefined && older.id !== newer.id
  if (!isThere || isConstitutional(older.tags) || !isComparable(older) || !isComparable(newer)) return false
  return mayCover(newer, older) && !isAtOnce(newer, older) && isNewer(newer, older)
}

/** Returns the open pair that keeps a guess for a host, a model or the owner. */
export function perhapsNewer(newer: Block, { older, score }: Replaceable, createdAt: string): BlockPair {
  const [a, b] = orderedPair(newer.id, older.id)
  return { a, b, kind: 'perhaps_newer', score, foundBy: 'score', resolved: false, createdAt }
}
