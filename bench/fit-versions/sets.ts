import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { type Store as BenchStore, eachPair, readStores } from '../coexist/stores.ts'
import type { DatedNote } from '../lib/by-date.ts'
import { loadConversations } from '../locomo/loader.ts'
import { readUpdates } from '../updates/chains.ts'

export interface Note extends DatedNote {
  readonly speaker?: string
  /** The chain whose state it tells; two notes of one chain are versions of each other. */
  readonly chain?: string
}

export interface Question {
  readonly kind: 'chain' | 'control' | 'pair' | 'talk'
  readonly text: string
  /** Ids of the notes asked for: the newest of a chain, the right one of a control, one or both of a pair, the evidence of talk. */
  readonly asked: readonly string[]
  /** Ids of the outdated notes of a chain, or of the other note of a control or a pair. */
  readonly others: readonly string[]
}

/** Notes that are remembered together, and the questions about them. */
export interface Store {
  readonly notes: readonly Note[]
  readonly questions: readonly Question[]
}

export interface NoteSet {
  readonly name: string
  readonly stores: readonly Store[]
}

/** Reads a file of chains and controls, of pairs, of stores, of talk, or of conversations in LoCoMo's format, told by its fields. */
export function readSets(path: string): NoteSet[] {
  const name = basename(path, '.json')
  const raw = JSON.parse(readFileSync(path, 'utf8'))
  if (Array.isArray(raw)) return locomoSets(path)
  if (raw.conversations !== undefined) return [{ name, stores: (raw.conversations as Talk[]).map(talkStore) }]
  const chains = raw.chains === undefined ? [] : [chainStore(path)]
  if (raw.pairs === undefined && raw.stores === undefined)
    return [
      { name, stores: chains },
      { name: `${name}, each`, stores: chains.flatMap(eachChain) },
    ]
  return readStores(path).flatMap((store) => {
    const pooled = [pairStore(store), ...chains]
    const each = eachPair(store).map(pairStore)
    const all = {
      notes: pooled.flatMap(({ notes }) => notes),
      questions: pooled.flatMap(({ questions }) => questions),
    }
    return [
      { name: store.name, stores: [all] },
      ...(each.length > 0 ? [{ name: `${store.name}, each`, stores: each }] : []),
    ]
  })
}

function chainStore(path: string): Store {
  const { chains, controls } = readUpdates(path)
  const chainOf = new Map(chains.flatMap(({ current, notes }) => notes.map(({ id }) => [id, current])))
  const notes = [
    ...chains.flatMap((chain) => [...chain.notes, ...chain.derived]),
    ...controls.flatMap((control) => control.notes),
  ]
  return {
    notes: notes.map((note) => withChain(note, chainOf)),
    questions: [
      ...chains.map(({ question, current, outdated }) => ({
        ...{ kind: 'chain' as const, text: question, asked: [current], others: outdated },
      })),
      ...controls.map(({ question, right, other }) => ({
        ...{ kind: 'control' as const, text: question, asked: [right], others: [other] },
      })),
    ],
  }
}

/** Number of further chains in every second small store. */
const BESIDE = 2

/** Returns a small store for each question, with its notes alone or those of a few more chains, since a memory may have few notes. */
function eachChain({ notes, questions }: Store): Store[] {
  return questions.map((question, at) => {
    const beside = at % 2 === 0 ? [] : questions.slice(at + 1, at + 1 + BESIDE)
    const ids = new Set([question, ...beside].flatMap(({ asked, others }) => [...asked, ...others]))
    return { notes: notes.filter(({ id }) => ids.has(id)), questions: [question] }
  })
}

function withChain({ id, at, session, text }: DatedNote, chainOf: ReadonlyMap<string, string>): Note {
  const chain = chainOf.get(id)
  return { id, at, text, ...(session !== undefined && { session }), ...(chain !== undefined && { chain }) }
}

function pairStore({ notes, questions }: BenchStore): Store {
  const chainOf = new Map(
    questions.flatMap((each) =>
      each.kind === 'chain' ? [each.current, ...each.outdated].map((id) => [id, each.current] as const) : [],
    ),
  )
  return {
    notes: notes.map((note) => withChain(note, chainOf)),
    questions: questions.map((each): Question => {
      if (each.kind === 'chain')
        return { kind: 'chain', text: each.q, asked: [each.current], others: each.outdated }
      const { q, a, b, ask } = each
      if (ask === 'both') return { kind: 'pair', text: q, asked: [a, b], others: [] }
      return { kind: 'pair', text: q, asked: [ask === 'a' ? a : b], others: [ask === 'a' ? b : a] }
    }),
  }
}

interface Talk {
  readonly sessions: readonly {
    readonly id: string
    readonly at: string
    readonly turns: readonly { readonly id: string; readonly speaker: string; readonly text: string }[]
  }[]
  readonly questions: readonly { readonly question: string; readonly evidence: readonly string[] }[]
}

/** Turns without their speakers, as an agent may note them. */
function talkStore({ sessions, questions }: Talk): Store {
  return {
    notes: sessions.flatMap(({ id: session, at, turns }) =>
      turns.map(({ id, text }, i) => ({ id, text, session, at: laterBy(at, i) })),
    ),
    questions: questions.map(({ question, evidence }) => ({
      ...{ kind: 'talk', text: question, asked: evidence, others: [] },
    })),
  }
}

/** Returns a time some minutes after another. */
function laterBy(at: string, minutes: number): string {
  return new Date(Date.parse(at) + minutes * 60_000).toISOString()
}

function locomoSets(path: string): NoteSet[] {
  const stores = loadConversations(path).map(
    ({ turns, questions }): Store => ({
      notes: turns.map(({ id, at = '2023-01-01', session, content, speaker }, i) => ({
        ...{ id, session, text: content, speaker, at: laterBy(at, i) },
      })),
      questions: questions.map(({ text, evidence }) => ({
        ...{ kind: 'talk', text, asked: [...evidence], others: [] },
      })),
    }),
  )
  return [{ name: basename(path, '.json'), stores }]
}
