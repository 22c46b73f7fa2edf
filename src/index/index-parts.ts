import type { BlockFacts, BlockIndex, ContentVectors } from '../block/block.ts'
import { BlockColumns } from './blocks.ts'
import { SessionChains } from './chains.ts'
import type { IndexCache, PackedHeader, PackedSection } from './columns.ts'
import { Column, packColumn, Texts, unpackColumn } from './columns.ts'
import { RANKING } from './strength.ts'
import type { ScanKernel } from './vectors.ts'
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
export function createIndexParts(kernel: ScanKernel): IndexParts {
  const { gateFloor, gateWidth } = RANKING
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
  const lexical = new LexicalIndex(chains)
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

/** Changes when packed bytes come to mean something else. */
const FORMAT = 8

/**
 * All that decides what packed parts hold, besides the blocks: only what was made of the same may be read.
 *
 * @param analysis its id, since blocks that wait are analysed here
 */
export function madeOf(analysis: string): PackedHeader {
  const { gateFloor, gateWidth, lexicalWindow, dateWords } = RANKING
  return { format: FORMAT, analysis, options: [gateFloor, gateWidth, lexicalWindow, dateWords] }
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

/**
 * Fills parts that are still empty from a packed copy that was made of the same; undefined when there is none. Throws
 * `ElfmemError` for a damaged one, of which half may have been taken in.
 */
export async function readPacked(
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
