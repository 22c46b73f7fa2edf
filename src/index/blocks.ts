import { type Block, type BlockFacts, matchesTag, SOURCE_CLASSES, type SourceClass } from '../block/block.ts'
import type { SessionChains } from './chains.ts'
import {
  Column,
  instantOf,
  type PackedIndex,
  type PackedSection,
  packColumn,
  StringTable,
  unpackColumn,
} from './columns.ts'

/** Where a block stands among its session's, kept apart with the session's order. */
type Places = Pick<SessionChains, 'positionOf'>
/** The fields that score a block without a question. */
export type Vitals = Pick<
  BlockFacts,
  'tags' | 'category' | 'successes' | 'failures' | 'reinforcementCount' | 'lastReinforcedAt' | 'decayLambda'
>
const NONE = -1

/**
 * The facts of all blocks, a column each: about 90 bytes a block besides its id. A block has a slot, and one more for each of
 * its passages where it has several; these have no facts of their own.
 */
export class BlockColumns {
  readonly #ids = new StringTable()
  readonly #free: number[] = []
  /** The slot of the block that a slot belongs to; none where the slot is free. */
  readonly #heads = new Column(Int32Array, NONE)
  /** The slots of the passages of each block that has several, by its slot. */
  readonly #passages = new Map<number, readonly number[]>()
  #end = 0
  #size = 0
  readonly #places: Places
  /** Sessions by their names, and those of each scope for themselves: of the same name in two scopes they are two. */
  readonly #sessions = new StringTable()
  readonly #chains = new StringTable()
  readonly #scopes = new StringTable()
  readonly #categories = new StringTable()
  readonly #sources = new StringTable()
  readonly #tagSets = new TagSets()
  readonly #named = {
    ids: this.#ids,
    'session-names': this.#sessions,
    'chain-names': this.#chains,
    'scope-names': this.#scopes,
    'category-names': this.#categories,
    'source-names': this.#sources,
    'tag-sets': this.#tagSets,
  }
  readonly #columns = {
    category: new Column(Int32Array),
    source: new Column(Int32Array, NONE),
    sourceClass: new Column(Uint8Array),
    waits: new Column(Uint8Array),
    scope: new Column(Int32Array, NONE),
    session: new Column(Int32Array),
    tagSet: new Column(Int32Array),
    createdAt: new Column(Float64Array),
    occurredAt: new Column(Float64Array),
    lastAt: new Column(Float64Array, Number.NaN),
    lastToldAt: new Column(Float64Array, Number.NaN),
    successes: new Column(Float64Array),
    failures: new Column(Float64Array),
    reinforcementCount: new Column(Int32Array),
    lastReinforcedAt: new Column(Float64Array),
    lastUsefulAt: new Column(Float64Array),
    decayLambda: new Column(Float64Array),
  }

  constructor(places: Places) {
    this.#places = places
  }

  /** Blocks that are here. */
  get size(): number {
    return this.#size
  }

  /** Number of slots that are ranked: a block of several passages has one for each. */
  get ranked(): number {
    return this.#end - this.#free.length - this.#passages.size
  }

  /** Slots in use lie below it. */
  get end(): number {
    return this.#end
  }

  /** Slots of blocks that wait. */
  *waitingSlots(): Generator<number> {
    for (let slot = 0; slot < this.end; slot++) if (this.isHere(slot) && this.isWaiting(slot)) yield slot
  }

  /** All sources there ever were, by number. */
  get sources(): StringTable {
    return this.#sources
  }

  /** The slot of a block; undefined if it is not here. */
  slotOf(id: string): number | undefined {
    return this.#ids.find(id)
  }

  /** True if a block is in the slot; false for a slot of a passage. */
  isHere(slot: number): boolean {
    return this.#ids.has(slot)
  }

  /** The slot of the block that a slot in use belongs to: itself unless it is of a passage. */
  readonly headOf = (slot: number): number => this.#heads.values[slot] as number

  /** The slots that a block is ranked by: those of its passages, or its own. */
  partsOf(head: number): readonly number[] {
    return this.#passages.get(head) ?? [head]
  }

  /** Number of slots that the block of a slot is ranked by. */
  partCount(slot: number): number {
    return this.#passages.size === 0 ? 1 : (this.#passages.get(this.headOf(slot))?.length ?? 1)
  }

  /** Gives a block as many slots as it has passages, in place of those before; returns them in order. */
  split(head: number, count: number): readonly number[] {
    for (const slot of this.#passages.get(head) ?? []) this.#letGo(slot)
    this.#passages.delete(head)
    if (count === 1) return [head]
    // The slots of a packed copy tell the order of passages.
    const slots = Array.from({ length: count }, () => this.#take(head)).sort((one, other) => one - other)
    this.#passages.set(head, slots)
    return slots
  }

  #take(head?: number): number {
    const slot = this.#free.pop() ?? this.#end++
    this.#heads.set(slot, head ?? slot)
    return slot
  }

  #letGo(slot: number): void {
    this.#heads.set(slot, NONE)
    this.#free.push(slot)
  }

  /** The id of the block of a slot in use. */
  idOf(slot: number): string {
    return this.#ids.textOf(this.headOf(slot))
  }

  /** The number of the source of the block of a slot in use, or -1. */
  sourceOf(slot: number): number {
    return this.#columns.source.values[this.headOf(slot)] as number
  }

  /** The number of the session a block is in among those of all scopes. */
  chainOf({ scope, session }: Pick<BlockFacts, 'scope' | 'session'>): number {
    return this.#chains.numberOf(scope === undefined ? session : `${scope}\0${session}`)
  }

  /** Returns a test for slots in use that hold an active block of the scope; undefined: of none. */
  inScope(scope: string | undefined): (slot: number) => boolean {
    const wanted = scope === undefined ? NONE : this.#scopes.find(scope)
    const scopes = this.#columns.scope.values
    return (slot) => scopes[slot] === wanted && this.isHere(slot) && !this.isWaiting(slot)
  }

  /** The block's slot, a free one when it is new. */
  put(facts: BlockFacts): number {
    const known = this.#ids.find(facts.id)
    const slot = known ?? this.#take()
    if (known === undefined) {
      this.#ids.set(slot, facts.id)
      this.#size++
    } else this.#count(known, -1)
    const columns = this.#columns
    columns.category.set(slot, this.#categories.numberOf(facts.category))
    columns.source.set(slot, facts.source === undefined ? NONE : this.#sources.numberOf(facts.source))
    columns.sourceClass.set(slot, SOURCE_CLASSES.indexOf(facts.sourceClass))
    columns.waits.set(slot, Number(facts.status === 'inbox'))
    columns.scope.set(slot, facts.scope === undefined ? NONE : this.#scopes.numberOf(facts.scope))
    columns.session.set(slot, this.#sessions.numberOf(facts.session))
    columns.createdAt.set(slot, instantOf(facts.createdAt))
    columns.occurredAt.set(slot, instantOf(facts.occurredAt))
    columns.lastAt.set(slot, facts.lastAt === undefined ? Number.NaN : instantOf(facts.lastAt))
    columns.lastToldAt.set(slot, facts.lastToldAt === undefined ? Number.NaN : instantOf(facts.lastToldAt))
    columns.successes.set(slot, facts.successes)
    columns.failures.set(slot, facts.failures)
    columns.reinforcementCount.set(slot, facts.reinforcementCount)
    columns.lastReinforcedAt.set(slot, facts.lastReinforcedAt)
    columns.lastUsefulAt.set(slot, facts.lastUsefulAt)
    columns.decayLambda.set(slot, facts.decayLambda)
    columns.tagSet.set(slot, this.#tagSets.numberOf(facts.tags))
    this.#count(slot, 1)
    return slot
  }

  /** Removes the block in the slot, which has no slots of passages any more. */
  remove(slot: number): void {
    this.#count(slot, -1)
    this.#ids.remove(slot)
    this.#letGo(slot)
    this.#size--
  }

  /** A copy of what is known of the block in the slot; the slot must be in use. */
  factsOf(slot: number): BlockFacts {
    const source = this.sourceOf(slot)
    const scope = this.#columns.scope.values[slot] as number
    return {
      id: this.idOf(slot),
      ...this.vitalsOf(slot),
      ...(source === NONE ? {} : { source: this.#sources.textOf(source) }),
      sourceClass: SOURCE_CLASSES[this.#columns.sourceClass.values[slot] as number] as SourceClass,
      ...(scope === NONE ? {} : { scope: this.#scopes.textOf(scope) }),
      status: this.isWaiting(slot) ? 'inbox' : 'active',
      session: this.#sessions.textOf(this.#columns.session.values[slot] as number),
      position: this.positionOf(slot),
      createdAt: new Date(this.#columns.createdAt.values[slot] as number).toISOString(),
      occurredAt: new Date(this.#columns.occurredAt.values[slot] as number).toISOString(),
      ...this.#lastTimesOf(slot),
      lastUsefulAt: this.#columns.lastUsefulAt.values[slot] as number,
    }
  }

  #lastTimesOf(slot: number): Pick<BlockFacts, 'lastAt' | 'lastToldAt'> {
    const [at, toldAt] = [this.#columns.lastAt.values[slot], this.#columns.lastToldAt.values[slot]]
    if (at === undefined || toldAt === undefined || Number.isNaN(toldAt)) return {}
    return { lastAt: new Date(at).toISOString(), lastToldAt: new Date(toldAt).toISOString() }
  }

  /** The place of the block in its session. */
  positionOf(head: number): number {
    return this.#places.positionOf(this.partsOf(head)[0] as number)
  }

  /** True if the newest words of the block in the slot are of another time than its new facts say. */
  isRedated(slot: number, { lastAt }: Pick<BlockFacts, 'lastAt'>): boolean {
    const at = this.#columns.lastAt.values[slot] as number
    return lastAt === undefined ? !Number.isNaN(at) : instantOf(lastAt) !== at
  }

  /** True if the block of the slot has not become active yet. */
  isWaiting(slot: number): boolean {
    return this.#columns.waits.values[this.headOf(slot)] === 1
  }

  /** How often the block in the slot was reinforced. */
  reinforcementsOf(slot: number): number {
    return this.#columns.reinforcementCount.values[slot] as number
  }

  /** The tags of the block in the slot, in the order it has them. */
  tagsOf(slot: number): readonly string[] {
    return this.#tagSets.tagsOf(this.#columns.tagSet.values[slot] as number)
  }

  /** A copy of the fields that score the block in the slot without a question. */
  vitalsOf(slot: number): Vitals {
    const { category, successes, failures, reinforcementCount, lastReinforcedAt, decayLambda } = this.#columns
    return {
      tags: this.tagsOf(slot),
      category: this.#categories.textOf(category.values[slot] as number),
      successes: successes.values[slot] as number,
      failures: failures.values[slot] as number,
      reinforcementCount: reinforcementCount.values[slot] as number,
      lastReinforcedAt: lastReinforcedAt.values[slot] as number,
      decayLambda: decayLambda.values[slot] as number,
    }
  }

  /** True if the first of two otherwise equal slots comes first: its block is older. Never depends on the slots of blocks. */
  readonly precedes = (slot: number, other: number): boolean => {
    const [one, two] = [this.headOf(slot), this.headOf(other)]
    if (one === two) return slot < other
    const created = this.#columns.createdAt.values
    const difference =
      (created[one] as number) - (created[two] as number) || this.positionOf(one) - this.positionOf(two)
    return difference === 0 ? this.idOf(one) < this.idOf(two) : difference < 0
  }

  /** Returns a test for slots in use: true if one may be ranked, and its block passes the filter. */
  rankable(filter: Filter): (slot: number) => boolean {
    const passes = this.passing(filter)
    return (slot) => {
      const head = this.headOf(slot)
      return head !== NONE && !(head === slot && this.#passages.has(head)) && passes(head)
    }
  }

  /** Returns a test for slots in use that pass the filter. */
  passing(filter: Filter): (slot: number) => boolean {
    const category = filter.category === undefined ? undefined : this.#categories.find(filter.category)
    const session = filter.session === undefined ? undefined : this.#sessions.find(filter.session)
    const isUnknown =
      (filter.category !== undefined && category === undefined) ||
      (filter.session !== undefined && session === undefined)
    if (isUnknown) return () => false
    const verdicts = this.#tagSets.verdicts(filter)
    const tagSets = this.#columns.tagSet.values
    const categories = this.#columns.category.values
    const sessions = this.#columns.session.values
    const allowed = SOURCE_CLASSES.map((each) => filter.classes?.includes(each) ?? true)
    const classes = this.#columns.sourceClass.values
    const slots = filter.ids && new Set([...filter.ids].flatMap((id) => this.slotOf(id) ?? []))
    return (slot) =>
      this.#ids.has(slot) &&
      verdicts[tagSets[slot] as number] === true &&
      (category === undefined || categories[slot] === category) &&
      (session === undefined || sessions[slot] === session) &&
      allowed[classes[slot] as number] === true &&
      (slots === undefined || slots.has(slot)) &&
      (filter.active === undefined || !this.isWaiting(slot))
  }

  /** How many blocks pass the filter. One pass over the columns, none when it asks for tags alone. */
  countPassing(filter: Filter): number {
    const { category, session, classes, ids, active } = filter
    const isOfTags = [category, session, classes, ids, active].every((each) => each === undefined)
    if (isOfTags) return this.#tagSets.countPassing(filter)
    const passes = this.passing(filter)
    let count = 0
    for (let slot = 0; slot < this.end; slot++) if (passes(slot)) count++
    return count
  }

  /** How many active blocks carry a tag that fits one of the patterns. */
  countTagged(patterns: readonly string[]): number {
    return this.#tagSets.countActive(patterns)
  }

  /** Slots of active blocks with a tag that fits one of the patterns, older first. One pass when there are any. */
  tagged(patterns: readonly string[]): number[] {
    if (this.countTagged(patterns) === 0) return []
    const verdicts = this.#tagSets.verdicts({ include: patterns })
    const tagSets = this.#columns.tagSet.values
    const slots: number[] = []
    for (let slot = 0; slot < this.end; slot++)
      if (verdicts[tagSets[slot] as number] === true && this.isHere(slot) && !this.isWaiting(slot))
        slots.push(slot)
    return slots.sort((a, b) => (this.precedes(a, b) ? -1 : 1))
  }

  /** The sections of all columns and texts; their bytes are those in use. */
  pack(): PackedSection[] {
    for (const column of Object.values(this.#columns)) column.reserve(this.end)
    return [
      ...Object.entries(this.#named).flatMap(([name, texts]) => texts.pack(name)),
      ...Object.entries({ ...this.#columns, heads: this.#heads }).map(([name, column]) =>
        packColumn(name, column, this.end),
      ),
    ]
  }

  /** Fills columns that are still empty. */
  unpack(packed: PackedIndex): void {
    for (const [name, texts] of Object.entries(this.#named)) texts.unpack(packed, name)
    this.#end = packed.sizeOf('heads') / Int32Array.BYTES_PER_ELEMENT
    for (const [name, column] of Object.entries({ ...this.#columns, heads: this.#heads }))
      unpackColumn(packed, name, column, this.end)
    for (let slot = 0; slot < this.end; slot++) {
      const head = this.headOf(slot)
      if (head === NONE) this.#free.push(slot)
      else if (head !== slot) this.#passages.set(head, [...(this.#passages.get(head) ?? []), slot])
      else {
        this.#count(slot, 1)
        this.#size++
      }
    }
  }

  #count(slot: number, by: number): void {
    this.#tagSets.count(this.#columns.tagSet.values[slot] as number, by, this.isWaiting(slot))
  }
}

/** Conditions on the blocks that may appear; an absent one lets all pass. */
export interface Filter {
  /** Patterns of tags, of which a block has at least one: literals, or prefixes ending in `*`. */
  readonly include?: readonly string[] | undefined
  /** Further patterns of tags, of which a block has at least one, too. */
  readonly tags?: readonly string[] | undefined
  /** Patterns of tags that keep a block out. */
  readonly exclude?: readonly string[] | undefined
  readonly category?: string | undefined
  readonly session?: string | undefined
  /** Ids of the blocks that may appear. */
  readonly ids?: ReadonlySet<string> | undefined
  /** Classes of sources whose blocks may appear. */
  readonly classes?: readonly SourceClass[] | undefined
  /** True to leave out blocks that wait for a dream. */
  readonly active?: true | undefined
}

/** True if any of the tags fits any of the patterns. */
export function hasTag(tags: readonly string[], patterns: readonly string[]): boolean {
  return tags.some((tag) => patterns.some((pattern) => matchesTag(pattern, tag)))
}

/** True if a block with these tags may appear, as far as tags decide. */
function passesTags(tags: readonly string[], { include, tags: wanted, exclude }: Filter): boolean {
  if (exclude && hasTag(tags, exclude)) return false
  if (include && !hasTag(tags, include)) return false
  return wanted === undefined || hasTag(tags, wanted)
}

/** True if a single block may appear. */
export function passesFilter(
  block: Pick<Block, 'id' | 'tags' | 'category' | 'session' | 'sourceClass' | 'status'>,
  filter: Filter,
): boolean {
  const { category, session, classes, ids, active } = filter
  return (
    passesTags(block.tags, filter) &&
    (category === undefined || block.category === category) &&
    (session === undefined || block.session === session) &&
    (classes === undefined || classes.includes(block.sourceClass)) &&
    (ids === undefined || ids.has(block.id)) &&
    (active === undefined || block.status === 'active')
  )
}

/** Questions about tags whose answers are kept: those the frames ask in every recall. */
const KEPT_VERDICTS = 16

/** The combinations of tags that blocks carry, each once under a number, and how many blocks carry it. */
class TagSets {
  readonly #names = new StringTable()
  readonly #tags: (readonly string[])[] = []
  /** Number of active blocks that carry each combination; `#waiting` has that of waiting ones. */
  readonly #blocks: number[] = []
  readonly #waiting: number[] = []
  readonly #verdicts = new Map<string, boolean[]>()

  /** The number of a combination, the next one when it is new. */
  numberOf(tags: readonly string[]): number {
    const set = this.#names.numberOf(JSON.stringify(tags))
    if (set === this.#tags.length) this.#add(tags)
    return set
  }

  /** The tags of a combination, which must be known. */
  tagsOf(set: number): readonly string[] {
    return this.#tags[set] as readonly string[]
  }

  /** One block more or less with the combination. */
  count(set: number, by: number, waits: boolean): void {
    const blocks = waits ? this.#waiting : this.#blocks
    blocks[set] = (blocks[set] as number) + by
  }

  /** Returns, by number of a combination, if its blocks may appear. Each combination is judged once a question. */
  verdicts({ include, tags, exclude }: Filter): readonly boolean[] {
    const question = JSON.stringify([include, tags, exclude])
    let known = this.#verdicts.get(question)
    if (known === undefined) {
      if (this.#verdicts.size >= KEPT_VERDICTS) this.#verdicts.clear()
      known = []
      this.#verdicts.set(question, known)
    }
    for (let set = known.length; set < this.#tags.length; set++)
      known.push(passesTags(this.tagsOf(set), { include, tags, exclude }))
    return known
  }

  /** Number of blocks, waiting or not, with a combination that may appear. */
  countPassing(filter: Filter): number {
    const blocksOf = (set: number) => (this.#blocks[set] as number) + (this.#waiting[set] as number)
    return this.verdicts(filter).reduce((sum, may, set) => (may ? sum + blocksOf(set) : sum), 0)
  }

  /** Number of active blocks with a tag that fits one of the patterns. */
  countActive(patterns: readonly string[]): number {
    if (patterns.length === 0) return 0
    const fits = this.verdicts({ include: patterns })
    return this.#blocks.reduce((sum, count, set) => (fits[set] ? sum + count : sum), 0)
  }

  /** The sections of the combinations, whose names begin with `name`; the counts are no part of them. */
  pack(name: string): PackedSection[] {
    return this.#names.pack(name)
  }

  /** Fills sets that are still empty; no block carries one yet. */
  unpack(packed: PackedIndex, name: string): void {
    this.#names.unpack(packed, name)
    for (let set = 0; set < this.#names.end; set++) this.#add(JSON.parse(this.#names.textOf(set)) as string[])
  }

  #add(tags: readonly string[]): void {
    this.#tags.push([...tags])
    this.#blocks.push(0)
    this.#waiting.push(0)
  }
}

/** Lexical share from which words alone suggest the greatest cosine: a rare word or two of the question. */
const FULL_SHARE = 0.3

/** The blocks of an index that have not become active yet, oldest first, and who of them lacks a vector. */
export class WaitingBlocks {
  readonly #all = new Set<string>()
  readonly #lacking = new Set<string>()

  get size(): number {
    return this.#all.size
  }

  /** How many have no vector. */
  get lacking(): number {
    return this.#lacking.size
  }

  /** Ids of those without a vector, newest first. */
  newestLacking(most: number): string[] {
    return [...this.#lacking].slice(-Math.max(1, most)).reverse()
  }

  /**
   * Gives blocks without a vector a cosine that their words suggest, as a share of the greatest there is: a vector alone shall bring no
   * other block before them. One pass over the cosines when any lacks one.
   *
   * @param cosines of all slots with a question, changed in place
   */
  estimate(
    cosines: Float32Array,
    shares: { of(slot: number): number },
    partsOf: (id: string) => readonly number[],
  ): void {
    if (this.#lacking.size === 0) return
    const greatest = cosines.reduce((most, each) => Math.max(most, each), 0)
    for (const slot of [...this.#lacking].flatMap(partsOf)) {
      const suggested = greatest * Math.min(1, shares.of(slot) / FULL_SHARE)
      cosines[slot] = Math.max(cosines[slot] as number, suggested)
    }
  }

  /** Adds a block that waits; one that is known keeps its place. */
  add(id: string, hasVector: boolean): void {
    this.#all.add(id)
    if (hasVector) this.#lacking.delete(id)
    else this.#lacking.add(id)
  }

  /** Forgets a block that waits no more. */
  delete(id: string): void {
    this.#all.delete(id)
    this.#lacking.delete(id)
  }

  /** Forgets all blocks that wait. */
  clear(): void {
    this.#all.clear()
    this.#lacking.clear()
  }
}
