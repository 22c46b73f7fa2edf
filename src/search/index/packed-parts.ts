import type { IndexCache, PackedHeader, PackedIndex, PackedSection } from '../../ports/index-cache.ts'
import type { RankingOptions } from '../match.ts'
import type { IndexParts } from './index-parts.ts'
import { packColumn, unpackColumn } from './packing.ts'

/** Changes when packed bytes come to mean something else. */
const FORMAT = 4

/**
 * All that decides what packed parts hold, besides the blocks: only what was made of the same may be read.
 *
 * @param analysis its id, since blocks that wait are analysed here
 */
export function madeOf(options: RankingOptions, analysis: string): PackedHeader {
  const { gateFloor, gateWidth, windows, lexicalWindow, answersQuestion, dateWords } = options
  return {
    format: FORMAT,
    analysis,
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

/** What a packed copy was made at. */
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
function unpackParts({ blocks, chains, lexical, vectors, texts }: IndexParts, packed: PackedIndex): void {
  blocks.unpack(packed)
  const slots = blocks.end
  chains.unpack(packed, slots)
  lexical.unpack(packed, slots, blocks.size)
  unpackColumn(packed, 'texts', texts, slots)
  vectors.unpack(packed)
}
