import type { Embedder } from '../../src/engine/ports.ts'
import { type Memory, openMemory, type RememberInput, type SettingsInput } from '../../src/index.ts'

/** A note and when it is remembered. */
export interface DatedNote {
  readonly id: string
  /** ISO-8601. */
  readonly at: string
  readonly session?: string
  readonly text: string
}

/** Settings under which nothing is guessed about versions: the ranking alone orders an answer. */
export const RANKING_ALONE = { recall: { newerFirst: 100 } }

/** Two blocks of which the newer may take the place of the older, by their ids. */
export interface Named {
  readonly newer: string
  readonly older: string
}

/** A memory that has taken in notes in order of date. */
export interface ByDate {
  readonly memory: Memory
  /** Returns the id of the block that holds a note; an empty string if there is none. */
  readonly idOf: (note: string) => string
  /** Pairs in `mayReplace` of `remember` and of the dreams. */
  readonly named: Readonly<Record<'remember' | 'dream', readonly Named[]>>
}

interface Filling {
  readonly embedder: Embedder
  readonly config?: SettingsInput
  /** Further arguments of `remember` for a note. */
  readonly given?: (note: DatedNote, idOf: ByDate['idOf']) => Partial<RememberInput>
}

/**
 * Remembers notes by date in a new memory. Its clock shows the date of each note; it dreams after each day.
 * The caller closes the memory.
 */
export async function rememberByDate(
  notes: readonly DatedNote[],
  { embedder, config = {}, given = () => ({}) }: Filling,
): Promise<ByDate> {
  let now = 0
  const memory = await openMemory(':memory:', { config, embedder, clock: { now: () => now } })
  const ids = new Map<string, string>()
  const idOf = (note: string) => ids.get(note) ?? ''
  const named: Record<'remember' | 'dream', Named[]> = { remember: [], dream: [] }
  const dream = async () => {
    for (let waiting = 1; waiting > 0; ) {
      const { mayReplace, inboxRemaining } = await memory.dream()
      named.dream.push(...mayReplace.map(({ id, older }) => ({ newer: id, older })))
      waiting = inboxRemaining
    }
  }
  let day = ''
  for (const note of [...notes].sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)))) {
    const { id, at, session = id, text } = note
    if (day !== '' && at.slice(0, 10) !== day) await dream()
    day = at.slice(0, 10)
    now = Date.parse(at)
    const { blockId, mayReplace = [] } = await memory.remember({
      content: text,
      session,
      ...given(note, idOf),
    })
    ids.set(id, blockId)
    named.remember.push(...mayReplace.map((older) => ({ newer: blockId, older: older.id })))
  }
  await dream()
  return { memory, idOf, named }
}
