import type { Settings } from '../../config/settings.ts'
import { stripInvisible } from '../../domain/safety/visible.ts'
import { readJson } from '../../domain/text/read-json.ts'
import { estimateTokens } from '../../domain/text/text.ts'
import { ElfmemError, factOf } from '../../errors.ts'
import type { JsonSchema, LanguageModel, ModelRequest, ModelTurn } from '../../ports/language-model.ts'
import { redactSecrets } from '../../secrets/secrets.ts'
import { llmTokens, type UsageMeter } from '../engine/usage.ts'

/** A question about texts of the memory, and how its answer is read. */
export interface Question<T> {
  readonly system: string
  readonly prompt: string
  readonly schema: JsonSchema
  readonly schemaName: string
  /** Reads what is usable of an answer, and says what is wrong with it in words the model can act on. */
  readonly read: (answer: unknown) => Reading<T>
}

interface Reading<T> {
  readonly value?: T
  readonly objection?: string
}

/** Why the judge does not answer. */
export interface JudgeTrouble {
  /** `limits`: a budget or the dream's time was used up; `failed`: the model did not answer as it should. */
  readonly kind: 'limits' | 'failed'
  readonly message: string
  readonly recovery: string
}

/** The model that is asked, and the limits that its questions keep to. */
export interface JudgeOptions {
  readonly model: LanguageModel
  readonly settings: Settings['llm']
  /** Counts what its questions use. */
  readonly meter: UsageMeter
  /** Tokens the memory's models used on this day before. */
  readonly spentToday: number
  /** Ends all questions: the caller's signal or the end of the dream's time. */
  readonly signal?: AbortSignal
}

/** Constants of what a model is asked, each with its reason. */
export const JUDGING = {
  /** Blocks judged in one call; more save little, and one bad answer costs more. */
  blocksPerCall: 5,
  /** Pairs labelled in one call. */
  pairsPerCall: 20,
  /** Blocks of an earlier dream that are judged when the model answers again. */
  pendingPerDream: 100,
  /** Pairs labelled by one dream, the oldest first. */
  pairsPerDream: 200,
  /** Pairs that wait for a label; older ones stay unlabelled. */
  pairsWaiting: 500,
  /** Characters of a block shown to be judged. */
  charactersPerBlock: 6_000,
  /** Characters of each block of a pair; how two relate shows in their beginnings. */
  charactersPerSide: 600,
  /** Confidence below which a label changes nothing. */
  labelConfidence: 0.6,
  /** Confidence from which an unrelated pair loses its edge; below it, half the weight. */
  unrelatedConfidence: 0.8,
} as const

/** Times that an answer of the wrong shape is sent back, with what is wrong with it. */
const CORRECTIONS = 1

/** Calls that fail in a row before a dream goes on without the model. */
const FAILURES_IN_A_ROW = 3

/** Failures after which asking again is pointless: the answer will be the same until somebody changes something. */
const LASTING = new Set(['key', 'model', 'host'])

/**
 * One model for one dream: asks at most so many questions at once, sends wrong answers back with what is wrong, keeps
 * to the budgets, and after some failures in a row leaves the model alone. It never throws but for `CANCELLED`; a
 * question without an answer is `undefined`, and `trouble` says why.
 */
export class Judge {
  readonly #options: JudgeOptions
  readonly #semaphore: Semaphore
  #reserved = 0
  #failuresInARow = 0
  #closed = false
  #trouble: JudgeTrouble | undefined

  constructor(options: JudgeOptions) {
    this.#options = options
    this.#semaphore = new Semaphore(options.settings.concurrency)
  }

  /** Why the last question that failed did. */
  get trouble(): JudgeTrouble | undefined {
    return this.#trouble
  }

  /** True if another question has a chance. */
  get isOpen(): boolean {
    return !this.#closed && this.#options.signal?.aborted !== true
  }

