import { count, doubtLine, preview, shortName, shownLine } from '../block/text.ts'
import { markAt, momentWords } from '../block/validity.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { TOLD_KINDS } from '../graph/edge.ts'
import type { Filter } from '../index/blocks.ts'
import type { Subject } from '../index/resident-index.ts'
import { USERS } from '../language/question.ts'
import { readBlocks } from '../store/blocks.ts'
import { readLinks } from '../store/graph.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { Around, candidateOf, frameFilter, match, readIndex, scaleFor } from './match.ts'
import { PAIR_TEXT_MOST, textOf } from './pair-score.ts'
import { choose, rank, sized } from './rank.ts'
import {
  type Likeness,
  listed,
  type Note,
  OVERVIEW,
  type Overview,
  standingFor,
  withWords,
} from './themes.ts'
import { groupTold, newerFirst } from './versions.ts'

/** A request says whom or what an overview is about, when that was said, and how long the text may be. */
export interface OverviewRequest {
  /** A name, or a topic; everything if it is absent or empty. */
  readonly about?: string | undefined
  /** ISO-8601 UTC. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly tokenBudget: number
}

/** An answer has the text of an overview, its themes, and the numbers of notes. */
export interface OverviewAnswer extends Overview {
  /** Number of notes that have the name, or of all notes. */
  readonly named: number
  /** Number of notes that were compared with each other. */
  readonly compared: number
  /** Too few notes have the name, so that the nearest are shown, as recall ranks them. */
  readonly isNearest: boolean
}

/**
 * Answers what is known about a name, or about everything: notes that together stand for the others, in themes. Writes nothing and counts
 * nothing as used. Runs some six statements, whatever the number of blocks.
 */
export async function overview(
  engine: Engine,
  request: OverviewRequest,
  context: CallContext,
): Promise<OverviewAnswer> {
  const { index, settings, store } = engine
  const { tokenBudget: budget } = request
  const { at } = engine.session.moment(await store.read((tx) => index.refresh(tx)))
  const filter = await frameFilter(engine, settings.frames.attention, {})
  const subject = subjectOf(engine, request, filter)
  const { total, ids } = index.about(subject, OVERVIEW.compared)
  const reading = { ids, filter, at }
  const counted = countWords(request, subject, total)
  const isNearest = subject.named?.isUser === false && total < OVERVIEW.fewest
  const found = isNearest
    ? await nearest(engine, { ...reading, subject, request }, context)
    : { notes: await store.read((tx) => readNotes(engine, tx, reading)) }
  const { notes } = found
  const written = isNearest
    ? listed(notes, nearestHead(counted, found), budget)
    : standingFor(notes, await likenessAmong(engine, notes), {
        ...{ counted, total, budget, asked: subject.named?.terms ?? [] },
      })
  const blocks = written.themes.flatMap((theme) => theme.notes.map(({ block }) => block))
  engine.served.note(written.text, blocks)
  return { ...written, named: total, compared: notes.length, isNearest }
}

function subjectOf(
  { analysis }: Engine,
  { about = '', since, until }: OverviewRequest,
  filter: Filter,
): Subject {
  const times = {
    since: since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since),
    until: until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until),
  }
  const label = preview(about, about.length).toLowerCase()
  if (label === '') return { filter, ...times }
  const isUser = label === 'me' || USERS.has(label)
  const terms = isUser ? [] : analysis.language.terms(about)
  return { filter, named: { terms, labels: isUser ? USERS : new Set([label]), isUser }, ...times }
}

/** Returns how many notes there are about a subject, as a head begins. */
function countWords(
  { about = '', since, until }: OverviewRequest,
  { named }: Subject,
  total: number,
): string {
  const notes = total === 0 ? 'No note' : count(total, 'note')
  const isOne = total < 2
  const own = isOne ? "is the user's own" : "are the user's own"
  const subject = named?.isUser ? own : `name${isOne ? 's' : ''} ${shortName(shownLine(about))}`
  const times = [since && `since ${momentWords(since)}`, until && `until ${momentWords(until)}`].filter(
    Boolean,
  )
  return [notes, ...(named ? [subject] : []), ...(times.length > 0 ? [`(${times.join(', ')})`] : [])].join(
    ' ',
  )
}

interface Nearest {
  readonly notes: readonly Note[]
  /** A sentence that the notes may not bear on the name; absent if they do. */
  readonly doubt?: string
}

