import type { FrameSettings } from '../../config/frames.ts'
import { ANSWER_SIZE, ANSWERED, ANSWERED_BY_STRENGTH, isCalibrated } from '../../config/match-calibration.ts'
import { SOURCE_CLASSES } from '../../domain/block/source-class.ts'
import { type ProbabilityConstants, probabilityOf } from '../../domain/score/score.ts'
import { firstPieces } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import type { AskedQuestion } from '../../ports/store/evidence.ts'
import type { ClockReading } from '../../ports/store/transaction.ts'
import type { Filter } from '../../search/index/blocks.ts'
import type { CosineScale } from '../../search/index/chains.ts'
import { detectLanguage } from '../../search/language/choose.ts'
import type { PastAsked } from '../../search/language/past.ts'
import { knowsScript } from '../../search/language/scripts.ts'
import type { Match } from '../../search/question.ts'
import { holdsPhrases, phrasesOf } from '../../search/question.ts'
import { embedBefore } from '../blocks/embed-waiting.ts'
import {
  type EmbeddingLock,
  embedOptionsOf,
  isBackgroundDue,
  matchesLock,
  nameOf,
  readBackground,
  readEmbeddingLock,
  scaleOf,
} from '../engine/embedding.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { keptQuestion, keptWords } from '../learning/kept-question.ts'
import { aboveLine } from './answer-size.ts'

/** So many of the best matches are looked into for the exact words; whoever holds them matches by its words. */
const LOOKED_INTO = 200

/** The matches of a question, before belief, recency and edges count. */
export interface Asked {
  /** Those with anything in common with the question, best rank first. */
  readonly matches: readonly Match[]
  /** Blocks that pass the filter. */
  readonly blocks: number
  /** By which a probability is read from a match: with comparable cosines, or from strengths alone. */
  readonly constants: ProbabilityConstants
  /** Of the strongest match, 0..1. */
  readonly strength: number
  /** Chance that the first five matches hold the answer, 0..1. */
  readonly probability: number
  /** How far the nearest match lies above the line below which nothing bears on a question; undefined where cosines do not tell. */
  readonly above: number | undefined
  /** Which earlier version of what it asks about it wants. */
  readonly past: PastAsked | undefined
  /** The end of the date to come that it asks for, ISO-8601 UTC. */
  readonly ahead: string | undefined
  readonly wordsOnly?: string
  readonly text: string
  /** As it may be kept for reports; absent when it is not to be. */
  readonly kept: AskedQuestion | undefined
  /** Of the question, when it could be embedded. */
  readonly vector: Float32Array | undefined
  /** So many of the best are weighed at most. */
  readonly pool: number
  /** Ranks again for this question: the best `most` of the blocks that pass a filter. */
  readonly ranked: (most: number, among: Filter) => Promise<readonly Match[]>
}

/** Brings the index up to date for a question, with what edges say of their blocks; returns the memory's clock. */
export function readIndex({ index, store, settings }: Engine): Promise<ClockReading> {
  // All blocks are read at first.
  const brief = index.size > 0
  return store.read(
    async (tx) => {
      const clock = await index.refresh(tx)
      const { edgeNotes } = settings.recall
      index.note(edgeNotes === 0 ? [] : await tx.edgeNotes(edgeNotes))
      return clock
    },
    { brief },
  )
}

