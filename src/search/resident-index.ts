import type { BlockFacts, BlockIndex, ContentVectors } from '../domain/block/block.ts'
import { ElfmemError } from '../errors.ts'
import type { IndexCache, PackedHeader, PackedIndex, PackedSection } from '../ports/index-cache.ts'
import type { ScanKernel } from '../ports/scan-kernel.ts'
import type { ClockReading, EdgeNote, IndexedBlock, StoreReader } from '../ports/store/transaction.ts'
import { BlockColumns, type Filter, WaitingBlocks } from './index/blocks.ts'
import { type CosineScale, QuestionCosines, SessionChains } from './index/chains.ts'
import { Column, packColumn, Texts, unpackColumn } from './index/columns.ts'
import {
  type Compared,
  type Near,
  type NearestOptions,
  nearestBlocks,
  unpackUnit,
  VectorMatrix,
} from './index/vectors.ts'
import { LexicalIndex, type LexicalOptions } from './index/words.ts'
import { type Analysis, type Match, type Question, readQuestion, SourceIndex } from './question.ts'
import { likeliestSlots, rankMatches } from './rank.ts'

/** The parts of a resident index; all number blocks and passages by the same slots. */
export interface IndexParts {
  readonly blocks: BlockColumns
  readonly chains: SessionChains
  readonly lexical: LexicalIndex
  /** The names in the text of each slot, as `joinNames` gives them. */
  readonly names: Texts
  readonly vectors: VectorMatrix
  /** The `PassageFlag`s of each slot. */
  readonly flags: Column<Uint8Array<ArrayBuffer>>
}

/** A text of more terms, some 30 words, needs less of its neighbours. */
const ENOUGH_TERMS = 18

/** The parts of an index without blocks; the vectors lie in the memory of the kernel. */
export function createIndexParts(kernel: ScanKernel, options: RankingOptions): IndexParts {
  const { gateFloor, gateWidth } = options
  const vectors = new VectorMatrix(kernel)
  const cosine = (a: number, b: number) => vectors.between(a, b)
  const chains: SessionChains = new SessionChains({
    cosine,
    relatedness: (a, b) => Math.min(1, Math.max(0, (cosine(a, b) - gateFloor) / gateWidth)),
    isSaid: (slot) => blocks.sourceOf(slot) >= 0,
    isOneBlock: (a, b) => blocks.headOf(a) === blocks.headOf(b),
    need: (slot) => Math.min(1, ENOUGH_TERMS / Math.max(1, lexical.termsOf(slot))),
  })
  const blocks = new BlockColumns(chains)
  const lexical = new LexicalIndex(chains, options)
  return { blocks, chains, lexical, names: new Texts(), vectors, flags: new Column(Uint8Array) }
}

/** Brings what depends on neighbours up to date; expected before ranking and packing. */
export function settleParts({ chains, lexical }: IndexParts): void {
  lexical.settle(chains.settle())
}

/** Takes a block in, or its new words and vectors. A block of several passages has the vector of the whole at its own slot. */
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
    names.set(slot, allNames[i] ?? '')
    flags.set(slot, Number.parseInt(allFlags[i] as string, 16))
    if (slot !== head) setVector(vectors, slot, passageVector(index?.vectors, { i, of: slots.length }))
    lexical.add(slot, terms[i]?.split(' ').filter(Boolean) ?? [], dateTerms)
    chains.add(slot, blocks.chainOf(block), block.position)
  }
}

/** The slots for so many passages of a block: those that it has, or new ones. */
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

/** The vector of a passage; that of the whole where the passages have none, or were split otherwise. */
function passageVector(
  { vector, passages }: Partial<ContentVectors> = {},
  { i, of }: { readonly i: number; readonly of: number },
): Float32Array | undefined {
  if (vector === undefined || passages?.length !== of * vector.length) return vector
  return unpackUnit(passages.subarray(i * vector.length, (i + 1) * vector.length)) ?? vector
}

/** Takes in what changed of a block that is here besides its words and vectors. */
export function putFacts(
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

/** Removes a block from all parts; nothing happens if it is not here. */
export function removeBlock(parts: IndexParts, id: string): void {
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
    names.set(slot, '')
  }
}

