import { count, doubtLine, preview, shortName, shownLine, takeCodePoints } from '../block/text.ts'
import { isNewer, markAt, momentWords } from '../block/validity.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { TOLD_KINDS } from '../graph/edge.ts'
import type { Filter } from '../index/blocks.ts'
import type { Subject } from '../index/resident-index.ts'
import { USERS } from '../language/question.ts'
import { readBlocks } from '../store/blocks.ts'
import { readLinks } from '../store/graph.ts'
import { Around, candidateOf, type Entry, frameFilter, scaleFor } from './match.ts'
import { textOf } from './pair-score.ts'
import { type RecallAnswer, recall } from './recall.ts'
import { shortId } from './render.ts'
import { groupOf, type Note, OVERVIEW, type Overview, standing, written } from './themes.ts'
import { groupTold, opponentsOf } from './versions.ts'

interface OverviewRequest {
  /** A name or a topic; everything if it is absent or empty. */
  readonly about?: string | undefined
  /** ISO-8601 UTC. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly tokenBudget: number
}

interface OverviewAnswer extends Overview {
  /** Number of notes that have the name, or of all notes. */
  readonly named: number
  readonly compared: number
  /** True if too few notes have the name; then the notes that recall finds nearest are shown. */
  readonly isNearest: boolean
}

const NO_SUMMARY = 'Words as they were kept, no summary'

/**
 * Answers what is known about a name, or about everything: notes that together stand for the others, in themes. Writes nothing and counts
 * nothing as used. Runs some six statements, whatever the number of blocks.
 */
export async function overview(
  engine: Engine,
  request: OverviewRequest,
  context: CallContext,
): Promise<OverviewAnswer> {
  const { index, settings, store, analysis } = engine
  const { tokenBudget: budget } = request
  const { at } = engine.session.moment(await store.read((tx) => index.refresh(tx)))
  const filter = await frameFilter(engine, settings.frames.attention, {})
  const subject = subjectOf(engine, request, filter)
  const named = index.about(subject)
  const total = named.length
  // The first by id are a fair sample, because ids are hashes.
  const ids = named.sort().slice(0, OVERVIEW.compared)
  const isNearest = subject.named?.isUser === false && total < OVERVIEW.fewest
  const near = isNearest ? await nearest(engine, { request, subject, ids }, context) : undefined
  const notes = await readNotes(engine, { ids: near?.ids ?? ids, filter, at })
  const counted = countWords(request, subject, total)
  const headOf = (shown: number) => {
    if (near) return `${counted}; ${notes.length === 0 ? 'nothing bears on it.' : near.words}`
    const some = shown === total ? 'all of them are here' : `${shown} of them stand for the rest here`
    const of = total > ids.length ? `, of ${ids.length} that were compared` : ''
    return total === 0 ? `${counted}.` : `${counted}; ${some}${of}. ${NO_SUMMARY}; for one thing ask recall.`
  }
  const rows = near ? [] : await likenessAmong(engine, notes)
  const choice = near
    ? { picks: [...notes.keys()], groups: [groupOf(notes, [...notes.keys()])] }
    : standing(notes, { rows, budget, language: analysis.language })
  const answer = written(notes, choice, { headOf, budget })
  const shown = answer.themes.flatMap((theme) => theme.notes.map(({ block }) => block))
  engine.served.note(answer.text, shown)
  return { ...answer, named: total, compared: notes.length, isNearest }
}

/** Returns the text of an overview within the tokens that an answer of recall leaves; undefined if the answer has most of the notes. */
export async function overviewFor(
  engine: Engine,
  about: string,
  { shown, used, budgetTotal }: Pick<RecallAnswer, 'shown' | 'used' | 'budgetTotal'>,
  context: CallContext,
): Promise<string | undefined> {
  const tokenBudget = Math.min(OVERVIEW.tokens, budgetTotal - used)
  if (tokenBudget < OVERVIEW.fewestTokens) return undefined
  if (!(await hasClearlyMore(engine, about, shown))) return undefined
  return (await overview(engine, { about, tokenBudget }, context)).text
}

/** Returns whom or what an overview is about, as the index looks it up. */
function subjectOf(
  { analysis }: Engine,
  { about = '', since, until }: Omit<OverviewRequest, 'tokenBudget'>,
  filter: Filter,
): Subject {
  const label = preview(about, about.length).toLowerCase()
  const isUser = label === 'me' || USERS.has(label)
  const terms = isUser ? [] : analysis.language.terms(about)
  return {
    filter,
    ...(label !== '' && { named: { terms, labels: isUser ? USERS : new Set([label]), isUser } }),
    since: since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since),
    until: until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until),
  }
}

