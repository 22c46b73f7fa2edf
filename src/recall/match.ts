import { type Block, type BlockFacts, type OutdatedGround, SOURCE_CLASSES } from '../block/block.ts'
import { defined, isStorable, passagesOf, type Stretch, takeCodePoints } from '../block/text.ts'
import {
  ANSWER_SIZE,
  ANSWERED,
  ANSWERED_BY_STRENGTH,
  embedBefore,
  embedOptionsOf,
  isBackgroundDue,
  isCalibrated,
  matchesLock,
  NOTHING_NEAR,
  nameOf,
  readBackground,
  readEmbeddingLock,
  scaleOf,
} from '../engine/embedding.ts'
import type { CallContext, EmbeddingLock, Engine } from '../engine/engine.ts'
import type { Frame, FrameName } from '../engine/frames.ts'
import { ElfmemError } from '../errors.ts'
import { type BlockPair, type Edge, type StagedPair, TOLD_KINDS } from '../graph/edge.ts'
import type { Filter } from '../index/blocks.ts'
import { packUnit } from '../index/columns.ts'
import { type Match, type ProbabilityConstants, probabilityOf } from '../index/rank.ts'
import type { CosineScale } from '../index/resident-index.ts'
import { guardSecrets } from '../intake/check-input.ts'
import { readOutdated } from '../intake/supersede.ts'
import type { PastAsked } from '../language/pack.ts'
import { detectLanguage, knowsScript } from '../language/question.ts'
import type { Experience } from '../outcome/experience.ts'
import type { ScoreTerm } from '../outcome/formulas.ts'
import { readBlocks } from '../store/blocks.ts'
import type { ClockReading } from '../store/database.ts'
import { type Links, readLinks, readStagedPairs } from '../store/graph.ts'
import type { AskedQuestion } from '../store/log.ts'
import { type Prediction, readPredictions } from '../store/predictions.ts'
import { NOTE, PAIR } from '../store/tables.ts'
import type { ReadTransaction } from '../store/transaction.ts'

/** A candidate is a block on its way from the index into the text of an answer. Each stage of a recall fills in more fields. */
export interface Candidate {
  readonly facts: BlockFacts
  /** The block's match with the question; absent without a question, or when only an edge or a version brought the block. */
  readonly match?: Match
  readonly score: number
  /** Terms of the score; their amounts sum to it. */
  readonly terms: readonly ScoreTerm[]
  /** The edge that brought the block although its own match would not have; `weight` as stored, 0..1. */
  readonly path?: { readonly seed: string; readonly relation: string; readonly weight: number }
  /** The frame always shows the block. */
  readonly guaranteed: boolean
  /** The question did not find the block: it is an entry because of a told version, whose match and score it has. */
  readonly isUnfound?: true
  /** Other versions that stand under the block, newest first; they count for no limit and are not used. */
  readonly versions: readonly Version[]
  /** The rules that moved the block from the place of its score, in their order. */
  readonly moves: readonly Moved[]
  readonly marks: readonly Mark[]
  readonly block?: Block
  /** The stretch of the content that is served, out of `of` UTF-16 units; absent if the whole content is served. */
  readonly passage?: Stretch & { readonly of: number }
  /** The grounds of the block that no longer hold, the nearest first. */
  readonly outdated: readonly OutdatedGround[]
  /** The block is a proven strategy, which stands first in a task frame. */
  readonly isProven?: true
  /** The text has the words of the block's versions. */
  readonly tellsVersions: boolean
  readonly cut: boolean
}

/** An entry is a candidate whose block and versions are read, so that the answer can show them. */
export interface Entry extends Candidate {
  readonly block: Block
  readonly prediction?: Prediction
  readonly versions: readonly ReadVersion[]
}

/** A version is a block that stands under an entry of the answer. */
export interface Version {
  readonly id: string
  /**
   * `superseded`: its successor says so. `proposed`: it was to replace a block that is trusted more, and nobody accepted that. `earlier`
   * and `later`: a judge took both for words about the same fact.
   */
  readonly why: 'superseded' | 'proposed' | 'earlier' | 'later'
  readonly candidate?: Candidate
  readonly block?: Block
}

export type ReadVersion = Version & { readonly block: Block }

/**
 * A move is a rule that put an entry before another block. The entry has the place of a told `version`; it is the question `verbatim`; of
 * two that contradict each other, it is `trusted` or `believed` more; it `holds` while its successor has not begun; it may be the `newer`
 * of two; a question about the `past` wants it; or it is a `proven` strategy.
 */
