import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import type { Bench } from '../lib/bench.ts'
import { type DatedNote, rememberByDate } from '../lib/by-date.ts'
import { readData } from '../lib/data.ts'
import { type Part, textOf } from '../lib/part.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'

/** Notes of which the last says again what an earlier one said. */
interface History {
  readonly question: string
  readonly notes: readonly DatedNote[]
}

/** An event that is noted in the same words on several days. */
interface Event {
  readonly question: string
  readonly text: string
  /** ISO dates. */
  readonly dates: readonly string[]
}

export const again: Bench = {
  name: 'again',
  summary: 'texts said again: whether the last word comes first, and whether each date of an event is kept',
  flags: {},
  run: async () => {
    const { histories, events } = readData<{ histories: readonly History[]; events: readonly Event[] }>(
      'said-again.json',
    )
    const embedder = shareEmbedder(createMiniLmEmbedder())
    let newestFirst = 0
    for (const history of histories) if (await isLastFirst(history, embedder)) newestFirst++
    let datesKept = 0
    for (const event of events) if (await areDatesShown(event, embedder)) datesKept++
    const data = { histories: histories.length, newestFirst, events: events.length, datesKept }
    return { report: textOf(partsOf(data)), data }
  },
  present: partsOf,
}

interface Kept {
  readonly histories: number
  readonly newestFirst: number
  readonly events: number
  readonly datesKept: number
}

function partsOf({ histories, newestFirst, events, datesKept }: Kept): readonly Part[] {
  const body = {
    head: ['said again', 'right', 'of'],
    rows: [
      ['histories whose last word is the first entry', String(newestFirst), String(histories)],
      ['events of which each date is shown', String(datesKept), String(events)],
    ],
  }
  return [{ name: 'texts', body }]
}

async function isLastFirst({ question, notes }: History, embedder: Embedder): Promise<boolean> {
  const { memory } = await rememberByDate(notes, { embedder })
  const { blocks } = await memory.recall({ query: question, reinforce: false })
  await memory.close()
  return blocks[0]?.content === notes.at(-1)?.text
}

/** True if each date of an event is in the answer to its question, be it in the text or in the blocks. */
async function areDatesShown({ question, text, dates }: Event, embedder: Embedder): Promise<boolean> {
  const notes = dates.map((at) => ({ id: at, at, text }))
  const { memory } = await rememberByDate(notes, { embedder, given: ({ at }) => ({ at }) })
  const { text: shown, blocks } = await memory.recall({ query: question, reinforce: false })
  await memory.close()
  const all = JSON.stringify([shown, blocks])
  return dates.every((date) => all.includes(date))
}
