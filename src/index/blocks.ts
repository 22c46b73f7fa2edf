import { type Block, type BlockFacts, matchesTag, SOURCE_CLASSES, type SourceClass } from '../block/block.ts'
import { unreadable } from '../errors.ts'
import { Column, type PackedIndex, type PackedSection, StringTable } from './columns.ts'

/** Vitals are the fields that score a block without a question. */
export type Vitals = Pick<
  BlockFacts,
  'tags' | 'category' | 'successes' | 'failures' | 'reinforcementCount' | 'lastReinforcedAt' | 'decayLambda'
>
const NONE = -1

/**
 * Block columns have the facts of all blocks, one column for each: about 90 bytes a block besides its id. A block has a slot, and if it
 * has several passages one more for each; the slots of passages have no facts of their own.
 */
export class BlockColumns {
  readonly #ids = new StringTable()
  readonly #free: number[] = []
  /** The slots of passages by the slot of their block, for blocks of several passages. */
  readonly #passages = new Map<number, readonly number[]>()
  #end = 0
  #size = 0
  #waiting = 0
  /** Sessions by name; `#chains` has them by scope and name, since two scopes may have sessions of the same name. */
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
    /** The slot of the block to which a slot belongs; -1 for a free slot. */
    heads: new Column(Int32Array, NONE),
    position: new Column(Int32Array),
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

  get size(): number {
    return this.#size
  }

  /** Number of slots that are ranked; a block of several passages has one for each. */
  get ranked(): number {
    return this.#end - this.#free.length - this.#passages.size
  }

  /** The least number above all slots in use. */
  get end(): number {
    return this.#end
  }

  get waiting(): number {
    return this.#waiting
  }

  /** All sources that any block ever had, by number. */
  get sources(): StringTable {
    return this.#sources
  }

  slotOf(id: string): number | undefined {
    return this.#ids.find(id)
  }

  /** Returns true if a slot is that of a block; false if it is that of a passage. */
  isHere(slot: number): boolean {
    return this.#ids.has(slot)
  }

  /** Returns the slot of the block to which a slot in use belongs: the same slot unless it is that of a passage. */
  readonly headOf = (slot: number): number => this.#columns.heads.values[slot] as number

  /** Returns the slots by which a block is ranked: those of its passages, or its own. */
  partsOf(head: number): readonly number[] {
    return this.#passages.get(head) ?? [head]
  }

  /** Returns the number of slots by which the block of a slot is ranked. */
  partCount(slot: number): number {
    return this.#passages.size === 0 ? 1 : (this.#passages.get(this.headOf(slot))?.length ?? 1)
  }

  /** Replaces the slots of a block's passages by `count` new ones, or by its own slot for one passage; returns them in order. */
  split(head: number, count: number): readonly number[] {
    for (const slot of this.#passages.get(head) ?? []) this.#letGo(slot)
    this.#passages.delete(head)
    if (count === 1) return [head]
    // A packed copy has the order of passages only in the order of their slots.
    const slots = Array.from({ length: count }, () => this.#take(head)).sort((one, other) => one - other)
    this.#passages.set(head, slots)
    return slots
  }

  #take(head?: number): number {
    const slot = this.#free.pop() ?? this.#end++
    this.#columns.heads.set(slot, head ?? slot)
    return slot
  }

  #letGo(slot: number): void {
    this.#columns.heads.set(slot, NONE)
    this.#free.push(slot)
  }

  idOf(slot: number): string {
    return this.#ids.textOf(this.headOf(slot))
  }

  /** Returns the number of the source of the block of a slot in use, or -1. */
  sourceOf(slot: number): number {
    return this.#columns.source.values[this.headOf(slot)] as number
  }

  /** Returns the number of a block's session among the sessions of all scopes. */
  chainOf({ scope, session }: Pick<BlockFacts, 'scope' | 'session'>): number {
    return this.#chains.numberOf(scope === undefined ? session : `${scope}\0${session}`)
  }

  /** Returns a test for slots in use: true for an active block of the scope, or without a scope if that is undefined. */
  inScope(scope: string | undefined): (slot: number) => boolean {
    const wanted = scope === undefined ? NONE : this.#scopes.find(scope)
    const scopes = this.#columns.scope.values
    return (slot) => scopes[slot] === wanted && this.isHere(slot) && !this.isWaiting(slot)
  }

  /** Sets the facts of a block and returns its slot, a free one if the block is new. */
  put(facts: BlockFacts): number {
    const known = this.#ids.find(facts.id)
    const slot = known ?? this.#take()
    if (known === undefined) this.#ids.set(slot, facts.id)
    else this.#count(known, -1)
    const columns = this.#columns
    columns.position.set(slot, facts.position)
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

  /** Removes the block in a slot; it must not have slots of passages any more. */
  remove(slot: number): void {
    this.#count(slot, -1)
    this.#ids.remove(slot)
    this.#letGo(slot)
  }

  /** Returns a copy of the facts of the block in a slot in use. */
  factsOf(slot: number): BlockFacts {
    const { createdAt, occurredAt, lastAt, lastToldAt } = this.#columns
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
      createdAt: timeIn(createdAt, slot),
      occurredAt: timeIn(occurredAt, slot),
      ...(Number.isNaN(lastToldAt.values[slot])
        ? {}
        : { lastAt: timeIn(lastAt, slot), lastToldAt: timeIn(lastToldAt, slot) }),
      lastUsefulAt: this.#columns.lastUsefulAt.values[slot] as number,
    }
  }