export interface Moved {
  readonly why: 'version' | 'verbatim' | 'trusted' | 'believed' | 'holds' | 'newer' | 'past' | 'proven'
  readonly before: string
}

/** A mark is a statement about an entry and another block: the entry is perhaps newer, or contradicts the other. */
export interface Mark {
  readonly kind: 'newer' | 'contradicts'
  /** Id of the other block. */
  readonly of: string
}

/** A dropped block is a candidate that the answer lacks, and the reason; `nothing`: nothing bears on the question. */
export interface Dropped {
  readonly id: string
  readonly reason: 'top_k' | 'token_budget' | 'versions' | 'nothing' | 'without' | 'class'
  readonly score: number
}

export function candidateOf(
  scored: Pick<Candidate, 'facts' | 'score' | 'terms' | 'match' | 'path'>,
): Candidate {
  const nothing = { versions: [], marks: [], moves: [], outdated: [] } as const
  return { ...scored, ...nothing, guaranteed: false, tellsVersions: false, cut: false }
}

/** Returns an entry, and the versions under it that were found, as dropped for one reason. */
export function dropped(entry: Candidate, reason: Dropped['reason']): Dropped[] {
  const beneath = entry.versions.flatMap(({ candidate }) => candidate ?? [])
  return [entry, ...beneath].flatMap(({ facts: { id }, score, isUnfound }) =>
    isUnfound ? [] : [{ id, reason, score }],
  )
}

/** Returns the best passage of a long block, if the block itself matched by one. */
export function passageOf(
  { match }: Pick<Candidate, 'match'>,
  { id, content }: Block,
  { whole }: Pick<Asking, 'whole'>,
): Pick<Candidate, 'passage'> {
  if (whole || match?.passage === undefined || match.facts.id !== id) return {}
  const stretch = passagesOf(content)[match.passage]
  return stretch === undefined ? {} : { passage: { ...stretch, of: content.length } }
}

/** The record of a recall begins with the question and the blocks that may be shown. Each stage returns it with more fields. */
export interface Asking {
  readonly frame: Frame
  readonly filter: Filter
  readonly hours: number
  readonly at: string
  readonly asked: Asked | undefined
  readonly topK: number | undefined
  /** The caller wants no answer if the strongest match is weaker than this, 0..1; it takes the place of the store's own line. */
  readonly minStrength: number | undefined
  /** Long blocks are served whole, not by their best passage. */
  readonly whole: boolean
}

export interface Asked {
  readonly matches: readonly Match[]
  /** Approximate number of passages of the blocks that pass the filter. */
  readonly count: number
  /** Constants of the probability: those for comparable cosines, or those for strengths alone. */
  readonly constants: ProbabilityConstants
  readonly strength: number
  /** Chance that the first five matches hold the answer, 0..1. */
  readonly probability: number
  /** Height of the nearest match over the line below which nothing bears on a question; undefined if cosines cannot tell. */
  readonly above: number | undefined
  readonly past: PastAsked | undefined
  /** The end of the future date that the question asks for, ISO-8601 UTC. */
  readonly ahead: string | undefined
  readonly wordsOnly?: string
  readonly text: string
  /** The question as it may be kept for reports; absent if it must not be kept. */
  readonly kept: AskedQuestion | undefined
  readonly vector: Float32Array | undefined
  /** Largest number of matches that are weighed. */
  readonly pool: number
  /** Ranks again for this question: returns the best `most` of the blocks that pass a filter. */
  readonly ranked: (most: number, among: Filter) => readonly Match[]
}

/** Certainty of an answer; `nothing`: nothing bears on the question, `unasked`: the call has no question. */
type MatchQuality = 'match' | 'perhaps' | 'nothing' | 'unasked'

/**
 * Rows about the likely entries of an answer, which are read together before it is known what the answer shows: blocks, what they rest on,
 * the links of those that only an edge brought, and what is known about pairs of the first ones.
 */
export class Around {
  readonly blocks = new Map<string, Block>()
  readonly links: { edges: Edge[]; pairs: BlockPair[] } = { edges: [], pairs: [] }
  readonly predictions = new Map<string, Prediction>()
  /** Ids of the first entries; of their pairs, the decided ones are read, and those that one more answer may join. */
  first: ReadonlySet<string> = new Set()
  settled: readonly BlockPair[] = []
  due: readonly StagedPair[] = []
  readonly #engine: Pick<Engine, 'settings' | 'index'>
  readonly #tx: ReadTransaction
  readonly #at: string
  readonly #looked = new Set<string>()
  readonly #outdated: ReturnType<typeof readOutdated>[] = []