/** Reads, embeds and ranks a question. One embedding, no statement unless it quotes. */
export async function match(
  engine: Engine,
  text: string,
  {
    topK,
    filter,
    isKept = false,
    context,
  }: { topK: number | undefined; filter: Filter; isKept?: boolean; context: CallContext },
): Promise<Asked> {
  const question = engine.index.read(text, engine.clock.now())
  const [embedded, words] = await Promise.all([
    questionVector(engine, question.toEmbed, context),
    isKept ? keptWords(engine, text) : undefined,
  ])
  const { recall } = engine.settings
  const pool = Math.max(recall.pool, 2 * (topK ?? (recall.topK || ANSWER_SIZE.most)))
  const { vector, reason } = embedded
  const scale = vector === undefined ? undefined : await scaleFor(engine)
  const phrases = phrasesOf(text)
  const ranked: Asked['ranked'] = (most, among) => {
    const lookedInto = phrases.length === 0 ? most : Math.max(most, LOOKED_INTO)
    const matches = engine.index.rank(question, vector, lookedInto, among, scale?.line)
    return preferQuoted(engine, phrases, { matches, pool: most })
  }
  const matches = (await ranked(pool, filter)).filter(({ strength, name = 0 }) => strength + name > 0)
  const [best, second] = [...matches].sort((a, b) => b.strength - a.strength)
  const blocks = engine.index.counts.countPassing(filter)
  const constants = scale === undefined ? ANSWERED_BY_STRENGTH : ANSWERED
  const strength = best?.strength ?? 0
  return {
    matches,
    blocks,
    constants,
    strength,
    probability:
      best === undefined ? 0 : probabilityOf({ ...best, runnerUp: second?.strength ?? 0, blocks }, constants),
    above: canTell(engine.embedder, text, scale) ? aboveLine(matches, blocks) : undefined,
    past: question.past,
    ahead: question.ahead,
    ...{ text, vector, pool, ranked },
    kept: isKept ? keptQuestion(words, vector) : undefined,
    ...(reason !== undefined && engine.index.size > 0 ? { wordsOnly: reason } : {}),
  }
}

/**
 * How the embedder's cosines come to the scale of the constants: by no line when the model is calibrated. Undefined while
 * nothing tells how they lie. One statement while a measurement is due.
 */
async function scaleFor({
  embedder: { model },
  index,
  store,
  vectorModel,
}: Engine): Promise<{ readonly line?: CosineScale } | undefined> {
  if (isCalibrated(model)) return {}
  const known = vectorModel.background?.model === model ? vectorModel.background : undefined
  // Another process may have measured meanwhile.
  const background = isBackgroundDue(known, index.size)
    ? ((await store.read((tx) => readBackground(tx, model))) ?? known)
    : known
  vectorModel.background = background
  return background && { line: scaleOf(background) }
}

const OTHER_SCRIPT = /(?=\P{Script=Latin})\p{L}/u

/** Returns true if cosines tell that nothing is near to a text. Those of the built-in model tell it of English alone. */
function canTell({ model }: Engine['embedder'], text: string, scale: object | undefined): boolean {
  if (scale === undefined) return false
  return !isCalibrated(model) || (!OTHER_SCRIPT.test(text) && detectLanguage(text) === 'english')
}

/** Which blocks a frame may show, narrowed by what a call asks for. */
export function filterOf(
  frame: FrameSettings,
  { tags, category, session, active }: Pick<Filter, 'tags' | 'category' | 'session' | 'active'>,
): Filter {
  const some = (list: readonly string[] = []) => (list.length > 0 ? list : undefined)
  return {
    include: some(frame.include),
    exclude: some(frame.exclude),
    classes: frame.classes.length < SOURCE_CLASSES.length ? frame.classes : undefined,
    tags: some(tags),
    category,
    session,
    active,
  }
}

/** The strongest match, when it belongs to another source than the question names. */
export interface OtherSource {
  readonly id: string
  readonly source: string
  /** How much stronger it is than the strongest of a named source, 0..1. */
  readonly margin: number
}

/**
 * Tells that what was found is said by, or of, somebody else than was asked for: a sign that the memory knows the topic
 * but not of this source, and nothing to refuse for (docs/retrieval.md 5). Undefined when no known source is named.
 */
export function otherSourceOf(matches: readonly Match[], least: number): OtherSource | undefined {
  const strongest = (wanted: (match: Match) => boolean) =>
    matches.filter(wanted).reduce<Match | undefined>((best, match) => {
      return best && best.strength >= match.strength ? best : match
    }, undefined)
  const other = strongest(({ source }) => source < 0)
  const named = strongest(({ source }) => source > 0)
  if (other?.facts.source === undefined) return undefined
  const margin = other.strength - (named?.strength ?? 0)
  return margin >= least ? { id: other.facts.id, source: other.facts.source, margin } : undefined
}

/** Word pieces of a question that are embedded: three windows of the model, a few hundred words. */
const EMBEDDED_PIECES = 768

