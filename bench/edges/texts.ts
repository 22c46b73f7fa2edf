import { readData } from '../lib/data.ts'
import { type Conversation, loadConversations } from '../locomo/loader.ts'

/** A text and what it is about; two texts belong together when that is the same. */
export interface Text {
  readonly text: string
  readonly group: string
}

/** The bench's own texts. A note is taken to be about nothing that any other text is about. */
export interface Texts {
  readonly notes: readonly Text[]
  /** In groups of four that bear on each other. */
  readonly statements: readonly Text[]
  /** In twos that say the same. */
  readonly restatements: readonly Text[]
}

interface Topic {
  readonly about: string
  readonly statements: readonly string[]
}

interface Restatement {
  readonly one: string
  readonly other: string
}

export function loadTexts(): Texts {
  return {
    notes: readData<readonly string[]>('notes.json').map((text, i) => ({ text, group: `note ${i}` })),
    statements: readData<readonly Topic[]>('related-notes.json').flatMap(({ about, statements }) =>
      statements.map((text) => ({ text, group: about })),
    ),
    restatements: readData<readonly Restatement[]>('restatements.json').flatMap(({ one, other }, i) =>
      [one, other].map((text) => ({ text, group: `restatement ${i}` })),
    ),
  }
}

/** The sessions of every conversation in a file of LoCoMo's format, each a list of turns. */
export function loadSessions(path: string): readonly (readonly string[])[][] {
  return loadConversations(path).map(sessionsOf)
}

function sessionsOf({ turns }: Conversation): string[][] {
  const sessions = Map.groupBy(turns, ({ session }) => session)
  return [...sessions.values()].map((each) => each.map(({ content }) => content))
}
