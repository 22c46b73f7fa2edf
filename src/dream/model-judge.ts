import { type Block, grantableByModel, MODEL_TAGS } from '../block/block.ts'
import { estimateTokens, fence, sayFence, stripInvisible, takeCodePoints } from '../block/text.ts'
import { type CallContext, type Engine, llmTokens, tokensOfDay, UsageMeter } from '../engine/engine.ts'
import type { JsonSchema, LanguageModel, ModelRequest } from '../engine/ports.ts'
import { attempt, ElfmemError } from '../errors.ts'
import { LABELS, type PairLabel } from '../graph/edge.ts'
import { recall } from '../recall/recall.ts'
import { redactSecrets } from '../secrets/secrets.ts'
import { JUDGING, type Judgement, type TextPair } from './judgement.ts'

/** A model trouble is the reason why the model did not judge all that it was asked. */
export interface ModelTrouble {
  /** `limits`: a budget or the dream's time was used up; `failed`: the model did not answer as it should. */
  readonly kind: 'limits' | 'failed'
  readonly message: string
  readonly recovery: string
}

/** A question to a model, and the function that reads its answer. */
interface Question<T> extends Pick<ModelRequest, 'system' | 'prompt' | 'schema' | 'schemaName'> {
  /** Names of the items, in the order in which the question has them. */
  readonly names: readonly string[]
  /** Reads one entry: the number of its item, from 1, and the judgement; returns undefined if it cannot be used. */
  readonly read: (entry: Fields) => { readonly item: number; readonly said: T } | undefined
}

type Fields = Readonly<Record<string, unknown>>

/** Kinds of failures after which a repeated question fails, too, until somebody changes a setting. */
const LASTING = new Set(['key', 'model', 'host'])

/**
 * Opens the model as the judge of one dream. Reads the self frame once.
 *
 * @param seconds time in which questions may be asked
 */
export async function openModelJudge(
  engine: Engine,
  model: LanguageModel,
  { context, seconds }: { readonly context: CallContext; readonly seconds: number },
): Promise<ModelJudge> {
  const today = new Date(engine.clock.now()).toISOString()
  const spentToday = await engine.store.read((tx) => tokensOfDay(tx, today))
  const { text: identity } = await recall(
    engine,
    // Waiting blocks are left out: a block that is to be judged is no measure of itself.
    { frame: 'self', reinforce: false, suggest: false, active: true, tokenBudget: 600 },
    context,
  )
  // Timers of Node count milliseconds in 31 bits.
  const timeUp = AbortSignal.timeout(Math.min(seconds * 1000, 2 ** 31 - 1))
  const signal = context.signal ? AbortSignal.any([context.signal, timeUp]) : timeUp
  const meter = context.meter ?? new UsageMeter()
  return new ModelJudge(engine, { model, meter, signal, spentToday, identity })
}

/** The model that a judge asks, and the parts that it needs for that. */
interface Asked {
  readonly model: LanguageModel
  readonly meter: UsageMeter
  /** Ends all questions: the caller's signal, or the end of the dream's time. */
  readonly signal: AbortSignal
  /** Tokens that the models of this memory used on this day before. */
  readonly spentToday: number
  /** Text of the self frame. */
  readonly identity: string
}

/**
 * A model judge asks one model in one dream: a limited number of questions at once, within the budgets, and no more after some failures in
 * a row. It never throws: items without a usable answer are left out, and `trouble` says why.
 */
export class ModelJudge {
  readonly #engine: Engine
  readonly #asked: Asked
  #reserved = 0
  #failuresInARow = 0
  #closed = false
  #trouble: ModelTrouble | undefined

  constructor(engine: Engine, asked: Asked) {
    this.#engine = engine
    this.#asked = asked
  }

  /** Returns the reason why the last failed question failed. */
  get trouble() {
    return this.#trouble
  }

  /** Returns true if another question has a chance. */
  get isOpen(): boolean {
    return !this.#closed && !this.#asked.signal.aborted
  }

