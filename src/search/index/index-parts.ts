import type { BlockFacts, BlockIndex } from '../../domain/block/block.ts'
import type { ScanKernel } from '../../ports/scan-kernel.ts'
import type { RankingOptions } from '../match.ts'
import { BlockColumns } from './block-columns.ts'
import { Column } from './column.ts'
import { LexicalIndex } from './lexical-index.ts'
import { SessionChains } from './session-chains.ts'
import { VectorMatrix } from './vector-matrix.ts'

/** Bits of what a block's text does. */
export const ASKS = 1
export const TIMED = 2

/** The parts of a resident index; all number blocks by the same slots. */
export interface IndexParts {
  readonly blocks: BlockColumns
  readonly chains: SessionChains
  readonly lexical: LexicalIndex
  readonly vectors: VectorMatrix
  /** The bits `ASKS` and `TIMED` of each text. */
  readonly texts: Column<Uint8Array<ArrayBuffer>>
}

export function createIndexParts(kernel: ScanKernel, options: RankingOptions): IndexParts {
  const { gateFloor, gateWidth, windows } = options
  const vectors = new VectorMatrix(kernel)
  const texts = new Column(Uint8Array)
  const chains = new SessionChains((a, b) =>
    Math.min(1, Math.max(0, (vectors.between(a, b) - gateFloor) / gateWidth)),
  )
  const lexical = new LexicalIndex(chains, (slot) => ((texts.values[slot] as number) & ASKS) !== 0, {
    k1: options.bm25K1,
    b: options.bm25B,
    norm: options.lexicalNorm,
    loneWordExponent: options.loneWordExponent,
    fullWords: options.fullWords,
    sizeLoss: options.wordsSizeLoss,
    window: windows ? options.lexicalWindow : [],
    answersQuestion: options.answersQuestion,
  })
  return { blocks: new BlockColumns(chains), chains, lexical, vectors, texts }
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
  { blocks, chains, lexical, vectors, texts }: IndexParts,
  block: BlockFacts,
  { index, dateTerms, sameWords }: Entry,
): void {
  const known = blocks.slotOf(block.id)
  if (known !== undefined && !sameWords) lexical.remove(known)
  const slot = blocks.put(block)
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

export function removeBlock({ blocks, chains, lexical, vectors }: IndexParts, id: string): void {
  const slot = blocks.slotOf(id)
  if (slot === undefined) return
  vectors.remove(slot)
  lexical.remove(slot)
  chains.remove(slot)
  blocks.remove(slot)
}
