import { ElfmemError } from '../../errors.ts'
import { withoutFences } from '../../frames/index.ts'
import { isSmallTalk } from '../../language/pack.ts'
import { piecesOf } from './pieces.ts'

/** A message and who says it. */
export interface Said {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** The conversation that turns are of. */
export interface TurnContext {
  readonly session: string
  /** True: messages of the user are the owner's own words; else those of a document. */
  readonly trustUser: boolean
}

/**
 * The texts that a message is to be found by, as turns of a conversation: its own words without recalled text. Small talk has none, as
 * "ok" and "thanks" say nothing to a later reader.
 */
export function turnTexts({ role, text }: Said, { session, trustUser }: TurnContext) {
  const own = withoutFences(text).text
  if (isSmallTalk(own)) return []
  const sourceClass = role === 'assistant' ? 'model' : trustUser ? 'user' : 'document'
  return piecesOf(own).map((content) => ({
    ...({ content, session, source: role, sourceClass, category: 'turn' } as const),
  }))
}

/** Throws `INVALID_INPUT` if messages are to be kept as the owner's words in a memory that was not opened as the owner. */
export function mustMayTrust(memory: object, trustUser: boolean): void {
  const { principal } = memory as { readonly principal?: { readonly capability: string } }
  if (!trustUser || principal === undefined || principal.capability === 'owner') return
  throw new ElfmemError(
    'INVALID_INPUT',
    'trustUser keeps messages as the owner’s own words, which only the owner may say.',
    { recovery: "Open the memory with { as: 'owner' }, or leave trustUser out." },
  )
}