  /** Returns judgements by block id; blocks without a usable answer are left out. */
  judge(blocks: readonly Block[]): Promise<Map<string, Judgement>> {
    return this.#askInGroups(blocks, JUDGING.blocksPerCall, (group, nonce) => {
      const texts = group.map(({ content }) => this.#presentable(content, JUDGING.charactersPerBlock))
      const self = fence(
        'identity',
        this.#presentable(this.#asked.identity || '(nothing is known yet)'),
        nonce,
      )
      const items = fence('memory', texts, nonce)
      return {
        ...{ ...ABOUT_BLOCKS, names: group.map(({ id }) => id) },
        system: [BLOCKS_TASK, BLOCKS_FORMAT, sayFence(nonce)].join('\n\n'),
        prompt: BLOCKS_PROMPT.replace('{self_context}', () => self).replace('{blocks}', () => items),
      }
    })
  }

  /** Returns by key how the newer text of each pair relates to the older; pairs without a usable answer are left out. */
  label(pairs: readonly TextPair[]): Promise<Map<string, PairLabel>> {
    return this.#askInGroups(pairs, JUDGING.pairsPerCall, (group, nonce) => {
      const side = (text: string) => this.#presentable(text, JUDGING.charactersPerSide)
      const texts = group.map(({ older, newer }) => `A: ${side(older)}\nB: ${side(newer)}`)
      return {
        ...{ ...ABOUT_PAIRS, names: group.map(({ key }) => key) },
        system: `${PAIRS_TASK}\n\n${sayFence(nonce)}`,
        prompt: `The pairs:\n${fence('memory', texts, nonce)}`,
      }
    })
  }

  /** Returns the text as the model may see it: cut, without invisible characters, and without secrets if it leaves the machine. */
  #presentable(text: string, most = Number.POSITIVE_INFINITY): string {
    const visible = stripInvisible(takeCodePoints(text, most))
    if (!this.#asked.model.remote) return visible
    const { text: safe, found } = redactSecrets(visible)
    for (const { kind, count } of found) this.#asked.meter.noteRedacted(kind, count)
    return safe
  }

  /** Asks about many items, `size` a call, with as many calls at once as the settings allow. */
  async #askInGroups<Item, T>(
    items: readonly Item[],
    size: number,
    questionAbout: (group: readonly Item[], nonce: string) => Question<T>,
  ): Promise<Map<string, T>> {
    const found = new Map<string, T>()
    let next = 0
    const askOn = async () => {
      while (next < items.length) {
        const group = items.slice(next, next + size)
        next += size
        const answer = await this.#ask(questionAbout(group, this.#engine.ids.random()))
        for (const [name, said] of answer) found.set(name, said)
      }
    }
    await Promise.all(Array.from({ length: this.#engine.settings.llm.concurrency }, askOn))
    return found
  }

  async #ask<T>(question: Question<T>): Promise<Map<string, T>> {
    const { model, signal, meter } = this.#asked
    const { system, prompt, schema, schemaName } = question
    const { maxOutputTokens } = this.#engine.settings.llm
    const asked = estimateTokens(system) + estimateTokens(prompt)
    if (this.#closed || this.#isTimeUp() || !this.#affords(asked)) return new Map()
    const reserved = asked + maxOutputTokens
    this.#reserved += reserved
    meter.add({ llmCalls: 1 })
    try {
      const request = { system, prompt, schema, schemaName, maxOutputTokens }
      const { text, usage } = await model.ask(request, { signal })
      meter.add({
        llmInputTokens: usage.inputTokens ?? asked,
        llmOutputTokens: usage.outputTokens ?? estimateTokens(text),
      })
      const found = readAnswer(question, text)
      if (found.size === 0)
        throw new ElfmemError('MODEL_FAILED', `The model ${model.model} gave no usable answer.`, {
          recovery: 'Configure a model that can answer in JSON, or raise llm.max_output_tokens.',
        })
      this.#failuresInARow = 0
      this.#trouble = undefined
      return found
    } catch (error) {
      this.#failed(error)
      return new Map()
    } finally {
      this.#reserved -= reserved
    }
  }

  #isTimeUp(): boolean {
    const { aborted } = this.#asked.signal
    const message = 'time was up before the model answered'
    if (aborted) this.#trouble ??= { kind: 'limits', message, recovery: 'Dream again.' }
    return aborted
  }

  #affords(asked: number): boolean {
    const { spentToday, meter } = this.#asked
    const { tokensPerDream, tokensPerDay } = this.#engine.settings.llm
    const used = llmTokens(meter.total) + this.#reserved + asked
    const beyondDream = tokensPerDream > 0 && used > tokensPerDream
    const beyondDay = tokensPerDay > 0 && spentToday + used > tokensPerDay
    if (!beyondDream && !beyondDay) return true
    this.#closed = true
    const [most, span, next] = beyondDream
      ? [tokensPerDream, 'dream', 'to go on']
      : [tokensPerDay, 'day', 'tomorrow']
    const message = `the budget of ${most} tokens a ${span} was used up`
    const recovery = `Dream again ${next}, or raise llm.tokens_per_${span}.`
    this.#trouble = { kind: 'limits', message, recovery }
    return false
  }

  #failed(error: unknown): void {
    if (this.#isTimeUp()) return
    this.#failuresInARow++
    const { message, recovery } = ElfmemError.is(error)
      ? error
      : {
          message: `the model failed: ${error instanceof Error ? error.message : String(error)}`,
          recovery: 'Run doctor() with resolve, which asks the model once and says what is wrong.',
        }
    this.#trouble = { kind: 'failed', message, recovery }
    const isLasting = ElfmemError.is(error) && LASTING.has(String(error.details.kind))
    if (isLasting || this.#failuresInARow >= 3) this.#closed = true
  }
}

/** Reads the usable entries of an answer, by the names of its items; the first entry of an item counts. */
function readAnswer<T>({ names, read }: Question<T>, text: string): Map<string, T> {
  const found = new Map<string, T>()
  for (const entry of objectsIn(text)) {
    const known = read(entry)
    const name = known && names[known.item - 1]
    if (known !== undefined && name !== undefined && !found.has(name)) found.set(name, known.said)
  }
  return found
}

/** A JSON object without another one inside. */
const FLAT_OBJECT = /\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}/gs

