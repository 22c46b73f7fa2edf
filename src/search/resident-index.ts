import type { Block, BlockFacts } from '../domain/block/block.ts'
import { ElfmemError } from '../errors.ts'
import type { IndexCache, PackedHeader, PackedSection } from '../ports/index-cache.ts'
import type { ScanKernel } from '../ports/scan-kernel.ts'
import type { ClockReading, IndexedBlock, StoreReader } from '../ports/store/transaction.ts'
import type { Filter } from './filter.ts'
import type { Vitals } from './index/block-columns.ts'
import { createIndexParts, type IndexParts, putBlock, putFacts, removeBlock } from './index/index-parts.ts'
import { madeOf, packParts, unpackParts } from './index/packed-parts.ts'
import { windowedCosines } from './index/session-chains.ts'
import type { LanguagePack } from './language/language.ts'
import type { Match, RankingOptions } from './match.ts'
import { type Question, readQuestion, SourceIndex } from './rank/question.ts'
import { bonusesOf, likeliestSlots, rankBlocks } from './rank/rank.ts'
import { Top } from './rank/top.ts'

/** Where a store says which packed copy is its own. */
export const INDEX_MARK = 'index_mark'

/** Where a packed copy is kept. */
export interface KeptIndex {
  readonly cache: IndexCache
  /** Where the store says which copy is its own. */
  readonly mark: string
}

/**
 * All active blocks of a store, in memory, ready to be ranked: a cache that `refresh` brings up to date before use.
 * Several may exist for one store, in several processes.
 *
 * Memory at 384 dimensions: about 0.8 kB a block. A question costs one pass over all blocks.
 */
export class ResidentIndex {
  readonly #options: RankingOptions
  readonly #language: LanguagePack
  readonly #kept: KeptIndex | undefined
  readonly #kernel: ScanKernel
  #parts: IndexParts
  #sources: SourceIndex
  #sequence = 0
  #generation = 0
  #unkept = 0
  /** Scratch of one question. */
  #cosines = new Float32Array(0)
  #windowed = new Float32Array(0)

  /** @param kept where a packed copy may be; `pack` makes the next */
  constructor(kernel: ScanKernel, language: LanguagePack, options: RankingOptions, kept?: KeptIndex) {
    this.#options = options
    this.#language = language
    this.#kept = kept
    this.#kernel = kernel
    this.#parts = createIndexParts(kernel, options)
    this.#sources = new SourceIndex(language)
  }

  get size(): number {
    return this.#parts.blocks.size
  }

  /** Blocks that somebody has reported an outcome of. */
  get reported(): number {
    return this.#parts.blocks.reported
  }

  /** Changes taken in since the packed copy that was read or made last. */
  get unkept(): number {
    return this.#unkept
  }

  /** Of the set of vectors that is here (`Changes`). */
  get generation(): number {
    return this.#generation
  }

