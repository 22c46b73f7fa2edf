import { isDeepStrictEqual } from 'node:util'
import { isLessTrusted } from '../../src/domain/block/source-class.ts'
import type { Ends } from '../../src/domain/graph/edge.ts'
import { type Later, type Reverted, STATE_KEYS } from '../../src/ports/store/undo.ts'
import { conflict, type Fields, type Loose, setBack } from './set-back.ts'
import { losesVector, noteRemoval } from './spare.ts'
import {
  type KeptChanges,
  type KeptState,
  newestSequence,
  type State,
  type StoredBlock,
  type UndoableState,
} from './state.ts'
import { isOfUse } from './undo-use.ts'

interface Part extends Loose {
  readonly name: Exclude<keyof UndoableState, 'blocks' | 'outcomes' | 'queued'>
  /** Fields that name blocks. */
  readonly ends: readonly string[]
  /** What changed since stays as it is. */
  readonly lenient?: true
}

const PARTS: readonly Part[] = [
  { name: 'edges', ends: ['from', 'to'], count: 'reinforcementCount', clock: 'lastActiveAt' },
  { name: 'pairs', ends: ['a', 'b'] },
  { name: 'pending', ends: ['source', 'target'] },
  { name: 'disconnections', ends: ['from', 'to'] },
  { name: 'tombstones', ends: ['blockId'] },
  { name: 'staged', ends: ['from', 'to'], lenient: true },
  { name: 'unlabelled', ends: ['from', 'to'], lenient: true },
]

const BLOCK: Loose = { count: 'reinforcementCount', clock: 'lastReinforcedAt' }

/** Keeps both states whole: this store is for being right, not for being small. */
export function keepChanges(before: State, after: State): void {
  const newest = before.operations.at(-1)?.id ?? 0
  const logged = after.operations.filter(({ id }) => id > newest).map(({ id }) => id)
  const [first, last] = [logged[0], logged.at(-1)]
  if (first === undefined || last === undefined) return
  const kept = { first, before: snapshot(before), after: snapshot(after) }
  if (!isDeepStrictEqual(unnumbered(kept.before), unnumbered(kept.after))) after.kept.set(last, kept)
}

/** What this store calls the size of one write's changes, none of which it writes anywhere. */
const BYTES_EACH = 1_000

/** Keeps the newest that fit. */
export function trimChanges(state: State, bytes: number): number {
  let total = 0
  for (const last of [...state.kept.keys()].sort((one, other) => other - one)) {
    total += BYTES_EACH
    if (total <= bytes) continue
    for (const old of [...state.kept.keys()]) if (old <= last) state.kept.delete(old)
    return last
  }
  return 0
}

/** Finds out first what everything would be, so that a conflict leaves nothing half done. */
export function revert(state: State, last: number, except: readonly number[] = []): Reverted | undefined {
  const kept = state.kept.get(last)
  if (kept === undefined) return undefined
  const later = { after: last, except }
  const about = new Set<string>()
  const blocks = blocksBack(state, kept, about)
  const maps = PARTS.map((part) => ({
    part,
    values: atHome(part, mapBack(part, { kept, state, later }, about), blocks),
  }))
  const lists = (['outcomes', 'queued'] as const).map((name) => ({
    name,
    values: listBack<{ readonly blockId: string }>(kept.before[name], kept.after[name], state[name], about),
  }))
  const homeless = lists.flatMap(({ values }) => values).filter(({ blockId }) => !blocks.has(blockId))
  if (homeless.length > 0) throw conflict(homeless.map(({ blockId }) => blockId))
  const result = {
    blockIds: [...about],
    ...edgesOf(kept, state),
    ...ofBlocks(state, blocks),
    vectorsBack: vectorsBack(state, blocks),
  }
  noteRemoval(state, blocks)
  replace(state.blocks, blocks)
  learnedBack(state, kept)
  for (const { part, values } of maps) replace(state[part.name] as Map<string, unknown>, values)
  for (const { name, values } of lists) (state[name] as unknown[]).splice(0, state[name].length, ...values)
  return result
}

