import { cutMarkdown } from '../../adapters/markdown/cut.ts'
import { withoutFences } from '../../frames/index.ts'
import { isSmallTalk } from '../../language/pack.ts'

/** Characters of a longer text that it is found by, and tokens of each piece: most of a piece is read by an embedder. */
const FOUND_BY = 64_000
const PIECE_TOKENS = 250
/** The most characters of a text that is kept as one block. */
const WHOLE = 2_000
/** The most pieces of one text. Each is a block, for which a dream takes some milliseconds. */
const PIECES = 64

/** Returns a text as blocks can hold it: whole, or cut into at most 64 pieces. NUL and halves of characters are replaced. */
export function piecesOf(text: string): string[] {
  const clean = text.slice(0, FOUND_BY).toWellFormed().replaceAll('\0', '\ufffd').trim()
  if (clean === '') return []
  if (clean.length <= WHOLE) return [clean]
  return cutMarkdown(clean, PIECE_TOKENS)
    .slice(0, PIECES)
    .map((piece) => piece.text)
}

/** A message and who says it. */
export interface Message {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/**
 * The texts that a message is found by, as turns of a conversation: its own words without recalled text. Small talk has none, since "ok"
 * and "thanks" say nothing to a later reader.
 *
 * @param trustUser true if messages of the user are the owner's own words; otherwise they count as words of a document
 */
export function turnTexts({ role, text }: Message, session: string, trustUser: boolean) {
  const own = withoutFences(text).text
  if (isSmallTalk(own)) return []
  const sourceClass = role === 'assistant' ? 'model' : trustUser ? 'user' : 'document'
  return piecesOf(own).map((content) => ({
    ...({ content, session, source: role, sourceClass, category: 'turn' } as const),
  }))
}

/** Characters of the name of a session, at most. */
const NAME_MOST = 128

/** Returns true if turns can be kept under a name: a text of 1 to 128 characters, whole ones, without NUL and U+001F. */
export function isConversationName(name: unknown): name is string {
  if (typeof name !== 'string' || !name.isWellFormed()) return false
  return (
    name.length > 0 && name.length <= NAME_MOST && !['\u0000', '\u001f'].some((sign) => name.includes(sign))
  )
}