  constructor(engine: Pick<Engine, 'settings' | 'index'>, tx: ReadTransaction, at: string) {
    this.#engine = engine
    this.#tx = tx
    this.#at = at
  }

  /** Reads about the first entries. */
  async begin(entries: readonly Sought[], asked: Asked | undefined): Promise<this> {
    const { memory } = this.#engine.settings
    const ids = [...new Set(entries.map(({ facts }) => facts.id))]
    const staged = { atLeast: memory.coRetrievalThreshold - 1, among: ids, limit: ids.length ** 2 }
    this.first = new Set(ids)
    const [settled, due] = await Promise.all([
      asked && this.#tx.rows.touching(PAIR, ids, { both: true, where: { resolved: true } }),
      asked?.kept && readStagedPairs(this.#tx, staged),
      this.look(entries),
    ])
    return Object.assign(this, defined({ settled, due }))
  }

  async look(entries: readonly Sought[], others: readonly string[] = []): Promise<void> {
    const fresh = entries.filter(({ facts }) => !this.#looked.has(facts.id))
    const idsOf = (some: readonly Sought[]) => some.map(({ facts }) => facts.id)
    const ids = idsOf(fresh)
    for (const id of ids) this.#looked.add(id)
    const outdated = readOutdated(this.#tx, ids, this.#at)
    // If another of these reads fails, nobody waits for this one.
    outdated.catch(() => undefined)
    this.#outdated.push(outdated)
    const again = idsOf(fresh.filter(({ facts }) => facts.lastToldAt !== undefined))
    const unread = [...ids, ...others].filter((id) => !this.blocks.has(id))
    const [blocks, { edges, pairs }, predicted] = await Promise.all([
      readBlocks(this.#tx, unread, again),
      readLinks(this.#tx, idsOf(fresh.filter(isBrought)), TOLD_KINDS),
      this.#engine.index.hasPredictions ? readPredictions(this.#tx, ids) : [],
    ])
    for (const each of predicted) this.predictions.set(each.blockId, each)
    for (const block of blocks) this.blocks.set(block.id, block)
    this.links.edges.push(...edges)
    this.links.pairs.push(...pairs)
  }

  async outdated(): Promise<ReadonlyMap<string, readonly OutdatedGround[]>> {
    return new Map((await Promise.all(this.#outdated)).flatMap((each) => [...each]))
  }
}

type Sought = Pick<Candidate, 'facts' | 'path' | 'match'>

export function isBrought({ path, match }: Sought): boolean {
  return path !== undefined && match === undefined
}

/** A recall is ranked once its candidates are scored, best first. */
export interface Ranked extends Asking, Links {
  readonly around: Around
  readonly quality: MatchQuality
  readonly candidates: readonly Candidate[]
  readonly guaranteed: readonly Candidate[]
  /** All matches of a question on which nothing bears. */
  readonly refused: readonly Candidate[]
  readonly dropped: readonly Dropped[]
}

/** The constants of recall sit on plateaus of the development data (docs/retrieval.md). */
export const RECALL = {
  /** Candidates that learning reorders. */
  pool: 20,
  /** Similarity of the last match in the pool; the best has 1. */
  normalisationFloor: 0.4,
  /** Number of the newest edge notes whose words find both blocks; each recall reads all of them. */
  edgeNotes: 1_000,
  neighbours: 5,
  /** Share of its similarity that a seed hands on along a relation, times the strength of the edge; `contradicts` hands on none. */
  relations: {
    outcome: 0.7,
    supports: 0.9,
    elaborates: 0.8,
    similar: 0.7,
    co_occurs: 0.7,
    // Relations that an agent names itself.
    other: 0.7,
  } as Readonly<Record<string, number>>,
  /** Share that an edge adds to a block that matches by itself: 0.3 gains 0.5 recall@5 in the lifecycle bench, 1 loses 1.2. */
  agreement: 0.3,
  /** Number of blocks that are read along told versions, besides those found. */
  versionsReach: 100,
  versionsMost: 50,
  /** Largest number of contradicting blocks that an answer has; they must not outweigh it. */
  counterpoints: 2,
}

/** Brings the index and the notes of edges, and experience if it is given, up to date for a question; returns the memory's clock. */
export function readIndex({ index, store }: Engine, learned?: Experience): Promise<ClockReading> {
  // The first refresh reads all blocks, so that it is not brief.
  const brief = index.size > 0
  return store.read(
    async (tx) => {
      const order = ['-createdAt', 'from', 'to']
      const refreshed = index.refresh(tx)
      const [clock, notes] = await Promise.all([
        refreshed,
        tx.rows.scan(NOTE, { has: 'note', from: ['createdAt', ''], order, limit: RECALL.edgeNotes }),
        learned?.refresh(
          tx,
          refreshed.then(() => index.generation),
        ),
      ])
      index.note(notes)
      return clock
    },
    { brief },
  )
}

/** Reads, embeds and ranks a question. Runs one embedding and no statement. */
export async function match(
  engine: Engine,
  text: string,
  options: { topK: number | undefined; filter: Filter; isKept?: boolean; context: CallContext },
): Promise<Asked> {
  const { topK, filter, isKept = false, context } = options
  const question = engine.index.read(text, engine.clock.now())
  const [embedded, words] = await Promise.all([
    questionVector(engine, question.toEmbed, context),
    isKept ? keptWords(engine, text) : undefined,
  ])
  const { recall } = engine.settings
  const pool = Math.max(RECALL.pool, 2 * (topK ?? (recall.topK || ANSWER_SIZE.most)))
  const { vector, reason } = embedded
  const scale = vector === undefined ? undefined : await scaleFor(engine)
  const ranked: Asked['ranked'] = (most, among) =>
    engine.index.rank(question, vector, most, among, scale?.line)
  const matches = ranked(pool, filter).filter(({ strength, name = 0 }) => strength + name > 0)
  const [best, second] = [...matches].sort((a, b) => b.strength - a.strength)
  // The more passages there are, the nearer is the best by chance.
  const count = Math.round(engine.index.countPassing(filter) * engine.index.passagesPerBlock)
  const constants = scale === undefined ? ANSWERED_BY_STRENGTH : ANSWERED
  // Only for English texts do the cosines of the built-in model tell that nothing is near.
  const canTell =
    vector !== undefined && isCalibrated(engine.embedder.model) && detectLanguage(text) === 'english'
  const strength = best?.strength ?? 0
  return {
    matches,
    count,
    constants,
    strength,
    probability:
      best === undefined
        ? 0
        : probabilityOf({ ...best, runnerUp: second?.strength ?? 0, blocks: count }, constants),
    above: canTell ? aboveLine(matches, count) : undefined,
    past: question.past,
    ahead: question.ahead,
    text,
    vector,
    pool,
    ranked,
    kept: isKept ? defined({ text: words, vector: vector && packUnit(vector) }) : undefined,
    ...(reason !== undefined && engine.index.size > 0 ? { wordsOnly: reason } : {}),
  }
}

/**
 * Returns the line that brings the embedder's cosines to the scale of the constants; no line if the model is calibrated. Returns undefined
 * until the cosines are measured. Runs one statement while a measurement is due.
 */
export async function scaleFor(engine: Engine): Promise<{ readonly line?: CosineScale } | undefined> {
  const { embedder, index, store, vectorModel } = engine
  const { model } = embedder
  if (isCalibrated(model)) return {}
  const known = vectorModel.background?.model === model ? vectorModel.background : undefined
  // Another process may have measured the cosines meanwhile.
  const background = isBackgroundDue(known, index.size)
    ? ((await store.read((tx) => readBackground(tx, model))) ?? known)
    : known
  vectorModel.background = background
  return background && { line: scaleOf(background) }
}

/**
 * Returns how far the nearest match lies above the line of a store with this number of passages; below 0 nothing bears on a question.
 *
 * @param matches with cosines on the scale of the built-in model
 */
function aboveLine(matches: readonly Pick<Match, 'ownCosine' | 'lexical'>[], blocks: number): number {
  const { floor, growth, growsTo, words } = NOTHING_NEAR
  const nearest =
    Math.max(...matches.map(({ ownCosine }) => ownCosine)) +
    words * Math.max(...matches.map(({ lexical }) => lexical))
  return nearest - floor - growth * Math.log(Math.min(Math.max(1, blocks), growsTo))
}

const TAKEN_IN: ReadonlySet<string> = new Set(['remember', 'remember_many', 'learn_document', 'setup'])
const USED: ReadonlySet<string> = new Set(['recall', 'outcome', 'settle', 'record_use', 'connect'])
/** Ends the reason that the log gives for a recall whose blocks were not used. */
export const UNUSED = ', not used'
/** The frame that shows the session's own blocks; to see a block in it is no use of the block. */
const LOOKING_BACK: FrameName = 'short_term'

/**
 * Returns the filter of the blocks that a frame may show, narrowed by the call's own filters. A frame of the session shows the blocks that
 * the session took in or used, newest first, as far as the last 500 entries of the log tell; it runs one statement.
 */
export async function frameFilter(
  { session, store }: Engine,
  frame: Frame,
  { tags, category, session: of, active }: Pick<Filter, 'tags' | 'category' | 'session' | 'active'>,
): Promise<Filter> {
  const some = (list: readonly string[] = []) => (list.length > 0 ? list : undefined)
  const filter = {
    include: some(frame.include),
    exclude: some(frame.exclude),
    classes: frame.classes.length < SOURCE_CLASSES.length ? frame.classes : undefined,
    ...{ tags: some(tags), category, session: of, active },
  }
  if (!frame.sessionOnly) return filter
  const current = session.current?.id
  const log = current === undefined ? [] : await store.read((tx) => tx.queries.operations({ limit: 500 }))
  const ids = log.flatMap(({ session: own, operation, blockIds, reason = '' }) => {
    if (own !== current) return []
    if (TAKEN_IN.has(operation)) return blockIds.toReversed()
    const isLook = reason.endsWith(UNUSED) || reason === LOOKING_BACK
    return USED.has(operation) && !isLook ? blockIds : []
  })
  return { ...filter, ids: new Set(ids) }
}

const EMBEDDED_LENGTH = 3_000

/**
 * Embeds a question if its vector can be compared with the stored ones, and then the waiting blocks, as the model is loaded by then. A
 * failing or foreign embedder never makes recall fail: the reason is returned, and words find alone. Returns neither a vector nor a reason
 * if the model does not know the script of the question.
 */
async function questionVector(
  engine: Engine,
  text: string,
  context: CallContext,
): Promise<{ readonly vector?: Float32Array; readonly reason?: string }> {
  const { embedder, index } = engine
  if (!knowsScript(embedder, text)) return {}
  const before = await lockOfIndex(engine)
  const isFirst = before === undefined || (index.active === 0 && !matchesLock(before, embedder))
  const isVain = isFirst ? index.lacking.size === 0 || embedder.remote : !matchesLock(before, embedder)
  if (isVain) return { reason: foreign(before, embedder) }
  try {
    const [vector] = await embedder.embed([takeCodePoints(text, EMBEDDED_LENGTH)], embedOptionsOf(context))
    if (vector === undefined) return { reason: 'the embedder gave no vector' }
    await embedBefore(engine, context)
    const lock = await lockOfIndex(engine)
    const offered = { model: embedder.model, dimensions: vector.length }
    const isComparable = lock?.dimensions === vector.length && matchesLock(lock, offered)
    return isComparable ? { vector } : { reason: foreign(lock, offered) }
  } catch (error) {
    if (ElfmemError.is(error) && error.code === 'EMBEDDER_FAILED') return { reason: error.message }
    throw error
  }
}

/** Returns the model of the vectors in the index, which another process may have changed. */
async function lockOfIndex(engine: Engine): Promise<EmbeddingLock | undefined> {
  const { index, store, vectorModel, served } = engine
  if (vectorModel.current === undefined || vectorModel.generation !== index.generation)
    await store.read(async (tx) => {
      await index.refresh(tx)
      // The lines shown before may be of blocks that another process erased.
      if (vectorModel.current !== undefined) served.clear()
      vectorModel.current = await readEmbeddingLock(tx)
      vectorModel.generation = index.generation
    })
  return vectorModel.current
}

/** Returns why a question has no vector: the index has vectors of another model, or none. */
function foreign(lock: EmbeddingLock | undefined, embedder: Parameters<typeof nameOf>[0]): string {
  if (lock === undefined) return 'nothing has been embedded yet'
  const [held, offered] =
    lock.model === embedder.model ? [nameOf(lock), nameOf(embedder)] : [lock.model, embedder.model]
  return `the vectors here are of ${held}, the embedder is ${offered}; elfmem reembed changes them`
}

/** Returns the words of a question without secrets; undefined if questions are not kept, or the question is rather a text. */
async function keptWords({ settings }: Engine, question: string): Promise<string | undefined> {
  const { learning, memory } = settings
  if (!learning.keepQuestions || question.length > 1_000 || !isStorable(question)) return undefined
  const { input } = await guardSecrets({ text: question }, memory.secrets === 'keep' ? 'keep' : 'redact')
  return input.text
}