  positionOf(head: number): number {
    return this.#columns.position.values[head] as number
  }

  /** Returns true if the date of the newest occurrence of the block in a slot differs from that in its new facts. */
  isRedated(slot: number, { lastAt }: Pick<BlockFacts, 'lastAt'>): boolean {
    const at = this.#columns.lastAt.values[slot] as number
    return lastAt === undefined ? !Number.isNaN(at) : instantOf(lastAt) !== at
  }

  /** Returns true if the block of a slot is not active yet. */
  isWaiting(slot: number): boolean {
    return this.#columns.waits.values[this.headOf(slot)] === 1
  }

  reinforcementsOf(slot: number): number {
    return this.#columns.reinforcementCount.values[slot] as number
  }

  /** Returns the tags of the block in a slot, in the order of the block. */
  tagsOf(slot: number): readonly string[] {
    return this.#tagSets.tagsOf(this.#columns.tagSet.values[slot] as number)
  }

  /** Returns a copy of the fields that score the block in a slot without a question. */
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

  /** Returns true if the first of two otherwise equal slots comes first: its block is older. Slots decide only within one block. */
  readonly precedes = (slot: number, other: number): boolean => {
    const [one, two] = [this.headOf(slot), this.headOf(other)]
    if (one === two) return slot < other
    const created = this.#columns.createdAt.values
    const difference =
      (created[one] as number) - (created[two] as number) || this.positionOf(one) - this.positionOf(two)
    return difference === 0 ? this.idOf(one) < this.idOf(two) : difference < 0
  }

