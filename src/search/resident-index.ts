import { evidenceMass } from '../domain/belief.ts'
import type { Block, BlockIndex } from '../domain/block.ts'
import { strength } from '../domain/fusion.ts'
import type { ScanKernel } from '../ports/scan-kernel.ts'
import type { ClockReading, IndexedBlock, StoreReader } from '../ports/store.ts'
import { type Filter, passesFilter } from './filter.ts'
import type { LanguagePack } from './language/language.ts'
import { LexicalIndex } from './lexical-index.ts'
import type { BlockFacts, Match, RankingOptions } from './match.ts'
import { type Question, readQuestion } from './question.ts'
import { SessionChains } from './session-chains.ts'
import { SourceIndex } from './source-index.ts'
import { TagIndex } from './tag-index.ts'
import { topSlots } from './top.ts'
import { VectorMatrix } from './vector-matrix.ts'
import { windowedCosines } from './windowed-cosine.ts'

const NO_TAGS: readonly string[] = []

/**
 * All active blocks of a store, in memory, ready to be ranked: a cache that `refresh` brings up to date before use.
 * Several may exist for one store, in several processes.
 *
 * Memory at 384 dimensions: about 1.5 kB a block. A question costs one pass over all blocks.
 */
export class ResidentIndex {
  readonly #options: RankingOptions
  readonly #language: LanguagePack
  readonly #vectors: VectorMatrix
  readonly #chains: SessionChains
  readonly #lexical: LexicalIndex
  readonly #sources: SourceIndex
  readonly #slots = new Map<string, number>()
  readonly #facts: (BlockFacts | undefined)[] = []
  readonly #sourceIds: number[] = []
  readonly #asks: boolean[] = []
  readonly #timed: boolean[] = []
  readonly #tags = new TagIndex()
  readonly #free: number[] = []
  readonly #strings = new Map<string, string>()
  #sequence = 0
  #reported = 0

  constructor(kernel: ScanKernel, language: LanguagePack, options: RankingOptions) {
    this.#options = options
    this.#language = language
    this.#vectors = new VectorMatrix(kernel)
    this.#sources = new SourceIndex(language)
    const { gateFloor, gateWidth, windows } = options
    this.#chains = new SessionChains((a, b) =>
      Math.min(1, Math.max(0, (this.#vectors.between(a, b) - gateFloor) / gateWidth)),
    )
    this.#lexical = new LexicalIndex(this.#chains, (slot) => this.#asks[slot] === true, {
      k1: options.bm25K1,
      b: options.bm25B,
      norm: options.lexicalNorm,
      loneWordExponent: options.loneWordExponent,
      window: windows ? options.lexicalWindow : [],
      answersQuestion: options.answersQuestion,
    })
  }

  get size(): number {
    return this.#slots.size
  }

  /** Blocks that somebody has reported an outcome of. */
  get reported(): number {
    return this.#reported
  }

