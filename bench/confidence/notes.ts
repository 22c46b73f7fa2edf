import { readFileSync } from 'node:fs'
import { readData } from '../lib/files.ts'
import { createRandom } from '../lib/random.ts'
import { loadConversations } from '../locomo/loader.ts'

/** A note with questions that ask for it in other words. */
interface AskedNote {
  readonly text: string
  readonly questions: readonly { readonly q: string }[]
}

interface NotesFile {
  readonly notes: readonly AskedNote[]
  /** Questions about nothing in any store. */
  readonly negatives: readonly string[]
}

interface Placed {
  readonly content: string
  readonly session: string
}

/** Blocks of one memory, and which of the notes stand among them. */
interface Filled {
  readonly blocks: readonly Placed[]
  readonly held: readonly AskedNote[]
}

/** Blocks of the memories that are asked. */
const SIZES = [5, 50, 500, 4_600]
/** In a memory of fewer blocks stands one note, in a larger one half of them. */
const SMALL = 50
const SEED = 16

export function loadNotes(path: string): NotesFile {
  return JSON.parse(readFileSync(path, 'utf8')) as NotesFile
}

/** The bench's own notes, then facts and turns of conversations, when a file of them is given. */
export function loadHay(conversations: string | undefined): readonly Placed[] {
  const notes = readData<readonly string[]>('notes.json').map((content, i) => ({
    content,
    session: `note-${i}`,
  }))
  const own = createRandom(SEED).shuffled(notes)
  if (conversations === undefined) return own
  const said = (['observations', 'turns'] as const).flatMap((unit) =>
    loadConversations(conversations, unit).flatMap(({ turns }) =>
      turns.map(({ content, session }) => ({ content, session: `${session}/${unit}` })),
    ),
  )
  return [...own, ...said]
}

/** For each size some memories, so that each note stands in one of them and is missing in another. */
export function storesOf(
  notes: readonly AskedNote[],
  hay: readonly Placed[],
): readonly { readonly size: number; readonly stores: readonly Filled[] }[] {
  return SIZES.flatMap((size) => {
    const groups =
      size < SMALL
        ? notes.map((note) => [note])
        : [0, 1].map((half) => notes.filter((_, i) => i % 2 === half))
    const most = Math.max(...groups.map(({ length }) => hay.length + length))
    // A size is kept when nearly so many texts are there.
    if (most < 0.9 * size) return []
    return [{ size, stores: groups.map((held, i) => filled(held, hay, { size, seed: i })) }]
  })
}

function filled(
  held: readonly AskedNote[],
  hay: readonly Placed[],
  { size, seed }: { readonly size: number; readonly seed: number },
): Filled {
  const random = createRandom(SEED, seed)
  const rest =
    size < SMALL ? random.sample(hay.slice(0, 100), size - held.length) : hay.slice(0, size - held.length)
  const own = held.map(({ text: content }, i) => ({ content, session: `asked-${i}` }))
  return { blocks: random.shuffled([...own, ...rest]), held }
}

/** Notes whose questions are asked of a store though they are missing: of the next small store, or all. */
export function missingNotes(stores: readonly Filled[], at: number): readonly AskedNote[] {
  const held = new Set(stores[at]?.held)
  const others = stores.length > 2 ? [stores[(at + 1) % stores.length] as Filled] : stores
  return others.flatMap((store) => store.held).filter((note) => !held.has(note))
}
