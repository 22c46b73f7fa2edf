import type { Block } from '../../domain/block/block.ts'
import type { SourceClass } from '../../domain/block/source-class.ts'
import { matchesTag } from '../../domain/block/tags.ts'
import type { PackedIndex, PackedSection } from '../../ports/index-cache.ts'
import { StringTable } from './column.ts'

/** Which blocks may appear. Absent = all. */
export interface Filter {
  /** At least one of these tags: literals, or prefixes ending in `*`. */
  readonly include?: readonly string[] | undefined
  /** At least one of these tags as well. */
  readonly tags?: readonly string[] | undefined
  /** None of these. */
  readonly exclude?: readonly string[] | undefined
  readonly category?: string | undefined
  readonly session?: string | undefined
  /** Only these. */
  readonly ids?: ReadonlySet<string> | undefined
  /** Only what one of these speaks in. */
  readonly classes?: readonly SourceClass[] | undefined
  /** Nothing that waits for a dream. */
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
export class TagSets {
  readonly #names = new StringTable()
  readonly #tags: (readonly string[])[] = []
  /** How many active blocks carry each, and how many that wait. */
  readonly #blocks: number[] = []
  readonly #waiting: number[] = []
  readonly #verdicts = new Map<string, boolean[]>()
  /** The combinations that each tag is in. */
  readonly #withTag = new Map<string, number[]>()

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

  /** By number: whether blocks with the combination may appear. Each combination is judged once a question. */
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

  /** How many blocks, waiting or not, carry a combination that may appear. */
  countPassing(filter: Filter): number {
    const blocksOf = (set: number) => (this.#blocks[set] as number) + (this.#waiting[set] as number)
    return this.verdicts(filter).reduce((sum, may, set) => (may ? sum + blocksOf(set) : sum), 0)
  }

  /** Combinations with a tag that fits one of the patterns and that an active block carries. */
  with(patterns: readonly string[]): { readonly sets: ReadonlySet<number>; readonly blocks: number } {
    const sets = new Set<number>()
    let blocks = 0
    if (patterns.length === 0) return { sets, blocks }
    for (const [set, fits] of this.verdicts({ include: patterns }).entries()) {
      const carried = this.#blocks[set] as number
      if (!fits || carried === 0) continue
      sets.add(set)
      blocks += carried
    }
    return { sets, blocks }
  }

  /** Combinations with any of these tags that an active block carries. */
  sharing(tags: readonly string[]): { readonly sets: ReadonlySet<number>; readonly blocks: number } {
    const found = tags.flatMap((tag) => this.#withTag.get(tag) ?? [])
    const sets = new Set(found.filter((set) => (this.#blocks[set] as number) > 0))
    return { sets, blocks: [...sets].reduce((sum, set) => sum + (this.#blocks[set] as number), 0) }
  }

  /** The places of a list of combinations that hold one of the given. */
  slotsOf(sets: ReadonlySet<number>, ofSlots: Int32Array): number[] {
    const slots: number[] = []
    if (sets.size === 0) return slots
    // A pass over all blocks: looking each of them up in the set would take ten times as long.
    const isWanted = new Uint8Array(this.#tags.length)
    for (const set of sets) isWanted[set] = 1
    for (let slot = 0; slot < ofSlots.length; slot++)
      if (isWanted[ofSlots[slot] as number] === 1) slots.push(slot)
    return slots
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
    for (const tag of new Set(tags)) {
      const known = this.#withTag.get(tag)
      if (known) known.push(this.#tags.length)
      else this.#withTag.set(tag, [this.#tags.length])
    }
    this.#tags.push([...tags])
    this.#blocks.push(0)
    this.#waiting.push(0)
  }
}
