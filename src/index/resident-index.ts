import type { BlockFacts, BlockIndex, ContentVectors } from '../block/block.ts'
import { ElfmemError } from '../errors.ts'
import { dateTerms } from '../language/pack.ts'
import { type Analysis, type Question, readQuestion, SourceIndex } from '../language/question.ts'
import type { ClockReading, IndexedBlock } from '../store/database.ts'
import { readMeta, readRemovedSince } from '../store/log.ts'
import type { EdgeNote } from '../store/tables.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { BlockColumns, type Filter } from './blocks.ts'
import { RANKING, SessionChains, windowedCosines } from './chains.ts'
import {
  Column,
  type IndexCache,
  type PackedHeader,
  type PackedSection,
  type ScanKernel,
  unpackNumbers,
  unpackUnit,
  VectorMatrix,
} from './columns.ts'
import {
  type Compared,
  type IndexParts,
  likeliestSlots,
  type Match,
  type Near,
  type NearestOptions,
  nearestBlocks,
  rankMatches,
} from './rank.ts'
import { LexicalIndex, type Shares } from './words.ts'

/** A cosine scale is a straight line that maps cosines: factor · c + offset. */
export interface CosineScale {
  readonly factor: number
  readonly offset: number
}

/**
 * A resident index has all waiting and active blocks of a store in memory, ready to be ranked. It is a cache that `refresh` brings up
 * to date before use. Several may exist for one store, in several processes.
 * Memory at 384 dimensions: about 0.8 kB a block. A question costs one pass over all blocks.
 */
export class ResidentIndex {
  readonly #analysis: Analysis
  readonly #kept: KeptIndex | undefined
  readonly #kernel: ScanKernel
  #parts: IndexParts
  #sources: SourceIndex
  /** Ids of waiting blocks without a vector, oldest first. */
  readonly #lacking = new Set<string>()
  /** Inverse document frequencies that were computed since words last changed. */
  readonly #idfs = new Map<string, number>()
  #sequence = 0
  #generation = 0
  #hasPredictions = false
  #unkept = 0
  #refreshing: Promise<unknown> = Promise.resolve()

  /** @param kept the place of a packed copy, from which the index may be filled */
  constructor(kernel: ScanKernel, analysis: Analysis, kept?: KeptIndex) {
    this.#analysis = analysis
    this.#kept = kept
    this.#kernel = kernel
    this.#parts = createIndexParts(kernel)
    this.#sources = new SourceIndex(analysis.language)
  }

  get size(): number {
    return this.#parts.blocks.size
  }

  /** The mean number of passages of a block, at least 1. */
  get passagesPerBlock(): number {
    return this.#parts.blocks.ranked / Math.max(1, this.size)
  }

  get active(): number {
    return this.size - this.#parts.blocks.waiting
  }

  /** Ids of waiting blocks without a vector, oldest first. */
  get lacking(): ReadonlySet<string> {
    return this.#lacking
  }

  countPassing(filter: Filter): number {
    return this.#parts.blocks.countPassing(filter)
  }

  /** Number of changes since a packed copy was last read or made. */
  get unkept(): number {
    return this.#unkept
  }

  /** The generation of the store that this index has read (`Changes`). */
  get generation(): number {
    return this.#generation
  }

  /** True if the store had predictions when this index was last refreshed. */
  get hasPredictions(): boolean {
    return this.#hasPredictions
  }

  /** Returns the cosine of the contents of two blocks; undefined if one is not here or has no vector. */
  similarity(one: string, other: string): number | undefined {
    const { blocks, vectors } = this.#parts
    const [a = -1, b = -1] = [blocks.slotOf(one), blocks.slotOf(other)]
    return vectors.has(a) && vectors.has(b) ? vectors.between(a, b) : undefined
  }

  /** Takes in all commits since the last refresh, one refresh after the other; returns the memory's clock. */
  refresh(tx: ReadTransaction): Promise<ClockReading> {
    const refreshed = this.#refreshing.then(() => this.#refresh(tx))
    this.#refreshing = refreshed.catch(() => undefined)
    return refreshed
  }

