import { citedIn } from '../text/citations.ts'
import { identifiersIn } from './tokens.ts'

/** A block as a frame showed it. */
export interface ShownBlock {
  /** The whole id. */
  readonly id: string
  readonly content: string
}

/** Prepared texts of a frame, to which many actions are compared. */
export interface ShownFrame {
  readonly blocks: readonly ShownBlock[]
  /** Place of the block by each identifier that this block alone has and the question lacks. */
  readonly identifiers: ReadonlyMap<string, number>
}

/** Prepares a frame. One pass over its texts. */
export function shownFrame(blocks: readonly ShownBlock[], asked: string): ShownFrame {
  return { blocks, identifiers: distinctive(blocks, asked) }
}

/**
 * The blocks whose identifiers, paths or numbers stand in a text, by their places, with what of them stands there. One pass
 * over the text.
 */
export function namedIn({ identifiers }: ShownFrame, text: string): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>()
  for (const token of [...identifiersIn(text)].sort()) {
    const place = identifiers.get(token)
    if (place !== undefined) found.set(place, [...(found.get(place) ?? []), token])
  }
  return found
}

/** The places of blocks that a text cites: an answer by their places or ids, any other text by whole words of their ids. */
export function citedPlaces({ blocks }: ShownFrame, text: string, isAnswer: boolean): readonly number[] {
  const ids = blocks.map(({ id }) => id)
  // Brackets in a command are code.
  const cited = new Set(citedIn(isAnswer ? text : text.replaceAll('[', ' '), ids))
  return ids.flatMap((id, place) => (cited.has(id) ? [place] : []))
}

/** Returns the place of the block by each identifier that this block alone has and the question lacks. */
function distinctive(blocks: readonly ShownBlock[], asked: string): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  const shared = new Set(identifiersIn(asked))
  for (const [place, { id, content }] of blocks.entries())
    for (const token of identifiersIn(content)) {
      const before = places.get(token)
      if (before === undefined) places.set(token, place)
      else if (blocks[before]?.id !== id) shared.add(token)
    }
  for (const token of shared) places.delete(token)
  return places
}
