import { basename } from 'node:path'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import { answerOf, changeCounts, namedCounts } from '../lib/answer.ts'
import { type Bench, listOf } from '../lib/bench.ts'
import { type ByDate, rememberByDate } from '../lib/by-date.ts'
import { add, type Counts, total } from '../lib/counts.ts'
import { type Part, textOf } from '../lib/part.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { percent } from '../lib/table.ts'
import { readUpdates, type Updates } from './chains.ts'

/** Nobody says what changed; each newer note says which one it supersedes. */
const HOWS = ['untold', 'told'] as const

interface Row {
  readonly set: string
  readonly how: (typeof HOWS)[number]
  readonly counts: Counts
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
      rows.push(...measured)
      if (files.length > 1)
        rows.push({ set: 'all', how, counts: total(measured.map(({ counts }) => counts)) })
    }
    return { report: textOf(partsOf(rows)), data: rows }
  },
  present: partsOf,
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
    const counts = total([await askChains(filled, set), await askControls(filled, set), namedIn(filled, set)])
    return { set: name, how, counts: { ...counts, versions: replaced.size } }
  } finally {
    await filled.memory.close()
  }
}

async function askChains({ memory, idOf }: ByDate, { chains }: Updates): Promise<Counts> {
  const counts: Counts = {}
  for (const { kind, question, current, outdated, notes, derived } of chains) {
    const answer = answerOf(await memory.recall({ query: question, reinforce: false }))
    const shown = changeCounts(answer, idOf(current), outdated.map(idOf))
    const related = [...notes, ...derived].map(({ id }) => idOf(id))
    const above = answer.entries.slice(0, Math.max(1, answer.entries.indexOf(idOf(current))))
    const behindOther = Number(above.some((id) => !related.includes(id)))
    add(counts, { ...shown, behindOther, [kind]: 1, [`${kind} first`]: shown['newest first'] ?? 0 })
  }
  return counts
}

async function askControls({ memory, idOf }: ByDate, { controls }: Updates): Promise<Counts> {
  let right = 0
  for (const control of controls) {
    const answer = answerOf(await memory.recall({ query: control.question, reinforce: false }))
    right += changeCounts(answer, idOf(control.right), [idOf(control.other)])['newest first'] ?? 0
  }
  return { controls: controls.length, controlsRight: right }
}

const WAYS = ['remember', 'dream'] as const

/** Counts pairs that `remember` and the dreams named in `mayReplace`. */
function namedIn({ named, idOf }: ByDate, { chains }: Updates): Counts {
  const chainOf = new Map(chains.flatMap(({ notes }, i) => notes.map(({ id }) => [idOf(id), String(i)])))
  const counts = WAYS.flatMap((way) =>
    Object.entries(namedCounts(named[way], (block) => chainOf.get(block))).map(
      ([what, count]) => [`${way} ${what}`, count] as const,
    ),
  )
  return Object.fromEntries(counts)
}

function shareOf(part = 0, whole = 0): string {
  return whole === 0 ? '–' : percent(part / whole)
}

function partsOf(rows: readonly Row[]): readonly Part[] {
  return [
    { name: 'sets', body: setsTable(rows) },
    { name: 'may-replace', body: namedTable(rows) },
    { name: 'kinds', body: kindsTable(rows) },
  ]
}

function setsTable(rows: readonly Row[]): Part['body'] {
  return {
    head: [
      ...['set', 'how', 'chains', 'newest first, %', 'newest present, %', 'stale alone'],
      ...['other chain above', 'controls right', 'of'],
    ],
    rows: rows.map(({ set, how, counts }) => [
      ...[set, how, String(counts.changes)],
      ...[shareOf(counts['newest first'], counts.changes), shareOf(counts['newest present'], counts.changes)],
      ...[counts['stale alone'], counts.behindOther, counts.controlsRight, counts.controls].map(String),
    ]),
    textColumns: 2,
  }
}

function namedTable(rows: readonly Row[]): Part['body'] {
  return {
    head: ['mayReplace', 'newer notes', ...WAYS.flatMap((way) => [`${way}: recall, %`, 'precision, %'])],
    rows: rows
      .filter(({ how }) => how === 'untold')
      .map(({ set, counts }) => [
        ...[set, String(counts.versions)],
        ...WAYS.flatMap((way) => {
          const [right = 0, wrong = 0] = [counts[`${way} right`], counts[`${way} wrong`]]
          return [shareOf(counts[`${way} found`], counts.versions), shareOf(right, right + wrong)]
        }),
      ]),
  }
}

/** Returns the share of chains whose newest note comes first, by kind, of all sets. */
function kindsTable(rows: readonly Row[]): Part['body'] {
  const columns = HOWS.map((how) => rows.filter((row) => row.how === how).at(-1)?.counts ?? {})
  const kinds = Object.keys(columns[0] ?? {}).filter((name) => columns[0]?.[`${name} first`] !== undefined)
  return {
    head: ['newest first, %, by kind', 'chains', ...HOWS],
    rows: kinds.map((kind) => [
      ...[kind, String(columns[0]?.[kind])],
      ...columns.map((counts) => shareOf(counts[`${kind} first`], counts[kind])),
    ]),
  }
}
