import type { BlockFacts } from '../block/block.ts'
import { ElfmemError } from '../errors.ts'
import { type Analysis, type Match, type Question, readQuestion, SourceIndex } from '../language/question.ts'
import type { ClockReading, IndexedBlock } from '../store/database.ts'
import { readMeta, readRemovedSince } from '../store/log.ts'
import type { EdgeNote } from '../store/tables.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { type BlockColumns, type Filter, WaitingBlocks } from './blocks.ts'
import { type CosineScale, QuestionCosines } from './chains.ts'
import type { IndexCache, PackedHeader, PackedSection } from './columns.ts'
import {
  type BackgroundSample,
  backgroundOf,
  createIndexParts,
  type IndexParts,
  type MeasuredBackground,
  madeOf,
  packParts,
  putBlock,
  putFacts,
  readPacked,
  removeBlock,
  settleParts,
} from './index-parts.ts'
import {
  type Compared,
  likeliestSlots,
  type Near,
  type NearestOptions,
  nearestBlocks,
  rankMatches,
} from './rank.ts'
import { RANKING } from './strength.ts'
import type { ScanKernel } from './vectors.ts'

/** Shares of fewer blocks tell nothing: in a small memory every name is in a good part of them. */
const FEWEST_BLOCKS = 50
const IDFS_MOST = 50_000

/**
 * All blocks of a store that wait or are active, in memory, ready to be ranked: a cache that `refresh` brings up to date
 * before use. Several may exist for one store, in several processes.
 * Memory at 384 dimensions: about 0.8 kB a block. A question costs one pass over all blocks.
 */
export class ResidentIndex {
  readonly #analysis: Analysis
  readonly #waiting = new WaitingBlocks()
  readonly #kept: KeptIndex | undefined
  readonly #kernel: ScanKernel
  readonly #cosines = new QuestionCosines()
  #parts: IndexParts
  #sources: SourceIndex
  /** Inverse document frequencies that were asked for since the last change of words. */
  readonly #idfs = new Map<string, number>()
  #sequence = 0
  #generation = 0
  #unkept = 0
  #refreshing: Promise<unknown> = Promise.resolve()

  /** @param kept where a packed copy may be; `pack` makes the next */
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

  /** Blocks that do not wait for a dream. */
  get active(): number {
    return this.size - this.#waiting.size
  }

  /** Blocks that wait. */
  get waiting(): Pick<WaitingBlocks, 'lacking' | 'newestLacking'> {
    return this.#waiting
  }

  /** The counts of the blocks. */
  get counts(): Pick<BlockColumns, 'countTagged' | 'countPassing'> {
    return this.#parts.blocks
  }

  /** Changes taken in since the packed copy that was read or made last. */
  get unkept(): number {
    return this.#unkept
  }

  /** The generation of the vectors that are here (`Changes`). */
  get generation(): number {
    return this.#generation
  }

  /** Cosine of two blocks' contents; undefined when one is not here or has no vector. */
  similarity(one: string, other: string): number | undefined {
    const { blocks, vectors } = this.#parts
    const [a = -1, b = -1] = [blocks.slotOf(one), blocks.slotOf(other)]
    return vectors.has(a) && vectors.has(b) ? vectors.between(a, b) : undefined
  }

  /** Takes in what others committed since the last time, one refresh after the other; returns the memory's clock. */
  refresh(tx: ReadTransaction): Promise<ClockReading> {
    const refreshed = this.#refreshing.then(() => this.#refresh(tx))
    this.#refreshing = refreshed.catch(() => undefined)
    return refreshed
  }

