import type { BlockFacts, BlockIndex } from '../../domain/block/block.ts'
import type { IndexCache, PackedHeader, PackedIndex, PackedSection } from '../../ports/index-cache.ts'
import type { ScanKernel } from '../../ports/scan-kernel.ts'
import { BlockColumns } from './block-columns.ts'
import { Column, packColumn, unpackColumn } from './column.ts'
import { LoneBlocks, type LoneOptions } from './lending/lone-blocks.ts'
import { LexicalIndex, type LexicalOptions } from './lexical-index.ts'
import { BlockNames } from './names/block-names.ts'
import type { NameStepOptions } from './names/through-names.ts'
import { SessionChains } from './session-chains.ts'
import { VectorMatrix } from './vector-matrix.ts'

/** Bits of what a block's text does. */
export const ASKS = 1
/** The bit of a text that speaks of a time. */
export const TIMED = 2

/** The parts of a resident index; all number blocks by the same slots. */
export interface IndexParts {
  readonly blocks: BlockColumns
  readonly chains: SessionChains
  readonly lexical: LexicalIndex
  readonly lone: LoneBlocks
  readonly names: BlockNames
  readonly vectors: VectorMatrix
  /** The bits `ASKS` and `TIMED` of each text. */
  readonly texts: Column<Uint8Array<ArrayBuffer>>
}

/** The parts of an index without blocks; the vectors lie in the memory of the kernel. */
export function createIndexParts(kernel: ScanKernel, options: RankingOptions): IndexParts {
  const { gateFloor, gateWidth } = options
  const vectors = new VectorMatrix(kernel)
  const texts = new Column(Uint8Array)
  const cosine = (a: number, b: number) => vectors.between(a, b)
  const relatedness = (a: number, b: number) =>
    Math.min(1, Math.max(0, (cosine(a, b) - gateFloor) / gateWidth))
  const chains = new SessionChains(relatedness, { cosine, isSaid: (slot) => blocks.sourceOf(slot) >= 0 })
  const blocks = new BlockColumns(chains)
  const asks = (slot: number) => ((texts.values[slot] as number) & ASKS) !== 0
  const lexical = new LexicalIndex(chains, asks, options)
  const lone = new LoneBlocks(chains, { asks, hasVector: (slot) => vectors.has(slot) }, options)
  return { blocks, chains, lexical, lone, names: new BlockNames(), vectors, texts }
}

/** Brings what depends on neighbours up to date; expected before ranking and packing. */
export function settleParts({ chains, lexical, lone }: IndexParts): void {
  const changed = chains.settle()
  lexical.settle(changed)
  lone.settle(changed)
}

/** A block's new words and vector. */
interface Entry {
  readonly index: BlockIndex | undefined
  readonly dateTerms: readonly string[]
  /** The words are those that are here. */
  readonly sameWords: boolean
}

/** Takes a block in, or its new words and vector. */
export function putBlock(
  { blocks, chains, lexical, names, vectors, texts }: IndexParts,
  block: BlockFacts,
  { index, dateTerms, sameWords }: Entry,
): void {
  const known = blocks.slotOf(block.id)
  if (known !== undefined && !sameWords) lexical.remove(known)
  const slot = blocks.put(block)
  names.set(slot, index?.names ?? '')
  texts.set(slot, (index?.asks ? ASKS : 0) | (index?.timed ? TIMED : 0))
  if (index?.vector) vectors.set(slot, index.vector)
  else vectors.remove(slot)
  if (!sameWords) lexical.add(slot, index?.terms ? index.terms.split(' ') : [], dateTerms)
  chains.add(slot, blocks.chainOf(block), block.position)
}

/** Takes in what changed of a block that is here besides its words and vector. */
export function putFacts({ blocks, chains }: IndexParts, block: BlockFacts): void {
  const slot = blocks.put(block)
  const session = blocks.chainOf(block)
  if (chains.sessionOf(slot) !== session || chains.positionOf(slot) !== block.position)
    chains.add(slot, session, block.position)
}

/** Removes a block from all parts; nothing happens if it is not here. */
export function removeBlock({ blocks, chains, lexical, names, vectors }: IndexParts, id: string): void {
  const slot = blocks.slotOf(id)
  if (slot === undefined) return
  vectors.remove(slot)
  lexical.remove(slot)
  names.remove(slot)
  chains.remove(slot)
  blocks.remove(slot)
}