/** An overview has clearly more than an answer if it has at least so many notes more, and as many as the answer. */
const CLEARLY_MORE = 5

/** Returns true if there are clearly more notes about a subject than an answer has. Asks no store. */
async function hasClearlyMore(engine: Engine, about: string, shown: readonly Entry[]): Promise<boolean> {
  const filter = await frameFilter(engine, engine.settings.frames.attention, {})
  const among = new Set(engine.index.about(subjectOf(engine, { about }, filter)))
  const here = shown.filter(({ block }) => among.has(block.id)).length
  return among.size - here >= Math.max(CLEARLY_MORE, here)
}

function countWords({ about = '', since, until }: OverviewRequest, { named }: Subject, total: number) {
  const isOne = total < 2
  const own = `${isOne ? 'is' : 'are'} the user's own`
  const name = `${isOne ? 'names' : 'name'} ${shortName(shownLine(about))}`
  return [
    total === 0 ? 'No note' : count(total, 'note'),
    ...(named ? [named.isUser ? own : name] : []),
    ...(since === undefined ? [] : [`since ${momentWords(since)}`]),
    ...(until === undefined ? [] : [`until ${momentWords(until)}`]),
  ].join(' ')
}

/** Asks recall about a name that hardly any note has. Returns the ids of these notes and of those found, and what the head says. */
async function nearest(
  engine: Engine,
  { request, subject, ids }: { request: OverviewRequest; subject: Subject; ids: readonly string[] },
  context: CallContext,
): Promise<{ readonly ids: readonly string[]; readonly words: string }> {
  const { index } = engine
  const { named: _named, ...anything } = subject
  const isTimed = request.since !== undefined || request.until !== undefined
  const among = isTimed ? new Set(index.about(anything)) : undefined
  const asked = { frame: 'attention', query: request.about, among, reinforce: false, suggest: false } as const
  const most = { topK: OVERVIEW.nearest, tokenBudget: 1_000_000 }
  const found = await recall(engine, { ...asked, ...most }, context)
  const doubt = found.quality === 'perhaps' ? ` ${doubtLine(found.asked?.probability ?? 0)}` : ''
  return {
    ids: [...new Set([...ids, ...found.shown.map(({ block }) => block.id)])],
    words: `these are nearest, as recall ranks them. ${NO_SUMMARY}.${doubt}`,
  }
}

/**
 * Reads blocks as notes, in their order. A block that stands under a told version among them is left out. If that version is not among
 * them, the newest replaced one stays, and names the block that replaced it.
 */
async function readNotes(
  engine: Engine,
  { ids, filter, at }: { readonly ids: readonly string[]; readonly filter: Filter; readonly at: string },
): Promise<Note[]> {
  const facts = ids.flatMap((id) => engine.index.get(id) ?? [])
  const candidates = facts.map((each) => candidateOf({ facts: each, score: 0, terms: [] }))
  const { blocks, told } = await engine.store.read(async (tx) => {
    const [blocks, links] = await Promise.all([readBlocks(tx, ids), readLinks(tx, ids, TOLD_KINDS)])
    const asking = { frame: engine.settings.frames.attention, filter, at, hours: 0, whole: true } as const
    const unasked = { asked: undefined, topK: undefined, minStrength: undefined, quality: 'unasked' } as const
    const found = { candidates, guaranteed: [], refused: [], dropped: [], around: new Around(engine, tx, at) }
    return { blocks, told: await groupTold(engine, tx, { ...asking, ...unasked, ...found, ...links }) }
  })
  const known = new Map(blocks.map((block) => [block.id, block]))
  const noteOf = (id: string, newer?: string): Note[] => {
    const block = known.get(id)
    if (block === undefined) return []
    const against = opponentsOf(id, told.disputes)
    const marks = [
      markAt(block, at),
      newer && `replaced by ${shortId(newer)}`,
      ...against.map((other) => `contradicts ${shortId(other)}`),
    ]
    const text = textOf(engine.analysis, takeCodePoints(block.content, OVERVIEW.line))
    return [{ block, text, against, mark: marks.filter(Boolean).join(', ') || undefined }]
  }
  return told.entries.flatMap(({ facts: { id }, versions, isUnfound }) =>
    isUnfound ? versions.flatMap((each) => noteOf(each.id, id)).slice(0, 1) : noteOf(id),
  )
}

/** Sorts notes by time, and returns how alike each two are, on the scale of the built-in model. */
async function likenessAmong(engine: Engine, notes: Note[]): Promise<readonly Float32Array[]> {
  const scale = await scaleFor(engine)
  notes.sort((one, other) => (isNewer(one.block, other.block) ? 1 : -1))
  return engine.index.cosinesAmong(
    notes.map(({ block }) => block.id),
    scale?.line,
  )
}
