import type { PackedHeader, PackedIndex, PackedSection } from '../../ports/index-cache.ts'
import type { RankingOptions } from '../match.ts'
import type { IndexParts } from './index-parts.ts'
import { packColumn, unpackColumn } from './packing.ts'

/** Changes when packed bytes come to mean something else. */
const FORMAT = 3

/** All that decides what packed parts hold, besides the blocks: only what was made of the same may be read. */
export function madeOf(options: RankingOptions, language: string): PackedHeader {
  const { gateFloor, gateWidth, windows, lexicalWindow, answersQuestion, dateWords } = options
  return {
    format: FORMAT,
    language,
    options: [gateFloor, gateWidth, windows, lexicalWindow, answersQuestion, dateWords],
  }
}

/** The parts as bytes, which are those in use. Expects them to be settled. */
export function packParts({ blocks, chains, lexical, vectors, texts }: IndexParts): PackedSection[] {
  const slots = blocks.end
  return [
    ...blocks.pack(),
    ...chains.pack(slots),
    ...lexical.pack(slots),
    packColumn('texts', texts, slots),
    ...vectors.pack(),
  ]
}

/** Fills parts that are still empty. */
export function unpackParts(
  { blocks, chains, lexical, vectors, texts }: IndexParts,
  packed: PackedIndex,
): void {
  blocks.unpack(packed)
  const slots = blocks.end
  chains.unpack(packed, slots)
  lexical.unpack(packed, slots, blocks.size)
  unpackColumn(packed, 'texts', texts, slots)
  vectors.unpack(packed)
}
