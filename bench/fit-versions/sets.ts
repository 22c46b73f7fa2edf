import { readFileSync } from 'node:fs'
import { loadConversations } from '../locomo/loader.ts'

/** A note of a set, as it is remembered. */
export interface Note {
  readonly id: string
  /** ISO-8601. */
  readonly at: string
  readonly session: string
  readonly text: string
  readonly speaker?: string
  /** Notes of one store are remembered together; those without a name are one store, too. */
  readonly store?: string
  /** The chain, control or pair that it was written for. */
  readonly group: string
  /** True if it states what its chain is about; two such notes of one chain are versions of each other. */
  readonly isState: boolean
}

/** A question to a set, with the notes that decide whether an answer is right. */
export interface Question {
  /** `words` asks in the very words of one note. */
  readonly kind: 'chain' | 'control' | 'pair' | 'talk' | 'words'
  readonly text: string
  readonly group: string
  readonly store?: string
  /** Ids of the notes asked for: the newest of a chain, the right one of a control, one or both of a pair, the evidence of talk. */
  readonly asked: readonly string[]
  /** Ids of the notes that must not stand above: outdated ones, the other of a control or a pair. */
  readonly others: readonly string[]
}

/** Notes and the questions to them. */
export interface NoteSet {
  readonly name: string
  readonly notes: readonly Note[]
  readonly questions: readonly Question[]
}

type RawNote = Pick<Note, 'id' | 'at' | 'session' | 'text'>

interface RawChain {
  readonly id: string
  readonly question: string
  readonly current: string
  readonly outdated: readonly string[]
  readonly notes: readonly RawNote[]
  readonly derived?: readonly RawNote[]
}

interface RawControl {
  readonly id: string
  readonly question: string
  readonly right: string
  readonly other: string
  readonly notes: readonly RawNote[]
}

interface RawPair {
  readonly id?: string
  readonly a: string | Pick<RawNote, 'at' | 'text'>
  readonly b: string | Pick<RawNote, 'at' | 'text'>
  readonly questionA?: string | null
  readonly questionB?: string | null
  readonly questionBoth?: string | null
}

interface RawTalk {
  readonly id: string
  readonly sessions: readonly {
    readonly id: string
    readonly at: string
    readonly turns: readonly { readonly id: string; readonly speaker: string; readonly text: string }[]
  }[]
  readonly questions: readonly { readonly question: string; readonly evidence: readonly string[] }[]
}

interface RawStore {
  readonly name: string
  readonly notes: readonly (RawNote & { readonly chain: string })[]
  readonly questions: readonly {
    readonly id: string
    readonly q: string
    readonly kind: 'both' | 'chain'
    readonly a: string
    readonly b: string
    readonly ask: 'a' | 'b' | 'both'
    readonly current: string
    readonly outdated: readonly string[]
  }[]
}

