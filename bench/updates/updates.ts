import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import type { Bench } from '../lib/bench.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { percent, table } from '../lib/table.ts'
import { notesInOrder, readUpdates, type Updates } from './chains.ts'

/** What one memory answered to the questions of all chains and controls. */
interface Answers {
  /** By kind of chain: whether the newest stood above all that is outdated. */
  readonly newestFirst: ReadonlyMap<string, readonly boolean[]>
  /** Chains whose newest note was among the first five entries. */
  readonly newestInFive: number
  /** Chains of which an outdated note is shown with its date, under the newest. */
  readonly pastShown: number
  readonly controlsRight: number
  /** Chains above whose newest note one of something else stood. */
  readonly behindOther: number
  /** Pairs a host was asked about. */
  readonly pairs: Proposed
  /** Notes marked as resting on what is outdated: those of the file that do, and others. */
  readonly resting: Proposed
  /** Pairs that `remember` and the dreams named as one that may replace the other. */
  readonly hints: Readonly<Record<'remember' | 'dream', Proposed>>
}

export const updates: Bench = {
  name: 'updates',
  summary:
    'facts that change: whether the newest comes first, untold, told or judged (--data FILE with chains)',
  flags: {
    data: { type: 'string', place: 'FILE', description: 'JSON with chains of notes and controls' },
  },
  run: async (flags, log) => {
    if (typeof flags.data !== 'string') return { report: 'skipped: no --data FILE', data: [] }
    const set = readUpdates(flags.data)
    const embedder = shareEmbedder(createMiniLmEmbedder())
    const rows: Row[] = []
    for (const how of HOWS) {
      rows.push({ how, ...(await answersOf(set, embedder, how)) })
      log(`${how} done`)
    }
    return { report: reportOf(set, rows), data: rows.map(dataOf) }
  },
}

/**
 * Nobody says what changed; each newer note says what it supersedes; besides, each note that rests on another says so; a host answers for each pair that a dream proposes.
 */
const HOWS = ['untold', 'told', 'derived', 'judged'] as const
type How = (typeof HOWS)[number]

interface Row extends Answers {
  readonly how: How
}

/** Remembers all notes in order of date in one memory that dreams each day, and asks every question at the end. */
async function answersOf(set: Updates, embedder: Embedder, how: How): Promise<Answers> {
  let now = 0
  const memory = await openMemory(':memory:', { config: {}, embedder, clock: { now: () => now } })
  const ids = new Map<string, string>()
  const pairs: Proposed = { right: 0, wrong: 0 }
  const hints = { remember: { right: 0, wrong: 0 }, dream: { right: 0, wrong: 0 } }
  const countHint = (way: keyof typeof hints, newer: string, older: string) =>
    hints[way][isOfOneChain(chainOf(set, ids), newer, older) ? 'right' : 'wrong']++
  const dream = async () => {
    const { mayReplace } = await memory.dream()
    for (const { id, older } of mayReplace) countHint('dream', id, older)
    if (how === 'judged') await judgePairs(memory, chainOf(set, ids), pairs)
  }
  try {
    let day = ''
    for (const { id, at, session, text, replaces = '', restsOn = '' } of notesInOrder(set)) {
      if (day !== '' && at.slice(0, 10) !== day) await dream()
      day = at.slice(0, 10)
      now = Date.parse(at)
      const isTold = how === 'told' || how === 'derived'
      const supersedes = isTold ? ids.get(replaces) : undefined
      const ground = how === 'derived' ? ids.get(restsOn) : undefined
      const given = {
        ...{ content: text, session },
        ...(supersedes && { supersedes }),
        ...(ground && { derivedFrom: [ground] }),
      }
      const { blockId, mayReplace = [] } = await memory.remember(given)
      ids.set(id, blockId)
      for (const older of mayReplace) countHint('remember', blockId, older.id)
    }
    await dream()
    const idOf = (note: string) => ids.get(note) ?? ''
    return { ...(await askAll(memory, set, idOf)), resting: await restingIn(memory, set, idOf), pairs, hints }
  } finally {
    await memory.close()
  }
}

/** Which notes are marked as resting on what is outdated. */
async function restingIn(
  memory: Memory,
  { chains }: Updates,
  idOf: (note: string) => string,
): Promise<Proposed> {
  const { outdated = [] } = await memory.inbox({ outdated: 500 })
  const derived = new Set(chains.flatMap((chain) => chain.derived.map(({ id }) => idOf(id))))
  const right = outdated.filter(({ id }) => derived.has(id)).length
  return { right, wrong: outdated.length - right }
}

/** Pairs that a host was asked about. */
interface Proposed {
  /** Of one chain. */
  right: number
  wrong: number
}

/** The chain of each block that is one of its notes. */
function chainOf({ chains }: Updates, ids: ReadonlyMap<string, string>) {
  const byNote = new Map(chains.flatMap((chain) => chain.notes.map(({ id }) => [id, chain] as const)))
  return new Map([...ids].map(([note, block]) => [block, byNote.get(note)]))
}