  /** A text as the model may see it: nothing invisible, and no secret when it leaves the machine. */
  presentable(text: string): string {
    const visible = stripInvisible(text).text
    if (!this.#options.model.remote) return visible
    const { text: safe, found } = redactSecrets(visible)
    for (const { kind, count } of found) this.#options.meter.noteRedacted(kind, count)
    return safe
  }

  /** @returns what is usable of the answer; undefined when there is nothing */
  async ask<T>(question: Question<T>): Promise<T | undefined> {
    return this.#semaphore.pass(async () => {
      let best: T | undefined
      const turns: ModelTurn[] = []
      for (let round = 0; round <= CORRECTIONS; round++) {
        const answer = await this.#askOnce(question, turns)
        if (answer === undefined) return best
        const { value, objection } = readAnswer(question, answer)
        best = value ?? best
        if (objection === undefined) {
          this.#answered()
          return best
        }
        turns.push({ answer, objection })
      }
      if (best === undefined) this.#failed(unusable(this.#options.model, turns.at(-1)?.objection))
      else this.#answered()
      return best
    })
  }

  /** The text of one answer; undefined when there is none. */
  async #askOnce(question: Question<unknown>, turns: readonly ModelTurn[]): Promise<string | undefined> {
    const { model, settings, signal, meter } = this.#options
    const request: ModelRequest = {
      system: question.system,
      prompt: question.prompt,
      schema: question.schema,
      schemaName: question.schemaName,
      maxOutputTokens: settings.maxOutputTokens,
      ...(turns.length === 0 ? {} : { turns: [...turns] }),
    }
    const asked = tokensOf(request)
    if (this.#closed || this.#isTimeUp() || !this.#affords(asked)) return undefined
    const reserved = asked + settings.maxOutputTokens
    this.#reserved += reserved
    try {
      const { text, usage } = await model.ask(request, signal ? { signal } : {})
      meter.add({
        llmCalls: 1,
        llmInputTokens: usage.inputTokens ?? asked,
        llmOutputTokens: usage.outputTokens ?? estimateTokens(text),
      })
      return text
    } catch (error) {
      meter.add({ llmCalls: 1 })
      this.#failed(error)
      return undefined
    } finally {
      this.#reserved -= reserved
    }
  }

  #isTimeUp(): boolean {
    if (this.#options.signal?.aborted !== true) return false
    const message = 'time was up before the model answered'
    this.#trouble ??= { kind: 'limits', message, recovery: 'Dream again.' }
    return true
  }

  #affords(asked: number): boolean {
    const { settings, spentToday, meter } = this.#options
    const used = llmTokens(meter.total) + this.#reserved + asked
    const { tokensPerDream, tokensPerDay } = settings
    const beyondDream = tokensPerDream > 0 && used > tokensPerDream
    const beyondDay = tokensPerDay > 0 && spentToday + used > tokensPerDay
    if (!beyondDream && !beyondDay) return true
    this.#closed = true
    const [most, span, next] = beyondDream
      ? [tokensPerDream, 'dream', 'to go on']
      : [tokensPerDay, 'day', 'tomorrow']
    this.#trouble = {
      kind: 'limits',
      message: `the budget of ${most} tokens a ${span} was used up`,
      recovery: `Dream again ${next}, or raise llm.tokens_per_${span}.`,
    }
    return false
  }

  #answered(): void {
    this.#failuresInARow = 0
    this.#trouble = undefined
  }

  #failed(error: unknown): void {
    if (this.#isTimeUp()) return
    this.#failuresInARow++
    this.#trouble = ElfmemError.is(error)
      ? { kind: 'failed', message: error.message, recovery: error.recovery }
      : {
          kind: 'failed',
          message: `the model failed: ${error instanceof Error ? error.message : String(error)}`,
          recovery: 'Run doctor() with resolve, which asks the model once and says what is wrong.',
        }
    const lasting = ElfmemError.is(error) && LASTING.has(String(factOf(error, 'kind')))
    if (lasting || this.#failuresInARow >= FAILURES_IN_A_ROW) this.#closed = true
  }
}

/**
 * Asks about many items, so many a call and several calls at once; returns what the answers say, by key. Items without a
 * usable answer are left out.
 */
export async function askInGroups<Item, T>(
  judge: Judge,
  { items, size }: { readonly items: readonly Item[]; readonly size: number },
  questionAbout: (group: readonly Item[]) => Question<Map<string, T>>,
): Promise<Map<string, T>> {
  const groups = Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  )
  const answers = await Promise.all(
    groups.map(
      async (group): Promise<Map<string, T>> => (await judge.ask(questionAbout(group))) ?? new Map(),
    ),
  )
  return new Map(answers.flatMap((answer) => [...answer]))
}

/** How an answer that lists something about each item of a group is read. */
interface Listing<T> {
  /** Key of the list in the answer. */
  readonly key: string
  /** The names of the items, in their order. */
  readonly names: readonly string[]
  /** One entry: the number of its item, counted from 1, and what it says; undefined when it cannot be used. */
  readonly read: (entry: unknown) => { readonly item: number; readonly said: T } | undefined
  /** Says what is wrong if entries are missing: the numbers of their items, and the entries that are not usable. */
  readonly objection: (missing: readonly number[], wrong: readonly unknown[]) => string
}

/** Reads a list under a key, or an answer that is the list itself. The first entry of an item counts. */
export function readList<T>(
  answer: unknown,
  { key, names, read, objection }: Listing<T>,
): Reading<Map<string, T>> {
  const listed = Array.isArray(answer) ? answer : (answer as Readonly<Record<string, unknown>>)[key]
  if (!Array.isArray(listed)) return { objection: `The object needs a list "${key}".` }
  const found = new Map<string, T>()
  const wrong: unknown[] = []
  for (const entry of listed) {
    const known = read(entry)
    const name = known && names[known.item - 1]
    if (known === undefined || name === undefined) wrong.push(entry)
    else if (!found.has(name)) found.set(name, known.said)
  }
  const missing = names.flatMap((name, i) => (found.has(name) ? [] : [i + 1]))
  if (missing.length === 0) return { value: found }
  const told = objection(missing, wrong)
  return found.size === 0 ? { objection: told } : { value: found, objection: told }
}

function readAnswer<T>(question: Question<T>, text: string): Reading<T> {
  const read = readJson(text)
  if (read === undefined)
    return { objection: 'The answer holds no JSON object. Answer with the JSON object alone.' }
  return question.read(read.value)
}

function unusable({ model }: LanguageModel, objection: string | undefined): ElfmemError {
  return new ElfmemError('MODEL_FAILED', `The model ${model} gave no usable answer: ${objection ?? 'none'}`, {
    recovery: 'Configure a model that can answer in JSON, or raise llm.max_output_tokens.',
  })
}

function tokensOf({ system, prompt, turns = [] }: ModelRequest): number {
  const texts = [system, prompt, ...turns.flatMap(({ answer, objection }) => [answer, objection])]
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0)
}

/** Lets so many through at once; the others wait in their order. */
class Semaphore {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(places: number) {
    this.#free = places
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((enter) => this.#waiting.push(enter))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}