/** The question as a vector, or why words alone must find; neither where the model does not know its script. */
interface QuestionVector {
  readonly vector?: Float32Array
  readonly reason?: string
}

/**
 * Embeds a question when its vector can be compared with the stored ones, and after it what waits, as the question loads
 * the model. A failing or foreign embedder never makes recall fail: it is said, and words find alone.
 */
async function questionVector(engine: Engine, text: string, context: CallContext): Promise<QuestionVector> {
  const { embedder, index } = engine
  if (!knowsScript(embedder, text)) return {}
  const before = await lockOfIndex(engine)
  const isFirst = before === undefined || (index.active === 0 && !matchesLock(before, embedder))
  const isVain = isFirst ? index.waiting.lacking === 0 || embedder.remote : !matchesLock(before, embedder)
  if (isVain) return { reason: before ? foreign(before, embedder) : NOTHING_EMBEDDED }
  const { generation } = index
  try {
    const [vector] = await embedder.embed([firstPieces(text, EMBEDDED_PIECES)], embedOptionsOf(context))
    if (vector === undefined) return { reason: 'the embedder gave no vector' }
    await embedBefore(engine, context)
    // The first vectors, or those of another model that only waiting blocks had, begin another generation.
    if (!isFirst && index.generation !== generation)
      return { reason: 'the vectors were changed to another model in this very moment: ask again' }
    return comparable(vector, await lockOfIndex(engine), embedder)
  } catch (error) {
    if (ElfmemError.is(error) && error.code === 'EMBEDDER_FAILED') return { reason: error.message }
    throw error
  }
}

/** A question's vector, if it can be compared with those the index holds. */
function comparable(
  vector: Float32Array,
  lock: EmbeddingLock | undefined,
  embedder: Engine['embedder'],
): QuestionVector {
  if (lock === undefined) return { reason: NOTHING_EMBEDDED }
  return vector.length === lock.dimensions && matchesLock(lock, embedder)
    ? { vector }
    : { reason: foreign(lock, { model: embedder.model, dimensions: vector.length }) }
}

const NOTHING_EMBEDDED = 'nothing has been embedded yet'

/** The model of the vectors that the index holds, which another process may have changed. */
async function lockOfIndex({
  index,
  store,
  vectorModel,
  served,
}: Engine): Promise<EmbeddingLock | undefined> {
  if (vectorModel.current === undefined || vectorModel.generation !== index.generation)
    await store.read(async (tx) => {
      await index.refresh(tx)
      // Blocks that another process erased are not to be known by what was shown.
      if (vectorModel.current !== undefined) served.clear()
      vectorModel.current = await readEmbeddingLock(tx)
      vectorModel.generation = index.generation
    })
  return vectorModel.current
}

function foreign(lock: EmbeddingLock, embedder: Parameters<typeof nameOf>[0]): string {
  const [held, offered] =
    lock.model === embedder.model ? [nameOf(lock), nameOf(embedder)] : [lock.model, embedder.model]
  return `the vectors here are of ${held}, the embedder is ${offered}; elfmem reembed changes them`
}

/**
 * Prefers blocks that hold the quoted words of a question exactly, and cuts to `pool`. A preference, not a condition: a quotation may be
 * misremembered. One statement when something is quoted, none otherwise.
 */
async function preferQuoted(
  { store, settings }: Engine,
  phrases: readonly string[],
  { matches, pool }: { readonly matches: readonly Match[]; readonly pool: number },
): Promise<readonly Match[]> {
  if (phrases.length === 0 || matches.length === 0) return matches
  const ids = matches.map(({ facts }) => facts.id)
  const blocks = await store.read((tx) => tx.blocks(ids))
  const holding = new Set(
    blocks
      .filter(({ cue, summary, content }) =>
        [content, summary, cue].some((part) => part !== undefined && holdsPhrases(part, phrases)),
      )
      .map(({ id }) => id),
  )
  const phrase = settings.recall.phraseBonus
  return matches
    .map((match) => (holding.has(match.facts.id) ? { ...match, phrase, rank: match.rank + phrase } : match))
    .sort((a, b) => b.rank - a.rank)
    .slice(0, pool)
}