  async #refresh(tx: ReadTransaction): Promise<ClockReading> {
    if (this.#sequence === 0 && !(await this.#unpack(tx))) return this.#load(tx)
    const changes = await tx.queries.changes(this.#sequence)
    const { clock, sequence, generation, blocks } = changes
    this.#hasPredictions = changes.hasPredictions
    if (generation > this.#generation) return this.#letGo(tx, generation)
    if (sequence > this.#sequence && generation === this.#generation) {
      this.apply(blocks)
      this.#sequence = sequence
    }
    return clock
  }

  /** Removes blocks that the store has removed, and reads on; reads everything if other changes made the new generation. */
  async #letGo(tx: ReadTransaction, generation: number): Promise<ClockReading> {
    const removed = await readRemovedSince(tx, this.#generation)
    if (removed === undefined) return this.#load(tx)
    for (const id of removed.ids) this.#remove(id)
    this.#sequence = Math.min(this.#sequence, removed.sequence)
    this.#generation = generation
    return this.#refresh(tx)
  }

  /** Reads all blocks anew, so that nothing is left of removed ones, not even a word in a table. */
  async #load(tx: ReadTransaction): Promise<ClockReading> {
    const { clock, sequence, generation, hasPredictions } = await tx.queries.changes(Number.MAX_SAFE_INTEGER)
    const held: IndexedBlock[] = []
    const isFirst = this.#sequence === 0
    if (isFirst && this.size > 0) this.#reset()
    // A later load takes in all blocks at once, because a question meanwhile must not find the index half filled.
    await tx.queries.livingBlocks((batch) => void (isFirst ? this.apply(batch) : held.push(...batch)))
    if (!isFirst) this.#reset()
    this.apply(held)
    this.#sequence = sequence
    this.#generation = generation
    this.#hasPredictions = hasPredictions
    return clock
  }

  /** Takes in blocks; those that the caller has just committed are seen again by `refresh`, which then changes nothing. */
  apply(blocks: readonly IndexedBlock[]): void {
    if (blocks.some(({ indexUnchanged }) => !indexUnchanged)) this.#idfs.clear()
    this.#unkept += blocks.length
    for (const each of blocks) {
      const { block, indexUnchanged } = each
      if (block.status === 'archived') this.#remove(block.id)
      else if (indexUnchanged) putFacts(this.#parts, block, this.#dateTerms(block))
      else this.#put(each)
    }
  }

  /** Adds a block, or replaces its words and vectors. */
  #put({ block, vectors, ...given }: IndexedBlock): void {
    const waits = block.status === 'inbox'
    const index = waits ? this.#analysis.entry(block, vectors) : given.index
    putBlock(this.#parts, block, index, this.#dateTerms(block))
    if (waits && vectors === undefined) this.#lacking.add(block.id)
    else this.#lacking.delete(block.id)
  }

  #dateTerms({ occurredAt, lastAt = occurredAt }: BlockFacts): readonly string[] {
    if (!RANKING.dateWords) return []
    const days = new Set([occurredAt, lastAt].map((at) => at.slice(0, 10)))
    return [...days].flatMap(dateTerms)
  }

  #remove(id: string): void {
    this.#idfs.clear()
    this.#lacking.delete(id)
    removeBlock(this.#parts, id)
  }

  /**
   * Takes in blocks that the caller has just committed in one write. If nobody else committed meanwhile, the index is up to date then:
   * `before` is the store's sequence when that write began, `after` the one when it ended.
   */
  applyOwn(blocks: readonly IndexedBlock[], { before, after }: { before: number; after: number }): void {
    // A refresh meanwhile has seen these blocks, and perhaps vectors of another model for them.
    if (after <= this.#sequence) return
    this.apply(blocks)
    if (before === this.#sequence) this.#sequence = after
  }

  /** Replaces the notes of edges about blocks, by which recall finds the blocks at both ends. */
  note(notes: readonly EdgeNote[]): void {
    this.#parts.lexical.notes.take(notes, (id) => this.#partsOf(id)[0], this.#analysis.language.terms)
  }

  /** Returns a copy of the facts of a block; undefined if it is not here. */
  get(id: string): BlockFacts | undefined {
    const slot = this.#parts.blocks.slotOf(id)
    return slot === undefined ? undefined : this.#parts.blocks.factsOf(slot)
  }

  holds(id: string, term: string): boolean {
    return this.#partsOf(id).some((slot) => this.#parts.lexical.own.has(term, slot))
  }

  /** Returns the inverse document frequency of a term among all blocks, by their own words. */
  idf(term: string): number {
    const known = this.#idfs.get(term)
    if (known !== undefined) return known
    const idf = Math.log(1 + this.size / (1 + this.#parts.lexical.own.frequencyOf(term)))
    this.#idfs.set(term, idf)
    return idf
  }

  /** Returns ids of blocks with all of some terms in one passage, in no order; undefined if more than `most` passages have them. */
  holding(terms: readonly string[], most: number): string[] | undefined {
    const slots = this.#parts.lexical.own.holding(terms, most)
    return slots && [...new Set(slots.map((slot) => this.#parts.blocks.idOf(slot)))]
  }

  /**
   * Returns the ids of the blocks about a subject: those that have its words in one passage, and those that have one of its labels as their
   * source or as the end of a tag. One pass over the columns.
   */
  about({ named, since, until, filter }: Subject): string[] {
    const { blocks, lexical } = this.#parts
    const holding = named?.terms.length ? lexical.own.holding(named.terms, Number.POSITIVE_INFINITY) : []
    const heads = new Set(holding?.map(blocks.headOf))
    const [passes, isLabelled] = [blocks.passing(filter), blocks.labelled(named?.labels ?? new Set())]
    const isOfUser = blocks.passing({ classes: named?.isUser ? ['user'] : [] })
    const ids: string[] = []
    for (let slot = 0; slot < blocks.end; slot++) {
      if (!passes(slot) || !blocks.isSaidBetween(slot, since, until)) continue
      if (named === undefined || heads.has(slot) || isLabelled(slot) || isOfUser(slot))
        ids.push(blocks.idOf(slot))
    }
    return ids
  }

  /** Returns the cosines of each two of some blocks, a row for each; 0 where one has no vector or is not here. */
  cosinesAmong(ids: readonly string[], onScale?: CosineScale): readonly Float32Array[] {
    const rows = this.#parts.vectors.among(ids.map((id) => this.#parts.blocks.slotOf(id) ?? -1))
    if (onScale) for (const row of rows) rescale(row, onScale)
    return rows
  }

  /** Returns the blocks with the greatest score that pass a filter, best first; see `likeliestSlots`. */
  likeliest(filter: Filter, count: number, scoreOf: Parameters<typeof likeliestSlots>[2]): BlockFacts[] {
    const { blocks } = this.#parts
    return likeliestSlots(blocks, { filter, count }, scoreOf).map((slot) => blocks.factsOf(slot))
  }

  /** Returns the active blocks with a tag that matches one of the patterns, older first. */
  tagged(patterns: readonly string[]): BlockFacts[] {
    return this.#parts.blocks.tagged(patterns).map((slot) => this.#parts.blocks.factsOf(slot))
  }

  /**
   * Returns mean and deviation of cosines between blocks from all over the store; undefined if fewer than `fewestBlocks` have vectors, or
   * if all cosines are equal. Cost: some 10 ms.
   *
   * @param ones number of the blocks that are compared, each with `others`
   */
  background(fewestBlocks: number, ones: number, others: number): MeasuredBackground | undefined {
    const { blocks, vectors } = this.#parts
    const slots: number[] = []
    for (let slot = 0; slot < blocks.end; slot++)
      if (blocks.isHere(slot) && vectors.has(slot)) slots.push(slot)
    if (slots.length < fewestBlocks) return undefined
    const spread = (most: number) => {
      const step = Math.max(1, slots.length / most)
      return Array.from(
        { length: Math.min(most, slots.length) },
        (_, i) => slots[Math.floor(i * step)] as number,
      )
    }
    const against = spread(others)
    const cosines = spread(ones).flatMap((one) =>
      against.filter((other) => other !== one).map((other) => vectors.between(one, other)),
    )
    const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length
    const squares = cosines.reduce((sum, cosine) => sum + cosine * cosine, 0) / cosines.length
    const deviation = Math.sqrt(Math.max(0, squares - mean * mean))
    return deviation > 0 ? { mean, deviation, blocks: slots.length } : undefined
  }

  /** Reads a question with the words that this memory knows; `now` in milliseconds since 1970. */
  read(text: string, now?: number): Question {
    const most = RANKING.nameShare * Math.max(RANKING.fewestBlocks, this.size)
    const isCommon = (term: string) => this.#parts.lexical.own.frequencyOf(term) > most
    return readQuestion(text, this.#analysis.language, isCommon, now)
  }

  /**
   * Returns the best matches for a question, best rank first (docs/retrieval.md). Filters apply before the cut, so a narrow filter
   * still fills `count`. Without a vector words alone decide. `onScale` maps cosines to the scale of the constants.
   */
  rank(
    question: Question,
    vector: Float32Array | undefined,
    count: number,
    filter: Filter = {},
    onScale?: CosineScale,
  ): Match[] {
    this.#settle()
    const { blocks, chains, lexical, vectors } = this.#parts
    const own = vector ? vectors.cosines(vector, blocks.end) : new Float32Array(blocks.end)
    if (onScale) rescale(own, onScale)
    const shares = lexical.shares(question.terms, blocks.end)
    const cosines = vector ? windowedCosines(own, chains.columns) : own
    if (vector) this.#estimate(cosines, shares)
    return rankMatches(this.#parts, question, { count, filter, own, cosines, shares, sources: this.#sources })
  }

  /**
   * Gives blocks without a vector a cosine that their words suggest, at most the greatest one there is, so that no other block precedes
   * them only because it has a vector. A share of .3, a rare word or two of the question, suggests the greatest. One pass if any lacks one.
   */
  #estimate(cosines: Float32Array, shares: Shares): void {
    if (this.#lacking.size === 0) return
    const greatest = cosines.reduce((most, each) => Math.max(most, each), 0)
    for (const slot of [...this.#lacking].flatMap((id) => this.#partsOf(id))) {
      const suggested = greatest * Math.min(1, shares.of(slot) / 0.3)
      cosines[slot] = Math.max(cosines[slot] as number, suggested)
    }
  }

  /** Returns the blocks near each of up to `SCAN_BATCH` blocks; see `nearestBlocks`. */
  nearest(asked: readonly Compared[], options: NearestOptions): Near[][] {
    return nearestBlocks(this.#parts, asked, options)
  }

  /** Returns this index as bytes in use, to write before anything else runs; `mark` is the one that the store will have then. */
  pack(mark: string): { readonly header: PackedHeader; readonly sections: readonly PackedSection[] } {
    this.#settle()
    this.#unkept = 0
    const at = { mark, sequence: this.#sequence, generation: this.#generation }
    return {
      header: { ...madeOf(this.#analysis.id), ...at },
      sections: packParts(this.#parts),
    }
  }

  /** Fills an index that is still empty from the packed copy, if there is one with the store's mark. */
  async #unpack(tx: ReadTransaction): Promise<boolean> {
    const mark = this.size > 0 ? undefined : this.#kept && (await readMeta(tx, this.#kept.mark))
    if (this.#kept === undefined) return false
    // The memory has no mark of a copy, perhaps because an erasing elsewhere took it.
    if (mark === undefined && this.size === 0) await this.#kept.cache.drop()
    if (mark === undefined) return false
    try {
      const at = await readPacked(this.#parts, this.#kept.cache, {
        ...madeOf(this.#analysis.id),
        mark,
      })
      if (at === undefined) return false
      this.#sequence = at.sequence
      this.#generation = at.generation
      this.#unkept = 0
      const { blocks, vectors } = this.#parts
      for (let slot = 0; slot < blocks.end; slot++)
        if (blocks.isHere(slot) && blocks.isWaiting(slot) && !vectors.has(slot))
          this.#lacking.add(blocks.idOf(slot))
      return true
    } catch (error) {
      if (!ElfmemError.is(error)) throw error
      // The parts may be filled in part from a damaged copy.
      this.#reset()
      return false
    }
  }

  #partsOf(id: string): readonly number[] {
    const head = this.#parts.blocks.slotOf(id)
    return head === undefined ? [] : this.#parts.blocks.partsOf(head)
  }

  #reset(): void {
    this.#idfs.clear()
    this.#parts = createIndexParts(this.#kernel)
    this.#sources = new SourceIndex(this.#analysis.language)
    this.#lacking.clear()
  }

  #settle(): void {
    const { blocks, chains, lexical } = this.#parts
    this.#sources.take(blocks.sources)
    lexical.settle(chains.settle())
  }
}

/** A subject says which blocks an overview is about. */
export interface Subject {
  /** The terms of a name, and labels in lower case that mean the same; absent if all blocks are meant. */
  readonly named?: {
    readonly terms: readonly string[]
    readonly labels: ReadonlySet<string>
    /** The name is that of the user, who speaks in all blocks of that class. */
    readonly isUser: boolean
  }
  readonly filter: Filter
  /** The blocks were said at or after this time, in milliseconds since 1970. */
  readonly since: number
  /** The blocks were said before this time, in milliseconds since 1970. */
  readonly until: number
}

/** Key of `meta` for the mark of the packed copy that belongs to a store. */
export const INDEX_MARK = 'index_mark'

/** A kept index says where a packed copy is, and under which key of `meta` the store has its mark. */
export interface KeptIndex {
  readonly cache: IndexCache
  readonly mark: string
}

/** A measured background has mean and deviation of the cosines between blocks of a store. */
export interface MeasuredBackground {
  readonly mean: number
  readonly deviation: number
  /** Number of blocks with vectors at the time of measurement. */
  readonly blocks: number
}

/** Maps cosines in place; 0, the value of slots without a vector, stays. */
function rescale(cosines: Float32Array, { factor, offset }: CosineScale): void {
  for (let slot = 0; slot < cosines.length; slot++) {
    const cosine = cosines[slot] as number
    if (cosine !== 0) cosines[slot] = factor * cosine + offset
  }
}

/** Returns the parts of an index without blocks; the vectors lie in the memory of the kernel. */
export function createIndexParts(kernel: ScanKernel): IndexParts {
  const [blocks, vectors] = [new BlockColumns(), new VectorMatrix(kernel)]
  const chains: SessionChains = new SessionChains({
    cosine: (a, b) => vectors.between(a, b),
    termsOf: (slot) => lexical.termsOf(slot),
    isSaid: (slot) => blocks.sourceOf(slot) >= 0,
    isOneBlock: (a, b) => blocks.headOf(a) === blocks.headOf(b),
  })
  const lexical = new LexicalIndex(chains)
  return { blocks, chains, lexical, names: [], vectors, flags: new Column(Uint8Array) }
}

/** Adds a block, or replaces its words and vectors. A block of several passages has the vector of the whole content at its own slot. */
export function putBlock(
  parts: IndexParts,
  block: BlockFacts,
  index: BlockIndex | undefined,
  dateTerms: readonly string[],
): void {
  const { blocks, chains, lexical, names, vectors, flags } = parts
  const known = blocks.slotOf(block.id)
  if (known !== undefined) removeWords(parts, known)
  const head = blocks.put(block)
  setVector(vectors, head, index?.vectors?.vector)
  const allFlags = index?.flags || '0'
  const terms = index?.terms.split('\n') ?? []
  const allNames = index?.names?.split('\n') ?? []
  const slots = slotsFor(parts, head, allFlags.length)
  for (const [i, slot] of slots.entries()) {
    names[slot] = allNames[i] ?? ''
    flags.set(slot, Number.parseInt(allFlags[i] as string, 16))
    if (slot !== head) setVector(vectors, slot, passageVector(i, slots.length, index?.vectors))
    lexical.add(slot, terms[i]?.split(' ').filter(Boolean) ?? [], dateTerms)
    chains.add(slot, blocks.chainOf(block), block.position)
  }
}

/** Returns a slot for each passage of a block: its present slots if their number is right, or new ones. */
function slotsFor({ blocks, chains, vectors }: IndexParts, head: number, count: number): readonly number[] {
  const before = blocks.partsOf(head)
  if (before.length === count) return before
  for (const slot of before) {
    chains.remove(slot)
    if (slot !== head) vectors.remove(slot)
  }
  return blocks.split(head, count)
}

function setVector(vectors: VectorMatrix, slot: number, vector: Float32Array | undefined): void {
  if (vector) vectors.set(slot, vector)
  else vectors.remove(slot)
}

/** Returns the vector of a passage, or that of the whole content if there are none for these passages. */
function passageVector(
  i: number,
  count: number,
  { vector, passages }: Partial<ContentVectors> = {},
): Float32Array | undefined {
  if (vector === undefined || passages?.length !== count * vector.length) return vector
  return unpackUnit(passages.subarray(i * vector.length, (i + 1) * vector.length)) ?? vector
}

function putFacts(
  { blocks, chains, lexical }: IndexParts,
  block: BlockFacts,
  dateTerms: readonly string[],
): void {
  const session = blocks.chainOf(block)
  const known = blocks.slotOf(block.id)
  const isRedated = known !== undefined && blocks.isRedated(known, block)
  for (const slot of blocks.partsOf(blocks.put(block))) {
    if (isRedated) lexical.redate(slot, dateTerms)
    if (isRedated || chains.sessionOf(slot) !== session || chains.positionOf(slot) !== block.position)
      chains.add(slot, session, block.position)
  }
}

function removeBlock(parts: IndexParts, id: string): void {
  const { blocks, chains, vectors } = parts
  const head = blocks.slotOf(id)
  if (head === undefined) return
  removeWords(parts, head)
  vectors.remove(head)
  slotsFor(parts, head, 1)
  chains.remove(head)
  blocks.remove(head)
}

function removeWords({ blocks, lexical, names }: IndexParts, head: number): void {
  for (const slot of blocks.partsOf(head)) {
    lexical.remove(slot)
    names[slot] = ''
  }
}

/**
 * Returns the header of a packed copy; only an index with an equal header reads the copy. The format changes with the meaning of packed
 * bytes, and the id of the analysis with the meaning of words.
 */
function madeOf(analysis: string): PackedHeader {
  const { gateFloor, gateWidth, lexicalWindow, dateWords } = RANKING
  return { format: 10, analysis, options: [gateFloor, gateWidth, lexicalWindow, dateWords] }
}

function packParts({ blocks, chains, lexical, names, flags, vectors }: IndexParts): PackedSection[] {
  const slots = blocks.end
  const lines = Array.from({ length: slots }, (_, slot) => names[slot] ?? '').join('\n')
  return [
    ...blocks.pack(),
    ...chains.pack(slots),
    ...lexical.pack(slots),
    { name: 'names', bytes: new TextEncoder().encode(lines) },
    flags.pack('flags', slots),
    ...vectors.pack(),
  ]
}

/**
 * Fills parts that are still empty from a packed copy with the wanted header; returns undefined if there is none. Throws `ElfmemError`
 * for a damaged copy, of which a part may have been taken in.
 */
async function readPacked(
  parts: IndexParts,
  cache: IndexCache,
  wanted: PackedHeader,
): Promise<{ readonly sequence: number; readonly generation: number } | undefined> {
  const packed = await cache.open()
  if (packed === undefined) return undefined
  try {
    const { sequence, generation, ...header } = packed.header
    if (JSON.stringify(header) !== JSON.stringify(wanted)) return undefined
    parts.blocks.unpack(packed)
    parts.chains.unpack(packed)
    parts.lexical.unpack(packed, parts.blocks.ranked)
    const names = new TextDecoder().decode(unpackNumbers(packed, 'names', Uint8Array))
    for (const [slot, line] of names.split('\n').entries()) parts.names[slot] = line
    parts.flags.unpack(packed, 'flags')
    parts.vectors.unpack(packed)
    return { sequence: sequence as number, generation: generation as number }
  } finally {
    packed.close()
  }
}
