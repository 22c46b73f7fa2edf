import type { Embedder } from '../../src/engine/ports.ts'
import { type Bench, fileFlag, listOf } from '../lib/bench.ts'
import { sharedMiniLm } from '../lib/embedders.ts'
import { type Part, percent } from '../lib/table.ts'
import { type ByDate, rememberByDate } from './by-date.ts'
import { answerOf, type Counts, changeCounts, total } from './counts.ts'
import { readUpdates, type Store } from './sets.ts'

/** `untold`: nobody says what changed. `told`: each newer note says which one it supersedes. */
const HOWS = ['untold', 'told'] as const
const WAYS = ['remember', 'dream'] as const

interface Row {
  readonly set: string
  readonly how: (typeof HOWS)[number]
  readonly counts: Counts
}

export const updates: Bench = {
  name: 'updates',
  summary: 'facts that change: whether the newest comes first, untold or told (--data FILE,FILE with chains)',
  flags: { data: fileFlag('Comma-separated JSON files with chains of notes') },
  run: async (flags, log) => {
    const sets = listOf(flags, 'data').map(readUpdates)
    const embedder = sharedMiniLm()
    const rows: Row[] = []
    for (const how of HOWS) {
      const measured: Row[] = []
      for (const set of sets) {
        measured.push({ set: set.name, how, counts: await countsOf(set, how, embedder) })
        log(`${set.name} ${how} done`)
      }
      const counts = total(measured.map((each) => each.counts))
      rows.push(...measured, ...(sets.length > 1 ? [{ set: 'all', how, counts }] : []))
    }
    return rows
  },
  present: partsOf,
}

/** Returns for each later note of a chain the note that it supersedes. */
export function supersededIn(notes: Store['notes']): ReadonlyMap<string, string> {
  const chains = Map.groupBy(
    notes.filter(({ chain }) => chain !== undefined),
    ({ chain }) => chain,
  )
  return new Map(
    [...chains.values()].flatMap((chain) =>
      chain.slice(1).map(({ id }, i) => [id, chain[i]?.id ?? ''] as const),
    ),
  )
}

/** Remembers all notes of a set in one memory and asks every question at the end. */
async function countsOf(set: Store, how: Row['how'], embedder: Embedder): Promise<Counts> {
  const superseded = supersededIn(set.notes)
  const filled = await rememberByDate(set.notes, {
    embedder,
    given: ({ id }, idOf) => {
      const older = superseded.get(id)
      return how === 'untold' || older === undefined ? {} : { supersedes: idOf(older) }
    },
  })
  const { memory, idOf } = filled
  const counts = [{ versions: superseded.size }, ...WAYS.map((way) => namedCounts(filled, way, set))]
  for (const { kind, text, asked, others } of set.questions) {
    const { entries, under } = answerOf(await memory.recall({ query: text, reinforce: false }))
    const current = asked[0] ?? ''
    const shown = changeCounts({ entries, under }, idOf(current), others.map(idOf))
    if (kind === 'control') counts.push({ controls: 1, controlsRight: shown['newest first'] ?? 0 })
    else {
      const own = set.notes.filter(({ chain, restsOn }) => (chain ?? restsOn) === current)
      const related = own.map(({ id }) => idOf(id))
      const above = entries.slice(0, Math.max(1, entries.indexOf(idOf(current))))
      counts.push({ ...shown, behindOther: Number(above.some((id) => !related.includes(id))) })
    }
  }
  await memory.close()
  return total(counts)
}

/** Counts the pairs that `mayReplace` names, by whether they are of one chain, and newer notes named rightly. */
function namedCounts({ named, idOf }: ByDate, way: (typeof WAYS)[number], { notes }: Store): Counts {
  const chainOf = new Map(notes.map(({ id, chain }) => [idOf(id), chain]))
  const pairs = [...new Map(named[way].map((pair) => [`${pair.newer} ${pair.older}`, pair])).values()]
  const right = pairs.filter(({ newer, older }) => {
    const chain = chainOf.get(newer)
    return chain !== undefined && chain === chainOf.get(older)
  })
  return {
    [`${way} right`]: right.length,
    [`${way} wrong`]: pairs.length - right.length,
    [`${way} found`]: new Set(right.map(({ newer }) => newer)).size,
  }
}

function shareOf(part = 0, whole = 0): string {
  return whole === 0 ? '–' : percent(part / whole)
}

function partsOf(rows: readonly Row[]): readonly Part[] {
  const sets = rows.map(({ set, how, counts }) => [
    ...[set, how, String(counts.changes)],
    ...[shareOf(counts['newest first'], counts.changes), shareOf(counts['newest present'], counts.changes)],
    ...[counts['stale alone'], counts.behindOther, counts.controlsRight ?? 0, counts.controls ?? 0].map(
      String,
    ),
  ])
  const named = rows
    .filter(({ how }) => how === 'untold')
    .map(({ set, counts }) => [
      ...[set, String(counts.versions)],
      ...WAYS.flatMap((way) => {
        const [right = 0, wrong = 0] = [counts[`${way} right`], counts[`${way} wrong`]]
        return [shareOf(counts[`${way} found`], counts.versions), shareOf(right, right + wrong)]
      }),
    ])
  return [
    {
      name: 'sets',
      body: {
        head: [
          ...['set', 'how', 'chains', 'newest first, %', 'newest present, %', 'stale alone'],
          ...['other chain above', 'controls right', 'of'],
        ],
        rows: sets,
        textColumns: 2,
      },
    },
    {
      name: 'may-replace',
      body: {
        head: [
          ...['mayReplace', 'newer notes', 'remember: recall, %', 'precision, %'],
          ...['dream: recall, %', 'precision, %'],
        ],
        rows: named,
      },
    },
  ]
}
