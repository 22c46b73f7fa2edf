import type { JsonSchema, LanguageModel, ModelAnswer, ModelRequest } from '../../engine/ports.ts'
import { beginLifetime, type Outcome, type RetryOptions, withRetries } from './retries.ts'

/** The ways to hold an answer to its schema, the strictest first. */
const FORMATS = ['json_schema', 'json_object', 'text'] as const
type Format = (typeof FORMATS)[number]

/** The parts of a request that an endpoint understands. */
export interface Dialect {
  readonly format: Format
  /** The name of the limit of the answer; undefined: none is understood. */
  readonly limit: 'max_tokens' | 'max_completion_tokens' | undefined
  readonly temperature: boolean
}

const FULL: Dialect = { format: 'json_schema', limit: 'max_tokens', temperature: true }

const NOT_TAKEN =
  /unsupported|not support|n.t support|unknown|unrecogni[sz]ed|unexpected|extra|not permitted|not allowed|instead|deprecated|only the default/i
const OF_FORMAT = /response_?format|json_?schema|json_?object|structured|grammar|schema/i
/** A refusal that no other way of asking lifts. */
const OF_ELSE = /context|too (?:long|large|many)|exceed|api.?key|quota|credit/i
const MODEL = /\bmodels?\b/i
const IS_MISSING = /not (?:found|exist)|n.t exist/i

/**
 * Returns how to ask again after a 400 or 422 with these words; undefined if they are not about how it was asked. Words that
 * name nothing are taken for the format: servers that refuse a field they do not know often say no more.
 */
function nextDialect(dialect: Dialect, said: string): Dialect | undefined {
  const refusedField = NOT_TAKEN.test(said)
  if (refusedField && dialect.limit === 'max_tokens' && /\bmax_tokens\b/.test(said))
    return { ...dialect, limit: 'max_completion_tokens' }
  if (refusedField && dialect.limit === 'max_completion_tokens' && said.includes('max_completion_tokens'))
    return { ...dialect, limit: undefined }
  if (dialect.temperature && /temperature/i.test(said)) return { ...dialect, temperature: false }
  const weaker = FORMATS[FORMATS.indexOf(dialect.format) + 1]
  if (weaker === undefined || (isOfElse(said) && !OF_FORMAT.test(said))) return undefined
  return { ...dialect, format: weaker }
}

function isOfElse(said: string): boolean {
  const lacksModel = (sentence: string) => {
    const at = sentence.search(MODEL)
    return at >= 0 && IS_MISSING.test(sentence.slice(at))
  }
  return OF_ELSE.test(said) || said.split('.').some(lacksModel)
}

/** Options of every model that is asked over the network. */
export interface RemoteModelOptions extends RetryOptions {
  /** The temperature of sampling; the endpoint's own if it is not given, or the endpoint refuses it. */
  readonly temperature?: number | undefined
  /** The time limit for one attempt with its whole answer, 30,000 ms by default. */
  readonly timeoutMs?: number
  /** Never part of a message, and taken out of what a server says. */
  readonly apiKey?: string | undefined
  /** The variable from which the key was read, named in the recovery when the key is wrong. */
  readonly keyVariable?: string | undefined
}

/** A language model somewhere else. */
export interface RemoteModel extends Pick<LanguageModel, 'model' | 'remote'> {
  /** The name of the limit of an answer to begin with; undefined where somebody else names it. */
  readonly limit: Dialect['limit']
  /** Asks once in one way; never throws. */
  ask(question: ModelRequest, dialect: Dialect, signal: AbortSignal): Promise<Asked>
}

/** Result of asking in one way; `refusal` has the endpoint's words if it refused the request as a whole. */
export type Asked = Outcome<ModelAnswer> & { readonly refusal?: string | undefined }

/**
 * A language model somewhere else. It is asked with everything OpenAI's interface offers, then in other ways as long as it
 * refuses how it was asked; what worked is remembered until it is closed. A failure that may pass is tried again.
 */
export function createRemoteModel(
  { model, remote, limit, ask }: RemoteModel,
  retries: RetryOptions,
): LanguageModel {
  const lifetime = beginLifetime('Asking the language model', 'language model')
  let understood: Dialect = { ...FULL, limit }
  // A format refused for one schema weakens no other.
  const formats = new Map<string, Format>()
  const negotiate = async (question: ModelRequest, signal: AbortSignal) => {
    let dialect: Dialect = { ...understood, format: formats.get(question.schemaName) ?? FULL.format }
    let first: Asked | undefined
    for (;;) {
      const outcome = await ask(question, dialect, signal)
      if (outcome.ok) {
        understood = dialect
        formats.set(question.schemaName, dialect.format)
      }
      if (outcome.ok || outcome.refusal === undefined) return outcome
      // The words of the first refusal are about the question as it was meant.
      first ??= outcome
      const next = nextDialect(dialect, outcome.refusal)
      if (next === undefined) return first
      dialect = next
    }
  }
  return {
    model,
    remote,
    ask: (question, { signal } = {}) =>
      lifetime.run(signal, (either) => withRetries(() => negotiate(question, either), retries, either)),
    close: async () => lifetime.close(),
  }
}

/** A message of a conversation, as every interface knows it. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** Returns the conversation of a request. The schema is given in words where the endpoint is not held to it. */
export function messagesOf({ system, prompt, schema }: ModelRequest, format: Format): readonly Message[] {
  const told = format === 'json_schema' ? system : `${system}\n\n${inWords(schema)}`
  return [
    { role: 'system', content: told },
    { role: 'user', content: prompt },
  ]
}

function inWords(schema: JsonSchema): string {
  return `Answer with one JSON value and nothing else. It must fit this JSON Schema:\n${JSON.stringify(schema)}`
}
