import type { BlockFacts, BlockIndex, ContentVectors } from '../block/block.ts'
import { BlockColumns } from './blocks.ts'
import { SessionChains } from './chains.ts'
import { Column, packColumn, Texts, unpackColumn } from './columns.ts'
import type { IndexCache, PackedHeader, PackedSection } from './index-cache.ts'
import type { ScanKernel } from './scan-kernel.ts'
import { unpackUnit, VectorMatrix } from './vectors.ts'
import { LexicalIndex } from './words.ts'

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