/** Returns the flat JSON objects of an answer, which may have words around them, commas too many, and no end. */
export function objectsIn(text: string): Fields[] {
  return (text.match(FLAT_OBJECT) ?? []).flatMap((json) => attempt(() => JSON.parse(json)) ?? [])
}

function schemaOf(list: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const entry = { type: 'object', additionalProperties: false, required: Object.keys(properties), properties }
  return {
    type: 'object',
    additionalProperties: false,
    required: [list],
    properties: { [list]: { type: 'array', items: entry } },
  }
}

const BLOCKS_TASK = 'You keep the memory of an agent. Judge each numbered text for the agent.'

const BLOCKS_PROMPT = 'Who the agent is:\n{self_context}\n\nThe texts:\n{blocks}'

const BLOCKS_FORMAT = `For each text answer with:
- item: its number.
- alignment_score: 0 to 1, how strongly it expresses who the agent is. 0 unrelated to the agent's identity, 0.3 touches its field, 0.7 says how the agent works, 1 a belief at its core. Most texts are facts about the world and score below 0.3.
- tags: which of ${MODEL_TAGS.filter(grantableByModel)
  .map((tag) => `"${tag}"`)
  .join(', ')} it clearly deserves; usually none.
- summary: one or two sentences in the third person with every name, number, date, preference and constraint of the text, and nothing that is not in it. A short text may be repeated word for word.

Answer with one JSON object: {"blocks": [{"item": 1, "alignment_score": 0.1, "tags": [], "summary": "…"}, …]}, one entry for each text.`

const ABOUT_BLOCKS = {
  schema: schemaOf('blocks', {
    item: { type: 'integer' },
    alignment_score: { type: 'number' },
    tags: { type: 'array', items: { type: 'string' } },
    summary: { type: 'string' },
  }),
  schemaName: 'block_analysis',
  read: readJudgement,
}

function readJudgement({ item, alignment_score: score, tags = [], summary }: Fields) {
  if (typeof item !== 'number' || typeof score !== 'number' || typeof summary !== 'string') return undefined
  if (!(score >= 0 && score <= 1) || !Array.isArray(tags)) return undefined
  const words = tags.filter((tag): tag is string => typeof tag === 'string')
  return { item, said: { alignmentScore: score, tags: words, summary } }
}

const PAIRS_TASK = `You keep the memory of an agent. For each numbered pair of texts, A (older) and B (newer), say how B relates to A:
- supports: B gives evidence or a reason for A.
- elaborates: B adds detail to what A says.
- supersedes: B says what holds now in the place of A: the same thing has another value, has moved, was corrected or has ended.
- contradicts: both cannot be true at the same time about the same thing, and B does not say which holds.
- unrelated: they only share words.

Different subjects, times or places neither contradict nor supersede each other.
Answer with one JSON object: {"labels": [{"pair": 1, "relation": "supports", "confidence": 0.9}, …]}, one entry for each pair, confidence from 0 to 1.`

const ABOUT_PAIRS = {
  schema: schemaOf('labels', {
    pair: { type: 'integer' },
    relation: { type: 'string', enum: [...LABELS] },
    confidence: { type: 'number' },
  }),
  schemaName: 'pair_labels',
  read: readLabel,
}

function readLabel({ pair, relation, confidence }: Fields) {
  if (typeof pair !== 'number' || typeof relation !== 'string' || typeof confidence !== 'number')
    return undefined
  if (!(confidence >= 0 && confidence <= 1)) return undefined
  const word = relation.trim().toLowerCase()
  const known: PairLabel['relation'] = LABELS.find((label) => label === word) ?? 'similar'
  return { item: pair, said: { relation: known, confidence } }
}