/** What comes back, and what stands there. */
function edgesOf({ before, after }: KeptChanges, now: State): Pick<Reverted, 'edgesBack' | 'edgesDropped'> {
  const gone = [...before.edges].filter(([key]) => !after.edges.has(key))
  const endsOf = ([, { from, to }]: (typeof gone)[number]): Ends => [from, to]
  return {
    edgesBack: gone.map(endsOf),
    edgesDropped: gone.filter(([key]) => now.edges.has(key)).map(endsOf),
  }
}

const standing = ({ tags, sourceClass }: StoredBlock['block']) => ({ tags, sourceClass })

/** What becomes of the blocks that are there. */
function ofBlocks(
  { blocks: now }: State,
  blocks: State['blocks'],
): Pick<Reverted, 'trustBack' | 'standingBack'> {
  const pairs = [...blocks].flatMap(([id, { block: back }]) => {
    const current = now.get(id)?.block
    return current === undefined ? [] : [{ current, back }]
  })
  return {
    trustBack: pairs.some(
      ({ current, back }) =>
        current.content === back.content && isLessTrusted(current.sourceClass, back.sourceClass),
    ),
    standingBack: pairs.some(({ current, back }) => !isDeepStrictEqual(standing(current), standing(back))),
  }
}

function vectorsBack({ blocks: now }: State, blocks: State['blocks']): boolean {
  return [...blocks].some(
    ([id, { index }]) =>
      index?.vector !== undefined && !isDeepStrictEqual(index.vector, now.get(id)?.index?.vector),
  )
}

function blocksBack(state: State, { before, after }: KeptChanges, about: Set<string>): State['blocks'] {
  const result = new Map(state.blocks)
  for (const id of new Set([...before.blocks.keys(), ...after.blocks.keys()])) {
    const [was, is] = [before.blocks.get(id), after.blocks.get(id)]
    if (isDeepStrictEqual(was && plain(was), is && plain(is))) continue
    about.add(id)
    const back = blockBack(state, id, { was, is })
    if (back) result.set(id, back)
    else result.delete(id)
    if (!isDeepStrictEqual(back?.index?.vector, state.blocks.get(id)?.index?.vector)) state.spare.delete(id)
  }
  return ordered(result, [...before.blocks.keys()])
}

function blockBack(
  { blocks }: State,
  id: string,
  { was, is }: Readonly<Record<'was' | 'is', StoredBlock | undefined>>,
): StoredBlock | undefined {
  const now = blocks.get(id)
  const back = setBack(
    { was: fieldsOf(was?.block), is: fieldsOf(is?.block), now: fieldsOf(now?.block) },
    BLOCK,
  )
  if (back === 'conflict') throw conflict([id])
  if (back === undefined || was === undefined) return undefined
  const block = back as unknown as StoredBlock['block']
  const isLost = now !== undefined && losesVector(now.block, block)
  const left = isLost ? undefined : now?.index
  const index = isDeepStrictEqual(was.index, is?.index) ? left : was.index
  const { index: _index, ...rest } = now ?? was
  const stored: StoredBlock = { ...rest, block, ...(index ? { index } : {}) }
  if (stored.sequence === 0 && block.status === 'archived') return stored
  const sequence = newestSequence(blocks) + 1
  return { ...stored, sequence, indexSequence: index ? sequence : 0 }
}

interface Taking {
  readonly kept: KeptChanges
  readonly state: State
  readonly later: Later
}

function mapBack(part: Part, { kept, state, later }: Taking, about: Set<string>): Map<string, unknown> {
  const { name, ends, lenient } = part
  const [before, after, now] = [kept.before, kept.after, state].map(
    (each) => each[name] as unknown as ReadonlyMap<string, Fields>,
  ) as [ReadonlyMap<string, Fields>, ReadonlyMap<string, Fields>, ReadonlyMap<string, Fields>]
  const result = new Map<string, unknown>(now)
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const times = { was: before.get(key), is: after.get(key), now: now.get(key) }
    if (isDeepStrictEqual(times.was, times.is)) continue
    const named = ends.map((end) => String((times.was ?? times.is)?.[end]))
    const back = setBack(times, part)
    if (back === 'conflict') mustBeEvicted(part, { key, named }, state, later)
    // What an edge of use stands in the way of comes back; else it, or nothing, stays.
    if (back === 'conflict' && (lenient || times.is !== undefined)) continue
    for (const id of named) about.add(id)
    put(result, key, back === 'conflict' ? times.was : back)
  }
  return ordered(result, [...before.keys()])
}