/** Constants of the ranking; the recipe and its ablations are in docs/retrieval.md. */
export const RANKING = {
  /** Share of the reachable BM25 that already counts as full. */
  lexicalNorm: 0.5,
  /** Exponent of a share that rests on one word of three or more: chance words lift nothing above a similarity. */
  loneWordExponent: 2,
  /** Words of a question below which its words say (n + 1) / (this + 1) of their share. */
  fullWords: 4,
  /** Share less that words say for each e-fold of blocks: in a large store some block shares a word by chance. */
  wordsSizeLoss: 0.03,
  /** Exponent of the mean of both signals; lets one strong signal carry a match. */
  powerMean: 1.5,
  /** Sum of lexicalWindow times relatedness from which a block is not alone at all. */
  lentEnough: 0.5,
  /** Rank score that a name shared with the best match adds at most to a block without words of neighbours. */
  throughNames: 0.25,
  /** Share of blocks in which a name tells nothing, if it is in more than three. */
  throughNamesShare: 0.01,
  /** Share of the best rank that a name brings at most; without it hit@1 on notes falls. */
  throughNamesCap: 0.95,
  /** Rank score of a block whose source the question names. */
  sourceWeight: 0.08,
  /** Rank score that a block loses that asks: it is rarely the answer. */
  questionPenalty: 0.05,
  /** Rank score of a block that speaks of a time, if the question asks when. */
  whenBonus: 0.07,
  /** Rank score that a look-alike loses, times the difference of the squared shares of the words asked. */
  lookAlikePenalty: 0.2,
  /** Cosine from which two blocks of one lexical share look alike. */
  lookAlikeCosine: 0.5,
  /** Share of blocks above which a capitalised word is left out of the embedded question. */
  nameShare: 0.1,
  /** Cosine below which neighbours share no words. */
  gateFloor: 0.1,
  /** Cosine from the floor to the full share. */
  gateWidth: 0.2,
  /** Weights of the words 3, 2, 1 before and 1, 2 after a block in its session, times how related they are. */
  lexicalWindow: [0.2, 0.4, 0.6, 0.4, 0.25],
  /** Weights of the cosines 2, 1 before and 1, 2 after a block, times how related they are. */
  vectorWindow: [0.2, 0.2, 0.1, 0.1],
  /** True: a block is found by its date in words. */
  dateWords: true,
}

/** How recall weighs what it finds; `RANKING` has the values. */
export type RankingOptions = typeof RANKING

/** Changes when packed bytes come to mean something else. */
const FORMAT = 8

/**
 * All that decides what packed parts hold, besides the blocks: only what was made of the same may be read.
 *
 * @param analysis its id, since blocks that wait are analysed here
 */
export function madeOf(options: RankingOptions, analysis: string): PackedHeader {
  const { gateFloor, gateWidth, lexicalWindow, dateWords } = options
  return {
    format: FORMAT,
    analysis,
    options: [gateFloor, gateWidth, lexicalWindow, dateWords],
  }
}

/** The parts as bytes, which are those in use. Expects them to be settled. */
export function packParts(parts: IndexParts): PackedSection[] {
  const slots = parts.blocks.end
  return [
    ...parts.blocks.pack(),
    ...parts.chains.pack(slots),
    ...parts.lexical.pack(slots),
    parts.names.pack('names', slots),
    packColumn('flags', parts.flags, slots),
    ...parts.vectors.pack(),
  ]
}

/** The state at which a packed copy was made. */
interface PackedAt {
  readonly sequence: number
  readonly generation: number
}

/**
 * Fills parts that are still empty from a packed copy that was made of the same; undefined when there is none. Throws
 * `ElfmemError` for a damaged one, of which half may have been taken in.
 */
export async function readPacked(
  parts: IndexParts,
  cache: IndexCache,
  wanted: PackedHeader,
): Promise<PackedAt | undefined> {
  const packed = await cache.open()
  if (packed === undefined) return undefined
  try {
    const { sequence, generation, ...header } = packed.header
    if (JSON.stringify(header) !== JSON.stringify(wanted)) return undefined
    parts.blocks.unpack(packed)
    const slots = parts.blocks.end
    parts.chains.unpack(packed, slots)
    parts.lexical.unpack(packed, slots, parts.blocks.ranked)
    parts.names.unpack(packed, 'names')
    unpackColumn(packed, 'flags', parts.flags, slots)
    parts.vectors.unpack(packed)
    return { sequence: sequence as number, generation: generation as number }
  } finally {
    packed.close()
  }
}

/** How many vectors a background is measured on. */
export interface BackgroundSample {
  /** Fewer blocks with vectors show no background. */
  readonly fewestBlocks: number
  readonly ones: number
  /** Each of the ones is compared with so many. */
  readonly others: number
}

/** How the cosines of a store's blocks lie. */
export interface MeasuredBackground {
  readonly mean: number
  readonly deviation: number
  /** Blocks with vectors when it was measured. */
  readonly blocks: number
}