/** Reads a file of chains, of pairs, of talk, of stores with both, or of conversations in LoCoMo's format, told by its fields. */
export function readSets(path: string): NoteSet[] {
  const name = path.replace(/^.*\//, '').replace(/\.json$/, '')
  const raw = JSON.parse(readFileSync(path, 'utf8'))
  if (Array.isArray(raw)) return locomoSets(path)
  if (raw.stores) return (raw.stores as RawStore[]).flatMap((each) => pooledAndApart(storeSet(each)))
  if (raw.conversations) return (raw.conversations as RawTalk[]).map((each) => talkSet(name, each))
  const chains = chainSet(name, raw.chains ?? [], raw.controls ?? [])
  if (!raw.pairs) return [chains]
  const [pooled, ...each] = pooledAndApart(pairSet(name, raw.pairs)) as [NoteSet, ...NoteSet[]]
  return [
    {
      name,
      notes: [...pooled.notes, ...chains.notes],
      questions: [...pooled.questions, ...chains.questions],
    },
    ...each,
  ]
}

function chainSet(name: string, chains: readonly RawChain[], controls: readonly RawControl[]): NoteSet {
  return {
    name,
    notes: [
      ...chains.flatMap(({ id, notes, derived = [] }) => [
        ...notes.map((note) => ({ ...note, group: id, isState: true })),
        ...derived.map((note) => ({ ...note, group: id, isState: false })),
      ]),
      ...controls.flatMap(({ id, notes }) => notes.map((note) => ({ ...note, group: id, isState: false }))),
    ],
    questions: [
      ...chains.map(({ id, question, current, outdated }) => ({
        ...{ kind: 'chain' as const, text: question, group: id },
        ...{ asked: [current], others: outdated },
      })),
      ...controls.map(({ id, question, right, other }) => ({
        ...{ kind: 'control' as const, text: question, group: id },
        ...{ asked: [right], others: [other] },
      })),
    ],
  }
}

/** Pairs without dates are an hour apart, and ask in the very words of a note. */
function pairSet(name: string, pairs: readonly RawPair[]): NoteSet {
  const start = Date.UTC(2026, 0, 1)
  const notes: Note[] = []
  const questions: Question[] = []
  pairs.forEach((pair, i) => {
    const group = pair.id ?? `p${i}`
    const [a, b] = [`${group}a`, `${group}b`]
    const texts = [pair.a, pair.b].map((raw, k) => {
      const at = new Date(start + (2 * i + k) * 3_600_000).toISOString()
      return typeof raw === 'string' ? { at, text: raw, asks: raw } : { ...raw, asks: undefined }
    })
    texts.forEach(({ at, text }, k) => {
      const id = k === 0 ? a : b
      notes.push({ id, at, text, session: id, group, isState: false })
    })
    const ask = (text: string | null | undefined, asked: string[], others: string[]) => {
      if (text) questions.push({ kind: 'pair', text, group, asked, others })
    }
    ask(pair.questionA ?? texts[0]?.asks, [a], [b])
    ask(pair.questionB ?? texts[1]?.asks, [b], [a])
    ask(pair.questionBoth, [a, b], [])
  })
  return { name, notes, questions }
}

function talkSet(name: string, { id, sessions, questions }: RawTalk): NoteSet {
  const notes = sessions.flatMap((session) =>
    session.turns.map(({ id: turn, speaker, text }, i) => ({
      ...{ id: turn, text, speaker, session: session.id, group: turn, isState: false },
      at: new Date(Date.parse(session.at) + i * 60_000).toISOString(),
    })),
  )
  return {
    name: `${name}/${id}`,
    notes,
    questions: questions.map(({ question, evidence }) => ({
      ...{ kind: 'talk' as const, text: question, group: evidence.join(' '), asked: evidence, others: [] },
    })),
  }
}

function locomoSets(path: string): NoteSet[] {
  return loadConversations(path).map(({ id, turns, questions }) => ({
    name: id,
    notes: turns.map((turn) => ({
      ...{ id: turn.id, at: turn.at ?? '2023-01-01T00:00:00Z', session: turn.session, text: turn.content },
      ...{ speaker: turn.speaker, group: turn.id, isState: false },
    })),
    questions: questions.map(({ text, evidence }) => ({
      ...{ kind: 'talk' as const, text, group: '', asked: [...evidence], others: [] },
    })),
  }))
}

function storeSet({ name, notes, questions }: RawStore): NoteSet {
  const isChain = questions.some(({ kind }) => kind === 'chain')
  return {
    name,
    notes: notes.map(({ chain, ...note }) => ({ ...note, group: chain, isState: isChain })),
    questions: questions.map(({ id, q, kind, a, b, ask, current, outdated }) => {
      const question = { text: q, group: id }
      if (kind === 'chain') return { ...question, kind, asked: [current], others: outdated }
      if (ask === 'both') return { ...question, kind: 'pair' as const, asked: [a, b], others: [] }
      const [asked, other] = ask === 'a' ? [a, b] : [b, a]
      return { ...question, kind: 'pair' as const, asked: [asked], others: [other] }
    }),
  }
}

/** Returns a set of pairs as one store, and again with a store for each question, where nothing else competes. */
function pooledAndApart(set: NoteSet): NoteSet[] {
  if (set.questions.some(({ kind }) => kind !== 'pair')) return [set]
  const byId = new Map(set.notes.map((note) => [note.id, note]))
  const notes: Note[] = []
  const questions = set.questions.map((question, i): Question => {
    const own = (id: string) => `${id}@${i}`
    const at = { store: `${i}`, group: `${question.group}@${i}` }
    const ids = [...question.asked, ...question.others]
    notes.push(...ids.map((id) => ({ ...(byId.get(id) as Note), ...at, id: own(id) })))
    return { ...question, ...at, asked: question.asked.map(own), others: question.others.map(own) }
  })
  return [set, { name: `${set.name}, each`, notes, questions }]
}

/** Adds a question in the very words of each note that is outdated, or of a pair or a control. */
export function withWords(set: NoteSet): NoteSet {
  const wanted = set.questions.flatMap(({ kind, asked, others }) => {
    if (kind === 'talk') return []
    return kind === 'chain' ? others : [...asked, ...others]
  })
  const words = set.notes
    .filter(({ id }) => wanted.includes(id))
    .map(({ id, text, group }): Question => {
      const others = set.notes.filter((note) => note.group === group && note.id !== id)
      return { kind: 'words', text, group, asked: [id], others: others.map((note) => note.id) }
    })
  return { ...set, questions: [...set.questions, ...words] }
}