function put<T>(into: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) into.delete(key)
  else into.set(key, value)
}

/** Throws `CONFLICT` when a value changed by more than use. */
function mustBeEvicted(
  { name, lenient }: Part,
  { key, named }: { readonly key: string; readonly named: readonly string[] },
  state: State,
  later: Later,
): void {
  if (lenient || (name === 'edges' && isOfUse(state, key, named, later))) return
  throw conflict(named)
}

/** Nothing stands at a block that is no more: what use goes on changing goes with it, all else is a conflict. */
function atHome(
  { ends, lenient }: Part,
  values: ReadonlyMap<string, unknown>,
  blocks: State['blocks'],
): Map<string, unknown> {
  const homeless = [...values].filter(([, value]) =>
    ends.some((end) => !blocks.has(String((value as Fields)[end]))),
  )
  if (!lenient && homeless.length > 0)
    throw conflict(homeless.flatMap(([, value]) => ends.map((end) => String((value as Fields)[end]))))
  const gone = new Set(homeless.map(([key]) => key))
  return new Map([...values].filter(([key]) => !gone.has(key)))
}

/** Entries of lists never change, so they are the same object wherever they are. */
function listBack<T extends { readonly blockId: string }>(
  before: readonly T[],
  after: readonly T[],
  now: readonly T[],
  about: Set<string>,
): T[] {
  const [old, left, current] = [new Set(before), new Set(after), new Set(now)]
  const made = new Set(after.filter((each) => !old.has(each)))
  const gone = before.filter((each) => !left.has(each))
  for (const { blockId } of [...made, ...gone]) about.add(blockId)
  const missing = [...made].filter((each) => !current.has(each))
  if (missing.length > 0) throw conflict(missing.map(({ blockId }) => blockId))
  const places = new Map(before.map((each, place) => [each, place]))
  const place = (each: T): number => places.get(each) ?? before.length
  return [...now.filter((each) => !made.has(each)), ...gone].sort((one, other) => place(one) - place(other))
}

/** Of `meta` what the memory learned. */
function learnedOf({ meta }: State): Map<string, string> {
  const keys: readonly string[] = Object.values(STATE_KEYS)
  return new Map([...meta].filter(([key]) => keys.includes(key.split(' ')[0] as string)))
}

/** What was learned on since stays. */
function learnedBack({ meta }: State, { before, after }: KeptChanges): void {
  for (const key of new Set([...before.learned.keys(), ...after.learned.keys()])) {
    const [was, is] = [before.learned.get(key), after.learned.get(key)]
    if (was === is || meta.get(key) !== is) continue
    if (was === undefined) meta.delete(key)
    else meta.set(key, was)
  }
}

function snapshot(state: State): KeptState {
  const { blocks, edges, pairs, staged, pending, disconnections, unlabelled, outcomes, queued, tombstones } =
    state
  const learned = learnedOf(state)
  return {
    blocks,
    edges,
    pairs,
    staged,
    pending,
    disconnections,
    unlabelled,
    outcomes,
    queued,
    tombstones,
    learned,
  }
}

function fieldsOf(block: StoredBlock['block'] | undefined): Fields | undefined {
  return block && { ...block }
}

function plain({ block, index }: StoredBlock): unknown {
  return { block, index }
}

function unnumbered({ blocks, ...rest }: KeptState): unknown {
  return { ...rest, blocks: new Map([...blocks].map(([id, stored]) => [id, plain(stored)])) }
}

/** What comes back takes its old place. */
function ordered<T>(values: ReadonlyMap<string, T>, keys: readonly string[]): Map<string, T> {
  const places = new Map(keys.map((key, place) => [key, place]))
  const place = (key: string): number => places.get(key) ?? keys.length
  return new Map([...values].sort(([one], [other]) => place(one) - place(other)))
}

function replace<T>(into: Map<string, T>, values: ReadonlyMap<string, T>): void {
  into.clear()
  for (const [key, value] of values) into.set(key, value)
}