function isOfOneChain(chains: ReturnType<typeof chainOf>, one: string, other: string): boolean {
  const chain = chains.get(one)
  return chain !== undefined && chain === chains.get(other)
}

/** Says of every pair that waits whether the newer takes the place of the older, as the file has it. */
async function judgePairs(
  memory: Memory,
  chains: ReturnType<typeof chainOf>,
  counted: Proposed,
): Promise<void> {
  const { pairs = [] } = await memory.inbox({ pairs: 50 })
  if (pairs.length === 0) return
  const edgeLabels = pairs.map(({ older, newer }) => {
    const isRight = isOfOneChain(chains, newer.id, older.id)
    counted[isRight ? 'right' : 'wrong']++
    const relation = isRight ? ('supersedes' as const) : ('unrelated' as const)
    return { a: older.id, b: newer.id, relation, confidence: isRight ? 0.9 : 0.6 }
  })
  await memory.dream({ edgeLabels })
}

const FIRST = 5

/** The place of the wanted note among the entries, from 0, whether it stands above the unwanted, and whether another stands above it. */
async function placeOf(
  memory: Memory,
  question: string,
  {
    wanted,
    unwanted,
    related = new Set(),
  }: {
    readonly wanted: string
    readonly unwanted: ReadonlySet<string>
    readonly related?: ReadonlySet<string>
  },
) {
  const { blocks } = await memory.recall({ query: question, reinforce: false })
  const place = blocks.findIndex(({ id }) => id === wanted)
  const isFirst = place >= 0 && !blocks.slice(0, place).some(({ id }) => unwanted.has(id))
  const above = place < 0 ? blocks.slice(0, 1) : blocks.slice(0, place)
  const isBehindOther = above.some(({ id }) => !unwanted.has(id) && !related.has(id))
  return { place, isFirst, isBehindOther, versions: blocks[place]?.versions ?? [] }
}

async function askAll(
  memory: Memory,
  set: Updates,
  idOf: (note: string) => string,
): Promise<Omit<Answers, 'pairs' | 'hints' | 'resting'>> {
  const newestFirst = new Map<string, boolean[]>()
  let [newestInFive, pastShown, controlsRight, behindOther] = [0, 0, 0, 0]
  for (const { kind, question, current, outdated, notes, derived } of set.chains) {
    const unwanted = new Set(outdated.map(idOf))
    const related = new Set([...notes, ...derived].map(({ id }) => idOf(id)))
    const found = await placeOf(memory, question, { wanted: idOf(current), unwanted, related })
    if (found.isBehindOther) behindOther++
    newestFirst.set(kind, [...(newestFirst.get(kind) ?? []), found.isFirst])
    if (found.place >= 0 && found.place < FIRST) newestInFive++
    if (found.versions.some(({ id }) => unwanted.has(id))) pastShown++
  }
  for (const { question, right, other } of set.controls) {
    const asked = { wanted: idOf(right), unwanted: new Set([idOf(other)]) }
    if ((await placeOf(memory, question, asked)).isFirst) controlsRight++
  }
  return { newestFirst, newestInFive, pastShown, controlsRight, behindOther }
}

function dataOf({ newestFirst, ...counts }: Row) {
  return { newestFirst: shareOf([...newestFirst.values()].flat()), ...counts }
}

function shareOf(all: readonly boolean[]): number {
  return all.filter(Boolean).length / Math.max(1, all.length)
}

function reportOf({ chains, controls }: Updates, rows: readonly Row[]): string {
  const kinds = [...(rows[0]?.newestFirst.keys() ?? [])]
  const line = (name: string, cell: (row: Row) => string) => [name, ...rows.map(cell)]
  const derived = chains.reduce((sum, chain) => sum + chain.derived.length, 0)
  const ofChains = (number: number) => percent(number / chains.length)
  return table(
    ['newest first', ...rows.map(({ how }) => how)],
    [
      ...kinds.map((kind) => line(kind, ({ newestFirst }) => percent(shareOf(newestFirst.get(kind) ?? [])))),
      line('all', ({ newestFirst }) => percent(shareOf([...newestFirst.values()].flat()))),
      line(`newest among the first ${FIRST}`, ({ newestInFive }) => ofChains(newestInFive)),
      line('an outdated one shown under it', ({ pastShown }) => ofChains(pastShown)),
      line('a note of another chain above the newest', ({ behindOther }) => ofChains(behindOther)),
      line('controls right', ({ controlsRight }) => `${controlsRight} of ${controls.length}`),
      line('resting on what is outdated, marked', ({ resting }) => percent(resting.right / derived)),
      line('others marked so', ({ resting }) => String(resting.wrong)),
      line('pairs proposed, of one chain', ({ pairs }) => String(pairs.right)),
      line('pairs proposed, of others', ({ pairs }) => String(pairs.wrong)),
      ...(['remember', 'dream'] as const).flatMap((way) => [
        line(`named by ${way}, of one chain`, ({ hints }) => String(hints[way].right)),
        line(`named by ${way}, of others`, ({ hints }) => String(hints[way].wrong)),
      ]),
    ],
  )
}