  /** Returns a test for slots in use: true if the slot is ranked and its block passes the filter. */
  rankable(filter: Filter): (slot: number) => boolean {
    const passes = this.passing(filter)
    return (slot) => {
      const head = this.headOf(slot)
      return head !== NONE && !(head === slot && this.#passages.has(head)) && passes(head)
    }
  }

  /** Returns a test for slots in use: true if the block in the slot passes the filter. */
  passing(filter: Filter): (slot: number) => boolean {
    const category = filter.category && (this.#categories.find(filter.category) ?? NONE)
    const session = filter.session && (this.#sessions.find(filter.session) ?? NONE)
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

  /** Returns a test for slots of blocks: true if the source, a tag or the last part of a tag is one of some labels in lower case. */
  labelled(labels: ReadonlySet<string>): (slot: number) => boolean {
    const sources = new Set<number>()
    for (let source = 0; source < this.#sources.end; source++)
      if (labels.has(this.#sources.textOf(source).toLowerCase())) sources.add(source)
    const verdicts = this.#tagSets.all.map((tags) =>
      tags.some((tag) => labels.has(tag) || labels.has(tag.split('/').at(-1) ?? '')),
    )
    const sets = this.#columns.tagSet.values
    return (slot) => sources.has(this.sourceOf(slot)) || verdicts[sets[slot] as number] === true
  }

  /** Returns true if the block in a slot was first or last said at or after a time, and before another one, in milliseconds since 1970. */
  isSaidBetween(slot: number, since: number, until: number): boolean {
    const { createdAt, occurredAt, lastAt, lastToldAt } = this.#columns
    const first = Math.min(occurredAt.values[slot] as number, createdAt.values[slot] as number)
    const last = Math.min(lastAt.values[slot] as number, lastToldAt.values[slot] as number)
    return [first, last].some((at) => at >= since && at < until)
  }

  /** Returns the number of blocks that pass a filter. One pass over the columns, none if the filter has only conditions on tags. */
  countPassing(filter: Filter): number {
    const { category, session, classes, ids, active } = filter
    const isOfTags = [category, session, classes, ids, active].every((each) => each === undefined)
    if (isOfTags) return this.#tagSets.countPassing(filter)
    const passes = this.passing(filter)
    let count = 0
    for (let slot = 0; slot < this.end; slot++) if (passes(slot)) count++
    return count
  }

  /** Returns the slots of active blocks with a tag that matches one of the patterns, older first. One pass if there are any. */
  tagged(patterns: readonly string[]): number[] {
    if (this.countPassing({ include: patterns }) === 0) return []
    const passes = this.passing({ include: patterns, active: true })
    const slots: number[] = []
    for (let slot = 0; slot < this.end; slot++) if (passes(slot)) slots.push(slot)
    return slots.sort((a, b) => (this.precedes(a, b) ? -1 : 1))
  }

  /** Returns the sections of all columns and texts; their bytes are those in use. */
  pack(): PackedSection[] {
    return [
      ...Object.entries(this.#named).flatMap(([name, texts]) => texts.pack(name)),
      ...Object.entries(this.#columns).map(([name, column]) => column.pack(name, this.end)),
    ]
  }

  unpack(packed: PackedIndex): void {
    for (const [name, texts] of Object.entries(this.#named)) texts.unpack(packed, name)
    for (const [name, column] of Object.entries(this.#columns)) column.unpack(packed, name)
    this.#end = this.#columns.heads.values.length
    for (let slot = 0; slot < this.end; slot++) {
      const head = this.headOf(slot)
      if (head === NONE) this.#free.push(slot)
      else if (head !== slot) this.#passages.set(head, [...(this.#passages.get(head) ?? []), slot])
      else this.#count(slot, 1)
    }
  }

  #count(slot: number, by: 1 | -1): void {
    this.#size += by
    if (this.isWaiting(slot)) this.#waiting += by
    this.#tagSets.count(this.#columns.tagSet.values[slot] as number, by)
  }
}

function timeIn({ values }: Column<Float64Array<ArrayBuffer>>, slot: number): string {
  return new Date(values[slot] as number).toISOString()
}

/** Returns milliseconds since 1970; throws for a text that is no time, which a crafted file may have. */
function instantOf(text: string): number {
  const milliseconds = Date.parse(text)
  if (!Number.isNaN(milliseconds)) return milliseconds
  throw unreadable('A block of the memory has no time where one should be.')
}

/** A filter has conditions on the blocks that may appear; an absent condition lets all pass. */
export interface Filter {
  /** Patterns, literals or prefixes ending in `*`, one of which must match a tag of the block. */
  readonly include?: readonly string[] | undefined
  /** Further patterns, one of which must also match a tag of the block. */
  readonly tags?: readonly string[] | undefined
  /** Patterns that must match no tag of the block. */
  readonly exclude?: readonly string[] | undefined
  readonly category?: string | undefined
  readonly session?: string | undefined
  readonly ids?: ReadonlySet<string> | undefined
  /** Classes of the sources whose blocks may appear. */
  readonly classes?: readonly SourceClass[] | undefined
  /** True: blocks that wait for a dream may not appear. */
  readonly active?: true | undefined
}

export function hasTag(tags: readonly string[], patterns: readonly string[]): boolean {
  return tags.some((tag) => patterns.some((pattern) => matchesTag(pattern, tag)))
}

function passesTags(tags: readonly string[], { include, tags: wanted, exclude }: Filter): boolean {
  if (exclude && hasTag(tags, exclude)) return false
  if (include && !hasTag(tags, include)) return false
  return wanted === undefined || hasTag(tags, wanted)
}

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

/** The greatest number of conditions on tags whose verdicts are kept; the frames ask few, but in every recall. */
const KEPT_VERDICTS = 16

/** The combinations of tags of blocks, each once under a number, with the number of blocks that have it. */
class TagSets {
  readonly #names = new StringTable()
  readonly #tags: (readonly string[])[] = []
  readonly #blocks: number[] = []
  readonly #verdicts = new Map<string, boolean[]>()

  /** Returns the number of a combination, which is the next number if the combination is new. */
  numberOf(tags: readonly string[]): number {
    const set = this.#names.numberOf(JSON.stringify(tags))
    if (set === this.#tags.length) this.#add(tags)
    return set
  }

  tagsOf(set: number): readonly string[] {
    return this.#tags[set] as readonly string[]
  }

  /** Returns the sets of tags that blocks have, by the numbers of the sets. */
  get all(): readonly (readonly string[])[] {
    return this.#tags
  }

  count(set: number, by: number): void {
    this.#blocks[set] = (this.#blocks[set] as number) + by
  }

  /** Returns by number whether the blocks of each combination pass a filter. A combination is judged once for each filter. */
  verdicts({ include, tags, exclude }: Filter): readonly boolean[] {
    const question = JSON.stringify([include, tags, exclude])
    const known = this.#verdicts.get(question) ?? []
    for (let set = known.length; set < this.#tags.length; set++)
      known.push(passesTags(this.tagsOf(set), { include, tags, exclude }))
    if (this.#verdicts.size > KEPT_VERDICTS) this.#verdicts.clear()
    this.#verdicts.set(question, known)
    return known
  }

  countPassing(filter: Filter): number {
    return this.verdicts(filter).reduce(
      (sum, may, set) => (may ? sum + (this.#blocks[set] as number) : sum),
      0,
    )
  }

  /** Returns the sections of the combinations, whose names begin with `name`; the numbers of blocks are not packed. */
  pack(name: string): PackedSection[] {
    return this.#names.pack(name)
  }

  /** Fills sets that are still empty from a packed copy; no block has a combination then. */
  unpack(packed: PackedIndex, name: string): void {
    this.#names.unpack(packed, name)
    for (let set = 0; set < this.#names.end; set++) this.#add(JSON.parse(this.#names.textOf(set)) as string[])
  }

  #add(tags: readonly string[]): void {
    this.#tags.push([...tags])
    this.#blocks.push(0)
  }
}