  async #refresh(tx: ReadTransaction): Promise<ClockReading> {
    if (this.#sequence === 0 && !(await this.#unpack(tx))) return this.#load(tx)
    const { clock, sequence, generation, blocks } = await tx.queries.changes(this.#sequence)
    if (generation > this.#generation) return this.#letGo(tx, generation)
    if (sequence > this.#sequence && generation === this.#generation) {
      this.apply(blocks)
      this.#sequence = sequence
    }
    return clock
  }

  /** Lets go of blocks that were removed, and reads on; reads everything when that does not make the new generation. */
  async #letGo(tx: ReadTransaction, generation: number): Promise<ClockReading> {
    const removed = await readRemovedSince(tx, this.#generation)
    if (removed === undefined) return this.#load(tx)
    for (const id of removed.ids) this.#remove(id)
    this.#sequence = Math.min(this.#sequence, removed.sequence)
    this.#generation = generation
    return this.#refresh(tx)
  }

  /** Takes in all blocks, in the place of whatever is here: of what was removed nothing may be left, not even a word in a table. */
  async #load(tx: ReadTransaction): Promise<ClockReading> {
    const { clock, sequence, generation } = await tx.queries.changes(Number.MAX_SAFE_INTEGER)
    const held: IndexedBlock[] = []
    const isFirst = this.#sequence === 0
    if (isFirst && this.size > 0) this.#reset()
    // Later on somebody may be about to ask, who must not find it half filled: then all is taken in at once.
    await tx.queries.livingBlocks((batch) => void (isFirst ? this.apply(batch) : held.push(...batch)))
    if (!isFirst) this.#reset()
    this.apply(held)
    this.#sequence = sequence
    this.#generation = generation
    return clock
  }

  /** Takes in blocks the caller has just committed itself; `refresh` will see them again and change nothing. */
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

  /** Adds a block, or puts its new words and vectors in the place of those before. */
  #put({ block, vectors, ...given }: IndexedBlock): void {
    const waits = block.status === 'inbox'
    const index = waits ? this.#analysis.entry(block, vectors) : given.index
    putBlock(this.#parts, block, index, this.#dateTerms(block))
    if (waits) this.#waiting.add(block.id, vectors !== undefined)
    else this.#waiting.delete(block.id)
  }

  #dateTerms({ occurredAt, lastAt = occurredAt }: BlockFacts): readonly string[] {
    if (!RANKING.dateWords) return []
    const days = new Set([occurredAt, lastAt].map((at) => at.slice(0, 10)))
    return [...days].flatMap(this.#analysis.language.dateTerms)
  }

  #remove(id: string): void {
    this.#idfs.clear()
    this.#waiting.delete(id)
    removeBlock(this.#parts, id)
  }

  /**
   * Takes in what the caller has just committed in one write, and stays up to date by it when nobody else committed in
   * between: `before` is the store's sequence as that write found it, `after` the one it left.
   */
  applyOwn(blocks: readonly IndexedBlock[], { before, after }: { before: number; after: number }): void {
    // A refresh meanwhile has seen them, and perhaps vectors of another model in their place.
    if (after <= this.#sequence) return
    this.apply(blocks)
    if (before === this.#sequence) this.#sequence = after
  }

  /** Takes in what edges say of their blocks, in the place of what they said before; recall finds both by it. */
  note(notes: readonly EdgeNote[]): void {
    const { lexical } = this.#parts
    lexical.notes.take(notes, {
      slotOf: (id) => this.#partsOf(id)[0],
      termsOf: this.#analysis.language.terms,
    })
  }

  /** A copy of what is known of a block; undefined if it is not here. */
  get(id: string): BlockFacts | undefined {
    const slot = this.#parts.blocks.slotOf(id)
    return slot === undefined ? undefined : this.#parts.blocks.factsOf(slot)
  }

  /** True if a block has a term itself. */
  holds(id: string, term: string): boolean {
    return this.#partsOf(id).some((slot) => this.#parts.lexical.own.has(term, slot))
  }

  /** Inverse document frequency of a term among all blocks, by their own words. */
  idf(term: string): number {
    const known = this.#idfs.get(term)
    if (known !== undefined) return known
    const idf = Math.log(1 + this.size / (1 + this.#parts.lexical.own.frequencyOf(term)))
    if (this.#idfs.size >= IDFS_MOST) this.#idfs.clear()
    this.#idfs.set(term, idf)
    return idf
  }

  /** Ids of the blocks of which a passage has all of some terms, in no order; undefined if the passages are more than `most`. */
  holding(terms: readonly string[], most: number): string[] | undefined {
    const slots = this.#parts.lexical.own.holding(terms, most)
    return slots && [...new Set(slots.map((slot) => this.#parts.blocks.idOf(slot)))]
  }

  /** The best of the blocks that pass, best first; see `likeliestSlots`. */
  likeliest(filter: Filter, count: number, scoreOf: Parameters<typeof likeliestSlots>[2]): BlockFacts[] {
    const { blocks } = this.#parts
    return likeliestSlots(blocks, { filter, count }, scoreOf).map((slot) => blocks.factsOf(slot))
  }

  /** Every active block with a tag that fits one of the patterns, older first. */
  tagged(patterns: readonly string[]): BlockFacts[] {
    return this.#parts.blocks.tagged(patterns).map((slot) => this.#parts.blocks.factsOf(slot))
  }

  /** How the cosines of pairs of blocks lie; undefined for fewer than `fewestBlocks`. Cost: some 10 ms. */
  background(sample: BackgroundSample): MeasuredBackground | undefined {
    return backgroundOf(this.#parts, sample)
  }

  /** Reads a question against the words this memory knows; `now` in milliseconds since 1970. */
  read(text: string, now?: number): Question {
    return readQuestion(text, this.#analysis.language, {
      shareOf: (term) => this.#parts.lexical.own.frequencyOf(term) / Math.max(FEWEST_BLOCKS, this.size),
      nameShare: RANKING.nameShare,
      now,
    })
  }

  /**
   * The best matches for a question, best rank first (docs/retrieval.md). Filters apply before the cut, so a narrow
   * one still fills `count`. Without a vector words alone decide. `onScale` maps cosines to the constants' scale.
   */
  rank(
    question: Question,
    vector: Float32Array | undefined,
    count: number,
    filter: Filter = {},
    onScale?: CosineScale,
  ): Match[] {
    this.#settle()
    const cosines = this.#cosines.of(this.#parts, this.#parts.blocks.end, vector, onScale)
    const shares = this.#parts.lexical.shares(question.terms, cosines.length)
    if (vector) this.#waiting.estimate(cosines, shares, (id) => this.#partsOf(id))
    const given = { count, filter, own: this.#cosines.own }
    return rankMatches(this.#parts, question, { ...given, cosines, shares, sources: this.#sources })
  }

  /** Who is near each of up to `SCAN_BATCH` blocks; see `nearestBlocks`. */
  nearest(asked: readonly Compared[], options: NearestOptions): Near[][] {
    return nearestBlocks(this.#parts, asked, options)
  }

  /** This index as bytes in use, to be written before anything else runs; `mark` is what the store will hold then. */
  pack(mark: string): { readonly header: PackedHeader; readonly sections: readonly PackedSection[] } {
    this.#settle()
    this.#unkept = 0
    const at = { mark, sequence: this.#sequence, generation: this.#generation }
    return {
      header: { ...madeOf(this.#analysis.id), ...at },
      sections: packParts(this.#parts),
    }
  }

  /** Fills an index that is still empty from the packed copy, when there is one and the store says it is its own. */
  async #unpack(tx: ReadTransaction): Promise<boolean> {
    const mark = this.size > 0 ? undefined : this.#kept && (await readMeta(tx, this.#kept.mark))
    if (this.#kept === undefined || mark === undefined) return false
    try {
      const at = await readPacked(this.#parts, this.#kept.cache, {
        ...madeOf(this.#analysis.id),
        mark,
      })
      if (at === undefined) return false
      this.#sequence = at.sequence
      this.#generation = at.generation
      this.#unkept = 0
      for (const slot of this.#parts.blocks.waitingSlots())
        this.#waiting.add(this.#parts.blocks.idOf(slot), this.#parts.vectors.has(slot))
      return true
    } catch (error) {
      if (!ElfmemError.is(error)) throw error
      // Half of a damaged copy may have been taken in.
      this.#reset()
      return false
    }
  }

  /** The slots a block is ranked by; none if it is not here. */
  #partsOf(id: string): readonly number[] {
    const head = this.#parts.blocks.slotOf(id)
    return head === undefined ? [] : this.#parts.blocks.partsOf(head)
  }

  #reset(): void {
    this.#idfs.clear()
    this.#parts = createIndexParts(this.#kernel)
    this.#sources = new SourceIndex(this.#analysis.language)
    this.#waiting.clear()
  }

  #settle(): void {
    this.#sources.take(this.#parts.blocks.sources)
    settleParts(this.#parts)
  }
}

/** Where a store says which packed copy is its own. */
export const INDEX_MARK = 'index_mark'

/** Where a packed copy is kept, and where the store says that it is its own. */
export interface KeptIndex {
  readonly cache: IndexCache
  readonly mark: string
}