/** Mean and deviation of cosines from all over the store; undefined if too few have vectors, or all are alike. */
export function backgroundOf(
  { blocks, vectors }: IndexParts,
  { fewestBlocks, ones, others }: BackgroundSample,
): MeasuredBackground | undefined {
  const slots: number[] = []
  for (let slot = 0; slot < blocks.end; slot++) if (blocks.isHere(slot) && vectors.has(slot)) slots.push(slot)
  if (slots.length < fewestBlocks) return undefined
  let [count, sum, squares] = [0, 0, 0]
  for (const one of spread(slots, ones))
    for (const other of spread(slots, others)) {
      if (one === other) continue
      const cosine = vectors.between(one, other)
      count++
      sum += cosine
      squares += cosine * cosine
    }
  const mean = sum / count
  const deviation = Math.sqrt(Math.max(0, squares / count - mean * mean))
  return deviation > 0 ? { mean, deviation, blocks: slots.length } : undefined
}

/** At most so many of the slots, at even distances. */
function spread(slots: readonly number[], most: number): number[] {
  const step = Math.max(1, slots.length / most)
  return Array.from({ length: Math.min(most, slots.length) }, (_, i) => slots[Math.floor(i * step)] as number)
}

/** Shares of fewer blocks tell nothing: in a small memory every name is in a good part of them. */
const FEWEST_BLOCKS = 50
const IDFS_MOST = 50_000

/**
 * All blocks of a store that wait or are active, in memory, ready to be ranked: a cache that `refresh` brings up to date
 * before use. Several may exist for one store, in several processes.
 * Memory at 384 dimensions: about 0.8 kB a block. A question costs one pass over all blocks.
 */
export class ResidentIndex {
  readonly #options: RankingOptions
  readonly #analysis: Analysis
  readonly #waiting = new WaitingBlocks()
  readonly #kept: KeptIndex | undefined
  readonly #kernel: ScanKernel
  readonly #cosines: QuestionCosines
  #parts: IndexParts
  #sources: SourceIndex
  /** Inverse document frequencies that were asked for since the last change of words. */
  readonly #idfs = new Map<string, number>()
  #sequence = 0
  #generation = 0
  #unkept = 0
  #refreshing: Promise<unknown> = Promise.resolve()

  /** @param kept where a packed copy may be; `pack` makes the next */
  constructor(kernel: ScanKernel, analysis: Analysis, options: RankingOptions, kept?: KeptIndex) {
    this.#options = options
    this.#analysis = analysis
    this.#kept = kept
    this.#kernel = kernel
    this.#cosines = new QuestionCosines(options.vectorWindow)
    this.#parts = createIndexParts(kernel, options)
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
  refresh(tx: StoreReader): Promise<ClockReading> {
    const refreshed = this.#refreshing.then(() => this.#refresh(tx))
    this.#refreshing = refreshed.catch(() => undefined)
    return refreshed
  }

  async #refresh(tx: StoreReader): Promise<ClockReading> {
    if (this.#sequence === 0 && !(await this.#unpack(tx))) return this.#load(tx)
    const { clock, sequence, generation, blocks } = await tx.changes(this.#sequence)
    if (generation > this.#generation) return this.#letGo(tx, generation)
    if (sequence > this.#sequence && generation === this.#generation) {
      this.apply(blocks)
      this.#sequence = sequence
    }
    return clock
  }

  /** Lets go of blocks that were removed, and reads on; reads everything when that does not make the new generation. */
  async #letGo(tx: StoreReader, generation: number): Promise<ClockReading> {
    const removed = await tx.removedSince(this.#generation)
    if (removed === undefined) return this.#load(tx)
    for (const id of removed.ids) this.#remove(id)
    this.#sequence = Math.min(this.#sequence, removed.sequence)
    this.#generation = generation
    return this.#refresh(tx)
  }

  /** Takes in all blocks, in the place of whatever is here: of what was removed nothing may be left, not even a word in a table. */
  async #load(tx: StoreReader): Promise<ClockReading> {
    const { clock, sequence, generation } = await tx.changes(Number.MAX_SAFE_INTEGER)
    const held: IndexedBlock[] = []
    const isFirst = this.#sequence === 0
    if (isFirst && this.size > 0) this.#reset()
    // Later on somebody may be about to ask, who must not find it half filled: then all is taken in at once.
    await tx.livingBlocks((batch) => void (isFirst ? this.apply(batch) : held.push(...batch)))
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
    if (!this.#options.dateWords) return []
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
      nameShare: this.#options.nameShare,
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
    const given = { count, filter, options: this.#options, own: this.#cosines.own }
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
      header: { ...madeOf(this.#options, this.#analysis.id), ...at },
      sections: packParts(this.#parts),
    }
  }

  /** Fills an index that is still empty from the packed copy, when there is one and the store says it is its own. */
  async #unpack(tx: StoreReader): Promise<boolean> {
    const mark = this.size > 0 ? undefined : this.#kept && (await tx.meta(this.#kept.mark))
    if (this.#kept === undefined || mark === undefined) return false
    try {
      const at = await readPacked(this.#parts, this.#kept.cache, {
        ...madeOf(this.#options, this.#analysis.id),
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
    this.#parts = createIndexParts(this.#kernel, this.#options)
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