function nearestHead(counted: string, { notes, doubt }: Nearest): string {
  const found = notes.length === 0 ? 'nothing bears on it.' : `these come nearest, as recall ranks them.`
  return [`${counted}; ${found}`, ...(doubt === undefined ? [] : [doubt])].join(' ')
}

interface Reading {
  readonly ids: readonly string[]
  readonly filter: Filter
  /** The present time, ISO-8601 UTC. */
  readonly at: string
}

/**
 * Reads blocks as notes. A block that stands under a told version among them is left out; if that version is not among them, its newest
 * version says by what it was replaced.
 */
async function readNotes(engine: Engine, tx: ReadTransaction, { ids, filter, at }: Reading): Promise<Note[]> {
  const candidates = ids
    .flatMap((id) => engine.index.get(id) ?? [])
    .map((facts) => candidateOf({ facts, score: 0, terms: [] }))
  const [blocks, links] = await Promise.all([readBlocks(tx, ids), readLinks(tx, ids, TOLD_KINDS)])
  const told = await groupTold(engine, tx, {
    ...{ frame: engine.settings.frames.attention, filter, hours: 0, at, asked: undefined, topK: undefined },
    ...{ minStrength: undefined, whole: true, quality: 'unasked', around: new Around(tx, at) },
    ...{ candidates, guaranteed: [], refused: [], dropped: [], ...links },
  })
  const known = new Map(blocks.map((block) => [block.id, block]))
  const noteOf = (id: string, newer?: string): Note[] => {
    const block = known.get(id)
    if (block === undefined) return []
    const text = textOf(engine.analysis, block.content.slice(0, PAIR_TEXT_MOST))
    const against = told.disputes.flatMap(({ one, other }) =>
      one === id ? [other] : other === id ? [one] : [],
    )
    return [{ block, text, marks: { holds: markAt(block, at), newer, against } }]
  }
  return told.entries.flatMap(({ facts, versions, isUnfound }) =>
    isUnfound ? versions.flatMap(({ id }) => noteOf(id, facts.id)).slice(0, 1) : noteOf(facts.id),
  )
}

interface NearestAsking extends Reading {
  readonly subject: Subject
  readonly request: OverviewRequest
}

/** Reads what recall shows for a name that hardly any note has, and before it the notes that have the name and are not among these. */
async function nearest(engine: Engine, asking: NearestAsking, context: CallContext): Promise<Nearest> {
  const { subject, ids, at, request } = asking
  const { index, settings, store } = engine
  const isOfAnyTime = request.since === undefined && request.until === undefined
  const { named: _named, ...anything } = subject
  const among = isOfAnyTime ? undefined : new Set(index.about(anything, index.size).ids)
  const filter = { ...subject.filter, ids: among }
  const { hours } = engine.session.moment(await readIndex(engine, engine.experience))
  const topK = OVERVIEW.nearest
  const asked = await match(engine, request.about ?? '', { topK, filter, context })
  return store.read(async (tx) => {
    const found = { frame: settings.frames.attention, filter, hours, at, asked, topK, minStrength: undefined }
    const ranked = await groupTold(engine, tx, await rank(engine, tx, { ...found, whole: true }))
    const { entries } = await choose(engine, await newerFirst(engine, tx, sized(engine, ranked)))
    const shown = entries.flatMap(({ block, versions }) => [block.id, ...versions.map(({ id }) => id)])
    const own = ids.filter((id) => !shown.includes(id))
    const all = [...own, ...entries.map(({ block }) => block.id)]
    const notes = await readNotes(engine, tx, { ids: all, filter, at })
    return { notes, ...(ranked.quality === 'perhaps' && { doubt: doubtLine(asked.probability) }) }
  })
}

/** Returns how alike each two notes are: by their vectors, and by their words where one has no vector yet. */
async function likenessAmong(engine: Engine, notes: readonly Note[]): Promise<Likeness> {
  const scale = await scaleFor(engine)
  const rows = engine.index.cosinesAmong(notes.map(({ block }) => block.id))
  const { factor, offset } = scale?.line ?? { factor: 1, offset: 0 }
  for (const row of rows)
    for (let i = 0; i < row.length; i++) if (row[i] !== 0) row[i] = factor * (row[i] as number) + offset
  withWords(notes, rows)
  return rows
}