  /** Cosine of two blocks' contents; undefined when one is not here or has no vector. */
  similarity(one: string, other: string): number | undefined {
    const [a = -1, b = -1] = [this.#parts.blocks.slotOf(one), this.#parts.blocks.slotOf(other)]
    return this.#parts.vectors.has(a) && this.#parts.vectors.has(b)
      ? this.#parts.vectors.between(a, b)
      : undefined
  }

  /** Takes in what other calls and processes committed since the last time; returns the memory's clock. */
  async refresh(tx: StoreReader): Promise<ClockReading> {
    if (this.#sequence === 0 && !(await this.#unpack(tx))) return this.#load(tx)
    const { clock, sequence, generation, blocks } = await tx.changes(this.#sequence)
    if (generation > this.#generation) return this.#load(tx)
    // Two refreshes may overlap; the one that read later wins, and has seen all the other saw.
    if (sequence > this.#sequence && generation === this.#generation) {
      this.apply(blocks)
      this.#sequence = sequence
    }
    return clock
  }

  /** Takes in all active blocks, and lets go of what was applied here before and is none of them any more. */
  async #load(tx: StoreReader): Promise<ClockReading> {
    const { clock, sequence, generation } = await tx.changes(Number.MAX_SAFE_INTEGER)
    const active = new Set<string>()
    await tx.activeBlocks((batch) => {
      if (generation !== this.#generation) this.#reset()
      this.#generation = generation
      this.apply(batch)
      for (const { block } of batch) active.add(block.id)
    })
    for (const id of [...this.#parts.blocks.ids()]) if (!active.has(id)) removeBlock(this.#parts, id)
    this.#sequence = sequence
    this.#generation = generation
    return clock
  }

  /** Takes in blocks the caller has just committed itself; `refresh` will see them again and change nothing. */
  apply(blocks: readonly IndexedBlock[]): void {
    this.#unkept += blocks.length
    for (const { block, index, indexUnchanged } of blocks) {
      if (block.status !== 'active') removeBlock(this.#parts, block.id)
      else if (indexUnchanged) putFacts(this.#parts, block)
      else putBlock(this.#parts, block, { index, dateTerms: this.#dateTermsOf(block) })
    }
  }

  /**
   * Takes in what the caller has just committed in one write, and stays up to date by it when nobody else committed in
   * between.
   *
   * @param before the store's sequence as that write found it
   * @param after the sequence it left
   */
  applyOwn(blocks: readonly IndexedBlock[], { before, after }: { before: number; after: number }): void {
    // A refresh meanwhile has seen them, and perhaps vectors of another model in their place.
    if (after <= this.#sequence) return
    this.apply(blocks)
    if (before === this.#sequence) this.#sequence = after
  }

  get(id: string): BlockFacts | undefined {
    const slot = this.#parts.blocks.slotOf(id)
    return slot === undefined ? undefined : this.#parts.blocks.factsOf(slot)
  }

  /** The likeliest of the blocks that pass, best first; see `likeliestSlots`. */
  likeliest(
    filter: Filter,
    count: number,
    scoreOf: (vitals: Vitals, mostReinforced: number) => number,
  ): BlockFacts[] {
    const { blocks } = this.#parts
    return likeliestSlots(blocks, { filter, count }, scoreOf).map((slot) => blocks.factsOf(slot))
  }

  /** Every block with a tag that fits one of the patterns, older first. */
  tagged(patterns: readonly string[]): BlockFacts[] {
    return this.#parts.blocks.tagged(patterns).map((slot) => this.#parts.blocks.factsOf(slot))
  }

  /** How many blocks have a tag that fits one of the patterns. */
  countTagged(patterns: readonly string[]): number {
    return this.#parts.blocks.countTagged(patterns)
  }

  /** Reads a question against the words this memory knows; `now` in milliseconds since 1970. */
  read(text: string, now?: number): Question {
    const total = Math.max(1, this.size)
    return readQuestion(text, this.#language, {
      shareOf: (term) => this.#parts.lexical.frequencyOf(term) / total,
      nameShare: this.#options.nameShare,
      now,
    })
  }

  /**
   * The best matches for a question, best rank first (docs/retrieval.md). Filters apply before the cut, so a narrow
   * one still fills `count`. Without a vector words alone decide.
   */
  rank(question: Question, vector: Float32Array | undefined, count: number, filter: Filter = {}): Match[] {
    this.#settle()
    const slots = this.#parts.blocks.end
    const cosines = this.#cosinesOf(vector, slots)
    const shares = this.#parts.lexical.shares(question.terms, slots)
    const bonuses = bonusesOf(question, this.#parts, this.#sources, this.#options)
    return rankBlocks(count, {
      slots,
      cosines,
      shares,
      power: this.#options.powerMean,
      bonusOf: (slot) => bonuses.source(slot) + bonuses.asks(slot) + bonuses.when(slot) + bonuses.span(slot),
      mostBonus: bonuses.most,
      allowed: this.#parts.blocks.passing(filter),
      precedes: this.#parts.blocks.precedes,
    }).map(({ slot, strength, rank }) => ({
      facts: this.#parts.blocks.factsOf(slot),
      strength,
      rank,
      cosine: cosines[slot] as number,
      lexical: shares.of(slot),
      source: bonuses.source(slot),
      asks: bonuses.asks(slot),
      when: bonuses.when(slot),
      span: bonuses.span(slot),
    }))
  }

  /** Cosines after the session's window, in scratch memory. */
  #cosinesOf(vector: Float32Array | undefined, slots: number): Float32Array<ArrayBuffer> {
    if (slots > this.#cosines.length) {
      this.#cosines = new Float32Array(slots * 2)
      this.#windowed = new Float32Array(slots * 2)
    }
    const own = this.#cosines.subarray(0, slots)
    if (vector) this.#parts.vectors.cosines(vector, slots, own)
    else own.fill(0)
    const { windows, vectorWindow } = this.#options
    return windows && vector
      ? windowedCosines(own, this.#parts.chains.columns, vectorWindow, this.#windowed.subarray(0, slots))
      : own
  }

  /**
   * For each vector the `count` likest blocks of its scope (undefined: of none) at or above `floor`, best first. Up to
   * `SCAN_BATCH` vectors at once.
   */
  nearest(
    asked: readonly { readonly vector: Float32Array; readonly scope: string | undefined }[],
    count: number,
    floor: number,
  ): { readonly id: string; readonly cosine: number }[][] {
    const { blocks, vectors } = this.#parts
    const tops = asked.map(() => new Top(count, blocks.precedes))
    const allowed = asked.map(({ scope }) => blocks.inScope(scope))
    vectors.eachAbove(
      asked.map(({ vector }) => vector),
      { slots: blocks.end, floor },
      (query, slot, cosine) => {
        const top = tops[query] as Top
        if (cosine >= top.least && top.wants(slot, cosine) && allowed[query]?.(slot)) top.take(slot, cosine)
      },
    )
    return tops.map(({ slots, values }) =>
      slots.map((slot, i) => ({ id: blocks.idOf(slot), cosine: values[i] as number })),
    )
  }

  /**
   * This index as bytes, which are those in use: they must be written before anything else runs. `mark` is what the
   * store will hold when they were.
   */
  pack(mark: string): { readonly header: PackedHeader; readonly sections: readonly PackedSection[] } {
    this.#settle()
    this.#unkept = 0
    const made = madeOf(this.#options, this.#language.id)
    const header = { ...made, mark, sequence: this.#sequence, generation: this.#generation }
    return { header, sections: packParts(this.#parts) }
  }

  /** Fills an index that is still empty from the packed copy, when there is one and the store says it is its own. */
  async #unpack(tx: StoreReader): Promise<boolean> {
    if (this.#kept === undefined || this.size > 0) return false
    const mark = await tx.meta(this.#kept.mark)
    // Another refresh may have filled it meanwhile.
    if (mark === undefined || this.#sequence > 0) return this.#sequence > 0
    const packed = this.#kept.cache.open()
    if (packed === undefined) return false
    try {
      const { sequence, generation, ...header } = packed.header
      const wanted = { ...madeOf(this.#options, this.#language.id), mark }
      if (JSON.stringify(header) !== JSON.stringify(wanted)) return false
      unpackParts(this.#parts, packed)
      this.#sequence = sequence as number
      this.#generation = generation as number
      this.#unkept = 0
      return true
    } catch (error) {
      if (!ElfmemError.is(error)) throw error
      // Half of a damaged copy may have been taken in.
      this.#reset()
      return false
    } finally {
      packed.close()
    }
  }

  #reset(): void {
    this.#parts = createIndexParts(this.#kernel, this.#options)
    this.#sources = new SourceIndex(this.#language)
  }

  #dateTermsOf({ occurredAt }: Block): readonly string[] {
    return this.#options.dateWords ? this.#language.dateTerms(occurredAt) : []
  }

  #settle(): void {
    const { blocks, chains, lexical } = this.#parts
    this.#sources.take(blocks.sources)
    lexical.settle(chains.settle())
  }
}
