import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { loadConversations } from '../locomo/loader.ts'
import { eachPair, readPairs, readUpdates, type Store } from '../versions/sets.ts'

export interface NoteSet {
  readonly name: string
  readonly stores: readonly Store[]
}

/** Reads a file of chains and controls, of pairs, of stores, of talk, or of conversations in LoCoMo's format, told by its fields. */
export function readSets(path: string): NoteSet[] {
  const name = basename(path, '.json')
  const raw = JSON.parse(readFileSync(path, 'utf8'))
  if (Array.isArray(raw)) return [{ name, stores: locomoStores(path) }]
  if (raw.conversations !== undefined) return [{ name, stores: (raw.conversations as Talk[]).map(talkStore) }]
  const chains = raw.chains === undefined ? [] : [readUpdates(path)]
  if (raw.pairs === undefined && raw.stores === undefined)
    return [
      { name, stores: chains },
      { name: `${name}, each`, stores: chains.flatMap(eachChain) },
    ]
  return readPairs(path).flatMap((store) => {
    const pooled = [store, ...chains]
    const all = {
      name: store.name,
      notes: pooled.flatMap(({ notes }) => notes),
      questions: pooled.flatMap(({ questions }) => questions),
    }
    const each = eachPair(store)
    return [
      { name: store.name, stores: [all] },
      ...(each.length > 0 ? [{ name: `${store.name}, each`, stores: each }] : []),
    ]
  })
}

/** Number of further chains in every second small store. */
const BESIDE = 2

/** Returns a small store for each question, with its notes alone or those of a few more chains, since a memory may have few notes. */
function eachChain({ name, notes, questions }: Store): Store[] {
  return questions.map((question, at) => {
    const beside = at % 2 === 0 ? [] : questions.slice(at + 1, at + 1 + BESIDE)
    const ids = new Set([question, ...beside].flatMap(({ asked, others }) => [...asked, ...others]))
    return { name, notes: notes.filter(({ id }) => ids.has(id)), questions: [question] }
  })
}

interface Talk {
  readonly sessions: readonly {
    readonly id: string
    readonly at: string
    readonly turns: readonly { readonly id: string; readonly speaker: string; readonly text: string }[]
  }[]
  readonly questions: readonly { readonly question: string; readonly evidence: readonly string[] }[]
}

/** Returns turns without their speakers, as an agent may note them. */
function talkStore({ sessions, questions }: Talk): Store {
  return {
    name: 'talk',
    notes: sessions.flatMap(({ id: session, at, turns }) =>
      turns.map(({ id, text }, i) => ({ id, text, session, at: laterBy(at, i) })),
    ),
    questions: questions.map(({ question, evidence }) => ({
      ...{ kind: 'talk', text: question, asked: evidence, others: [] },
    })),
  }
}

function locomoStores(path: string): Store[] {
  return loadConversations(path).map(({ id: name, turns, questions }) => ({
    name,
    notes: turns.map(({ id, at = '2023-01-01', session, content, speaker }, i) => ({
      ...{ id, session, text: content, speaker, at: laterBy(at, i) },
    })),
    questions: questions.map(({ text, evidence }) => ({
      ...{ kind: 'talk', text, asked: [...evidence], others: [] },
    })),
  }))
}

/** Returns a time some minutes after another. */
function laterBy(at: string, minutes: number): string {
  return new Date(Date.parse(at) + minutes * 60_000).toISOString()
}
