import type { Bench } from '../lib/bench.ts'
import { sharedMiniLm } from '../lib/embedders.ts'
import { readData } from '../lib/files.ts'
import { type DatedNote, rememberByDate } from './by-date.ts'

/** Histories whose last note repeats an earlier one, and events that are noted in the same words on several days. */
interface SaidAgain {
  readonly histories: readonly { readonly question: string; readonly notes: readonly DatedNote[] }[]
  readonly events: readonly {
    readonly question: string
    readonly text: string
    /** Days of the event, as ISO dates. */
    readonly dates: readonly string[]
  }[]
}

/** Says for each history if its last note is the first entry, and for each event if all its dates are in the answer. */
type Again = Readonly<Record<'histories' | 'events', readonly boolean[]>>

export const again: Bench = {
  name: 'again',
  summary: 'texts said again: whether the last word comes first, and whether each date of an event is kept',
  flags: {},
  run: async (): Promise<Again> => {
    const said = readData<SaidAgain>('said-again.json')
    const embedder = sharedMiniLm()
    const answer = async (query: string, notes: readonly DatedNote[], isDated: boolean) => {
      const given = ({ at }: DatedNote) => (isDated ? { at } : {})
      const { memory } = await rememberByDate(notes, { embedder, given })
      const { text, blocks } = await memory.recall({ query, reinforce: false })
      await memory.close()
      return { text, blocks }
    }
    const [histories, events]: [boolean[], boolean[]] = [[], []]
    for (const { question, notes } of said.histories) {
      const { blocks } = await answer(question, notes, false)
      histories.push(blocks[0]?.content === notes.at(-1)?.text)
    }
    for (const { question, text, dates } of said.events) {
      const notes = dates.map((at) => ({ id: at, at, text }))
      const shown = JSON.stringify(await answer(question, notes, true))
      events.push(dates.every((date) => shown.includes(date)))
    }
    return { histories, events }
  },
  present: ({ histories, events }: Again) => {
    const cells = (all: readonly boolean[]) => [all.filter(Boolean).length, all.length].map(String)
    const rows = [
      ['histories whose last word is the first entry', ...cells(histories)],
      ['events of which each date is shown', ...cells(events)],
    ]
    return [{ name: 'texts', body: { head: ['said again', 'right', 'of'], rows } }]
  },
}
