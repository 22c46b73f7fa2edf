import { citedIn } from '../text/citations.ts'
import { identifiersIn } from './tokens.ts'

/** A block as a frame showed it. */
export interface ShownBlock {
  /** The whole id. */
  readonly id: string
  readonly content: string
}

/** How it shows that a block was used: it was cited; what names one thing was said again; so were words. */
export type EvidenceKind = 'cited' | 'identifier' | 'words'

/** A block that was used. */
export interface UsedBlock {
  readonly id: string
  /** The strongest kind there is. */
  readonly kind: EvidenceKind
  /** The tokens that were said again: ids, identifiers or stems, in the order of their letters. */
  readonly evidence: readonly string[]
}

/** How texts are compared. */
export interface Comparing {
  /** The comparable words of a text in any language, such as their stems. */
  readonly terms: (text: string) => readonly string[]
  /** Distinctive words that show use. */
  readonly enoughWords: number
  /** So many first blocks need one distinctive word alone. */
  readonly firstBlocks: number
}

/** Shorter words stand in every text. */
const WORD_LENGTH = 4

/** Prepared texts of a frame, to which many actions are compared. */
export interface ShownFrame {
  readonly blocks: readonly ShownBlock[]
  /** For each identifier that one block alone has, and not the question, the place of that block. */
  readonly identifiers: ReadonlyMap<string, number>
}

/** Prepares a frame. One pass over its texts. */
export function shownFrame(blocks: readonly ShownBlock[], asked: string): ShownFrame {
  return { blocks, identifiers: distinctive(blocks, asked, identifiersIn) }
}

/**
 * The blocks whose identifiers, paths or numbers stand in a text, by their places, with what of them stands there. One pass
 * over the text.
 */
export function namedIn({ identifiers }: ShownFrame, text: string): ReadonlyMap<number, readonly string[]> {
  return byBlock(identifiers, identifiersIn(text))
}

/** The places of blocks that a text cites: an answer by their places or ids, any other text by whole words of their ids. */
export function citedPlaces({ blocks }: ShownFrame, text: string, isAnswer: boolean): readonly number[] {
  const ids = blocks.map(({ id }) => id)
  // Brackets in a command are code.
  const cited = new Set(citedIn(isAnswer ? text : text.replaceAll('[', ' '), ids))
  return ids.flatMap((id, place) => (cited.has(id) ? [place] : []))
}

/**
 * The blocks of a frame that an agent used, as far as what it did or said shows by itself.
 *
 * A token is distinctive for a block when it stands in neither the question nor any other block of the frame. A block is
 * `cited` if its id or its place `[n]` stands in what was said. It is used by `identifier` if a distinctive identifier, path or
 * number of it stands there. It is used by `words` if enough distinctive words do; one of the first blocks needs one.
 * No rule says that a block was not used. Cost: one pass over all texts.
 *
 * @param did what the agent did or said; never what it was answered
 */
export function usedBlocks(
  shown: readonly ShownBlock[],
  did: string,
  asked: string,
  comparing: Comparing,
): UsedBlock[] {
  const frame = shownFrame(shown, asked)
  const cited = new Set(citedPlaces(frame, did, true))
  const named = namedIn(frame, did)
  const words = wordsUsed(shown, did, asked, comparing)
  return shown.flatMap(({ id }, place): UsedBlock[] => {
    if (cited.has(place)) return [{ id, kind: 'cited', evidence: [id] }]
    const identifiers = named.get(place)
    if (identifiers !== undefined) return [{ id, kind: 'identifier', evidence: identifiers }]
    const same = words.get(place)
    return same === undefined ? [] : [{ id, kind: 'words', evidence: same }]
  })
}

/** The blocks used by their words alone, by their places. */
export function wordsUsed(
  shown: readonly ShownBlock[],
  did: string,
  asked: string,
  { terms, enoughWords, firstBlocks }: Comparing,
): ReadonlyMap<number, readonly string[]> {
  const wordsIn = (text: string): ReadonlySet<string> =>
    new Set(terms(text).filter(({ length }) => length >= WORD_LENGTH))
  const found = byBlock(distinctive(shown, asked, wordsIn), wordsIn(did))
  return new Map(
    [...found].filter(([place, words]) => words.length >= (place < firstBlocks ? 1 : enoughWords)),
  )
}

/** For each token that one block alone has, and not the question, the place of that block. */
function distinctive(
  blocks: readonly ShownBlock[],
  asked: string,
  tokensIn: (text: string) => ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  const shared = new Set(tokensIn(asked))
  for (const [place, { id, content }] of blocks.entries())
    for (const token of tokensIn(content)) {
      const before = places.get(token)
      if (before === undefined) places.set(token, place)
      else if (blocks[before]?.id !== id) shared.add(token)
    }
  for (const token of shared) places.delete(token)
  return places
}

function byBlock(
  places: ReadonlyMap<string, number>,
  tokens: ReadonlySet<string>,
): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>()
  for (const token of [...tokens].sort()) {
    const place = places.get(token)
    if (place === undefined) continue
    const own = found.get(place)
    if (own === undefined) found.set(place, [token])
    else own.push(token)
  }
  return found
}