  /** Cosine of two blocks' contents; undefined when one is not here or has no vector. */
  likeness(one: string, other: string): number | undefined {
    const [a = -1, b = -1] = [this.#slots.get(one), this.#slots.get(other)]
    return this.#vectors.has(a) && this.#vectors.has(b) ? this.#vectors.between(a, b) : undefined
  }

  /** Takes in what other calls and processes committed since the last time; returns the memory's clock. */
  async refresh(tx: StoreReader): Promise<ClockReading> {
    if (this.#sequence === 0) return this.#load(tx)
    const { clock, sequence, blocks } = await tx.changes(this.#sequence)
    // Two refreshes may overlap; the one that read later wins, and has seen all the other saw.
    if (sequence > this.#sequence) {
      this.apply(blocks)
      this.#sequence = sequence
    }
    return clock
  }

  /** Takes in all active blocks, and lets go of what was applied here before and is none of them any more. */
  async #load(tx: StoreReader): Promise<ClockReading> {
    const { clock, sequence } = await tx.changes(Number.MAX_SAFE_INTEGER)
    const active = new Set<string>()
    await tx.activeBlocks((batch) => {
      this.apply(batch)
      for (const { block } of batch) active.add(block.id)
    })
    for (const id of [...this.#slots.keys()]) if (!active.has(id)) this.#remove(id)
    this.#sequence = sequence
    return clock
  }

  /** Takes in blocks the caller has just committed itself; `refresh` will see them again and change nothing. */
  apply(blocks: readonly IndexedBlock[]): void {
    for (const { block, index } of blocks) {
      if (block.status === 'active') this.#put(block, index)
      else this.#remove(block.id)
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
    this.apply(blocks)
    if (before === this.#sequence) this.#sequence = after
  }

  get(id: string): BlockFacts | undefined {
    return this.#facts[this.#slots.get(id) ?? -1]
  }

  /** Every block that passes, in no particular order. */
  select(filter: Filter): BlockFacts[] {
    return this.#facts.filter(
      (facts): facts is BlockFacts => facts !== undefined && passesFilter(facts, filter),
    )
  }

  /** Every block with a tag that fits one of the patterns. */
  tagged(patterns: readonly string[]): BlockFacts[] {
    return this.#tags.find(patterns).map((slot) => this.#facts[slot] as BlockFacts)
  }

  /** Reads a question against the words this memory knows. */
  read(text: string): Question {
    const total = Math.max(1, this.size)
    return readQuestion(text, this.#language, {
      shareOf: (term) => this.#lexical.frequencyOf(term) / total,
      nameShare: this.#options.nameShare,
    })
  }

  /**
   * The best matches for a question, best rank first (docs/retrieval.md). Filters apply before the cut, so a narrow
   * one still fills `count`. Without a vector words alone decide.
   */
  rank(question: Question, vector: Float32Array | undefined, count: number, filter: Filter = {}): Match[] {
    this.#settle()
    const slots = this.#facts.length
    const own = vector ? this.#vectors.cosines(vector, slots) : new Float32Array(slots)
    const { windows, vectorWindow, powerMean } = this.#options
    const cosines = windows ? windowedCosines(own, this.#chains, vectorWindow) : own
    const lexical = this.#lexical.shares(question.terms, slots)
    const bonuses = this.#bonuses(question)
    // A power mean is linear in one side when the other is 0, which it is for most blocks.
    const likenessAlone = strength(1, 0, powerMean)
    const strengths = new Float32Array(slots)
    const ranks = new Float32Array(slots)
    for (let slot = 0; slot < slots; slot++) {
      const cosine = cosines[slot] as number
      const share = lexical[slot] as number
      const f = share === 0 ? Math.max(0, cosine) * likenessAlone : strength(cosine, share, powerMean)
      strengths[slot] = f
      ranks[slot] = f + bonuses.source(slot) + bonuses.asks(slot) + bonuses.when(slot)
    }
    const allowed = (slot: number) => {
      const facts = this.#facts[slot]
      return facts !== undefined && passesFilter(facts, filter)
    }
    return topSlots(ranks, count, { allowed }).map((slot) => ({
      facts: this.#facts[slot] as BlockFacts,
      strength: strengths[slot] as number,
      rank: ranks[slot] as number,
      cosine: cosines[slot] as number,
      lexical: lexical[slot] as number,
      source: bonuses.source(slot),
      asks: bonuses.asks(slot),
      when: bonuses.when(slot),
    }))
  }

  /** What a question adds to or takes from a block's strength, besides likeness and words. */
  #bonuses({ text, asksWhen }: Question): Record<'source' | 'asks' | 'when', (slot: number) => number> {
    const { sourceWeight, questionPenalty, whenBonus } = this.#options
    const mentions = this.#sources.mentions(text)
    return {
      source: mentions
        ? (slot) => sourceWeight * (mentions[this.#sourceIds[slot] as number] as number)
        : () => 0,
      asks: (slot) => (this.#asks[slot] ? -questionPenalty : 0),
      when: asksWhen ? (slot) => (this.#timed[slot] ? whenBonus : 0) : () => 0,
    }
  }

  /** For each vector the `count` likest blocks at or above `floor`, best first. Up to `SCAN_BATCH` vectors at once. */
  nearest(
    vectors: readonly Float32Array[],
    count: number,
    floor: number,
  ): { readonly facts: BlockFacts; readonly cosine: number }[][] {
    const slots = this.#facts.length
    const allowed = (slot: number) => this.#facts[slot] !== undefined
    return this.#vectors.cosinesOfMany(vectors, slots).map((cosines) =>
      topSlots(cosines, count, { floor, allowed }).map((slot) => ({
        facts: this.#facts[slot] as BlockFacts,
        cosine: cosines[slot] as number,
      })),
    )
  }

  #put(block: Block, index: BlockIndex | undefined): void {
    const known = this.#slots.get(block.id)
    const slot = known ?? this.#free.pop() ?? this.#facts.length
    this.#slots.set(block.id, slot)
    this.#setFacts(slot, this.#factsOf(block))
    this.#tags.set(slot, block.tags)
    this.#sourceIds[slot] = this.#sources.idOf(block.source)
    this.#asks[slot] = index?.asks ?? false
    this.#timed[slot] = index?.timed ?? false
    if (index?.vector) this.#vectors.set(slot, index.vector)
    else this.#vectors.remove(slot)
    this.#lexical.set(
      slot,
      index?.terms ?? '',
      this.#options.dateWords ? this.#language.dateTerms(block.occurredAt) : [],
    )
    this.#chains.add(slot, block.session, block.position)
  }

  /** Rows come with strings of their own; what repeats is kept once. */
  #factsOf(block: Block): BlockFacts {
    const { content: _content, summary: _summary, cue: _cue, ...facts } = block
    const { session, category, createdAt, occurredAt, tags } = facts
    return {
      ...facts,
      session: this.#shared(session),
      category: this.#shared(category),
      occurredAt: occurredAt === createdAt ? createdAt : occurredAt,
      tags: tags.length === 0 ? NO_TAGS : tags.map((tag) => this.#shared(tag)),
    }
  }

  #setFacts(slot: number, facts: BlockFacts | undefined): void {
    const isReported = (each: BlockFacts | undefined) => Number(each !== undefined && evidenceMass(each) > 0)
    this.#reported += isReported(facts) - isReported(this.#facts[slot])
    this.#facts[slot] = facts
  }

  #shared(text: string): string {
    const known = this.#strings.get(text)
    if (known !== undefined) return known
    this.#strings.set(text, text)
    return text
  }

  #remove(id: string): void {
    const slot = this.#slots.get(id)
    if (slot === undefined) return
    this.#slots.delete(id)
    this.#setFacts(slot, undefined)
    this.#tags.remove(slot)
    this.#vectors.remove(slot)
    this.#lexical.remove(slot)
    this.#chains.remove(slot)
    this.#free.push(slot)
  }

  #settle(): void {
    this.#lexical.settle(this.#chains.settle())
  }
}