/** How recall weighs what it finds; see `config/recall-settings.ts` for units and reasons. */
export interface RankingOptions extends LexicalOptions, LoneOptions, NameStepOptions {
  readonly powerMean: number
  readonly sourceWeight: number
  readonly questionPenalty: number
  readonly whenBonus: number
  readonly spanBonus: number
  readonly lookAlikePenalty: number
  readonly lookAlikeCosine: number
  readonly nameShare: number
  readonly gateFloor: number
  readonly gateWidth: number
  readonly vectorWindow: readonly number[]
  readonly dateWords: boolean
}

/** Changes when packed bytes come to mean something else. */
const FORMAT = 7

/**
 * All that decides what packed parts hold, besides the blocks: only what was made of the same may be read.
 *
 * @param analysis its id, since blocks that wait are analysed here
 */
export function madeOf(options: RankingOptions, analysis: string): PackedHeader {
  const { gateFloor, gateWidth, windows, lexicalWindow, answersQuestion, dateWords, lentEnough } = options
  return {
    format: FORMAT,
    analysis,
    options: [gateFloor, gateWidth, windows, lexicalWindow, answersQuestion, dateWords, lentEnough],
  }
}

/** The parts as bytes, which are those in use. Expects them to be settled. */
export function packParts({
  blocks,
  chains,
  lexical,
  lone,
  names,
  vectors,
  texts,
}: IndexParts): PackedSection[] {
  const slots = blocks.end
  return [
    ...blocks.pack(),
    ...chains.pack(slots),
    ...lexical.pack(slots),
    lone.pack(slots),
    ...names.pack(slots),
    packColumn('texts', texts, slots),
    ...vectors.pack(),
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
export function readPacked(parts: IndexParts, cache: IndexCache, wanted: PackedHeader): PackedAt | undefined {
  const packed = cache.open()
  if (packed === undefined) return undefined
  try {
    const { sequence, generation, ...header } = packed.header
    if (JSON.stringify(header) !== JSON.stringify(wanted)) return undefined
    unpackParts(parts, packed)
    return { sequence: sequence as number, generation: generation as number }
  } finally {
    packed.close()
  }
}

/** Fills parts that are still empty. */
function unpackParts(
  { blocks, chains, lexical, lone, names, vectors, texts }: IndexParts,
  packed: PackedIndex,
): void {
  blocks.unpack(packed)
  const slots = blocks.end
  chains.unpack(packed, slots)
  lexical.unpack(packed, slots, blocks.size)
  lone.unpack(packed, slots)
  names.unpack(packed, slots)
  unpackColumn(packed, 'texts', texts, slots)
  vectors.unpack(packed)
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

/** Lexical share from which words alone suggest the greatest cosine: a rare word or two of the question. */
const FULL_SHARE = 0.3

/** The blocks of an index that have not become active yet, oldest first: the words of each, and who lacks a vector. */
export class WaitingBlocks {
  /** Undefined where they came from a packed copy. */
  readonly #words = new Map<string, string | undefined>()
  readonly #lacking = new Set<string>()

  get size(): number {
    return this.#words.size
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
   * Gives blocks without a vector a cosine that their words suggest, as a share of the greatest there is: of those that
   * have one none is to come first for that alone. One pass over the cosines when any lacks one.
   *
   * @param cosines of all slots with a question, changed in place
   */
  estimate(
    cosines: Float32Array,
    shares: { of(slot: number): number },
    slotOf: (id: string) => number | undefined,
  ): void {
    if (this.#lacking.size === 0) return
    const greatest = cosines.reduce((most, each) => Math.max(most, each), 0)
    for (const id of this.#lacking) {
      const slot = slotOf(id)
      if (slot === undefined) continue
      const suggested = greatest * Math.min(1, shares.of(slot) / FULL_SHARE)
      cosines[slot] = Math.max(cosines[slot] as number, suggested)
    }
  }

  /** True if the words of a block that waits, or waited until now, are these already. */
  hasWords(id: string, words: string | undefined): boolean {
    return words !== undefined && this.#words.get(id) === words
  }

  /** Adds a block that waits, or overwrites its words; a block known already keeps its place. */
  set(id: string, { words, hasVector }: { readonly words?: string; readonly hasVector: boolean }): void {
    this.#words.set(id, words)
    if (hasVector) this.#lacking.delete(id)
    else this.#lacking.add(id)
  }

  /** Forgets a block that waits no more. */
  delete(id: string): void {
    this.#words.delete(id)
    this.#lacking.delete(id)
  }

  /** Forgets all blocks that wait. */
  clear(): void {
    this.#words.clear()
    this.#lacking.clear()
  }
}
