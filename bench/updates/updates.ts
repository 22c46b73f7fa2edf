import { basename } from 'node:path'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import { answerOf, changeShown, namedRight } from '../lib/answer.ts'
import { type Bench, listOf } from '../lib/bench.ts'
import { type ByDate, rememberByDate } from '../lib/by-date.ts'
import { add, type Counts, total } from '../lib/counts.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { percent, table } from '../lib/table.ts'
import { readUpdates, type Updates } from './chains.ts'

/** Nobody says what changed; each newer note says which one it supersedes. */
const HOWS = ['untold', 'told'] as const

interface Row {
  readonly set: string
  readonly how: (typeof HOWS)[number]
  readonly counts: Counts
  /** Chains by their kind. */
  readonly kinds: Counts
  /** Chains by their kind of which the newest note comes first. */
  readonly kindsFirst: Counts
}

export const updates: Bench = {
  name: 'updates',
  summary: 'facts that change: whether the newest comes first, untold or told (--data FILE,FILE with chains)',
  flags: {
    data: { type: 'string', place: 'FILE', description: 'Comma-separated JSON files with chains of notes' },
  },
  run: async (flags, log) => {
    const files = listOf(flags, 'data')
    if (files.length === 0) return { report: 'skipped: no --data FILE', data: [] }
    const embedder = shareEmbedder(createMiniLmEmbedder())
    const rows: Row[] = []
    for (const how of HOWS) {
      const measured: Row[] = []
      for (const file of files) {
        measured.push(await measure(basename(file, '.json'), { set: readUpdates(file), how, embedder }))
        log(`${basename(file)} ${how} done`)
      }
      rows.push(...measured, ...(files.length > 1 ? [sumOf(how, measured)] : []))
    }
    return { report: [reportOf(rows), namedReport(rows), kindsReport(rows)].join('\n\n'), data: rows }
  },
}

interface Measuring {
  readonly set: Updates
  readonly how: Row['how']
  readonly embedder: Embedder
}

/** Remembers all notes of a set in one memory and asks every question at the end. */
async function measure(name: string, { set, how, embedder }: Measuring): Promise<Row> {
  const { chains, controls } = set
  const replaced = new Map(
    chains.flatMap(({ notes }) => notes.slice(1).map(({ id }, i) => [id, notes[i]?.id ?? ''] as const)),
  )
  const notes = [
    ...chains.flatMap((chain) => chain.notes),
    ...chains.flatMap((chain) => chain.derived),
    ...controls.flatMap((control) => control.notes),
  ]
  const filled = await rememberByDate(notes, {
    embedder,
    given: ({ id }, idOf) => {
      const supersedes = how === 'told' ? idOf(replaced.get(id) ?? '') : ''
      return supersedes === '' ? {} : { supersedes }
    },
  })
  try {
    const counts = { ...(await askControls(filled, set)), changes: replaced.size, ...namedIn(filled, set) }
    const asked = await askChains(filled, set)
    return { set: name, how, ...asked, counts: { ...asked.counts, ...counts } }
  } finally {
    await filled.memory.close()
  }
}

async function askChains({ memory, idOf }: ByDate, { chains }: Updates): Promise<Omit<Row, 'set' | 'how'>> {
  const [counts, kinds, kindsFirst]: [Counts, Counts, Counts] = [{}, {}, {}]
  for (const { kind, question, current, outdated, notes, derived } of chains) {
    const answer = answerOf(await memory.recall({ query: question, reinforce: false }))
    const newest = idOf(current)
    const shown = changeShown(answer, { current: newest, outdated: outdated.map(idOf) })
    const related = [...notes, ...derived].map(({ id }) => idOf(id))
    const above = answer.entries.slice(0, shown.isPresent ? answer.entries.indexOf(newest) : 1)
    add(counts, {
      chains: 1,
      first: Number(shown.isFirst),
      present: Number(shown.isPresent),
      staleAlone: Number(shown.isStaleAlone),
      behindOther: Number(above.some((id) => !related.includes(id))),
    })
    add(kinds, { [kind]: 1 })
    add(kindsFirst, { [kind]: Number(shown.isFirst) })
  }
  return { counts, kinds, kindsFirst }
}

async function askControls({ memory, idOf }: ByDate, { controls }: Updates): Promise<Counts> {
  let right = 0
  for (const control of controls) {
    const answer = answerOf(await memory.recall({ query: control.question, reinforce: false }))
    const wanted = { current: idOf(control.right), outdated: [idOf(control.other)] }
    if (changeShown(answer, wanted).isFirst) right++
  }
  return { controls: controls.length, controlsRight: right }
}

const WAYS = ['remember', 'dream', 'either'] as const

/** Counts pairs that `remember`, the dreams or either named in `mayReplace`. */
function namedIn({ named, idOf }: ByDate, { chains }: Updates): Counts {
  const chainOf = new Map(chains.flatMap(({ notes }, i) => notes.map(({ id }) => [idOf(id), String(i)])))
  const pairs = { ...named, either: [...named.remember, ...named.dream] }
  return Object.fromEntries(
    WAYS.flatMap((way) => {
      const { right, wrong, found } = namedRight(pairs[way], (block) => chainOf.get(block))
      return Object.entries({ right, wrong, found }).map(([what, count]) => [`${way} ${what}`, count])
    }),
  )
}

function sumOf(how: Row['how'], rows: readonly Row[]): Row {
  const of = (part: 'counts' | 'kinds' | 'kindsFirst') => total(rows.map((row) => row[part]))
  return { set: 'all', how, counts: of('counts'), kinds: of('kinds'), kindsFirst: of('kindsFirst') }
}

function shareOf(part = 0, whole = 0): string {
  return whole === 0 ? '–' : percent(part / whole)
}

function reportOf(rows: readonly Row[]): string {
  return table(
    [
      ...['set', 'told', 'chains', 'newest first, %', 'newest present, %', 'stale alone'],
      ...['other chain above', 'controls right', 'of'],
    ],
    rows.map(({ set, how, counts }) => [
      ...[set, how, String(counts.chains)],
      ...[shareOf(counts.first, counts.chains), shareOf(counts.present, counts.chains)],
      ...[counts.staleAlone, counts.behindOther, counts.controlsRight, counts.controls].map(String),
    ]),
    2,
  )
}

function namedReport(rows: readonly Row[]): string {
  return table(
    ['mayReplace', 'changes', ...WAYS.flatMap((way) => [`${way}: recall, %`, 'precision, %'])],
    rows
      .filter(({ how }) => how === 'untold')
      .map(({ set, counts }) => [
        ...[set, String(counts.changes)],
        ...WAYS.flatMap((way) => {
          const [right = 0, wrong = 0] = [counts[`${way} right`], counts[`${way} wrong`]]
          return [shareOf(counts[`${way} found`], counts.changes), shareOf(right, right + wrong)]
        }),
      ]),
  )
}

/** The share of chains whose newest note comes first, by kind, of all sets. */
function kindsReport(rows: readonly Row[]): string {
  const columns = HOWS.flatMap((how) => rows.filter((row) => row.how === how).slice(-1))
  return table(
    ['newest first, %, by kind', 'chains', ...columns.map(({ how }) => how)],
    Object.entries(columns[0]?.kinds ?? {}).map(([kind, chains]) => [
      ...[kind, String(chains)],
      ...columns.map(({ kindsFirst }) => shareOf(kindsFirst[kind], chains)),
    ]),
  )
}
