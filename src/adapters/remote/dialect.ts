import type { JsonSchema, ModelRequest } from '../../ports/language-model.ts'
import type { Outcome } from './retries.ts'

/** How an answer is held to its schema, the strictest first. */
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
 * How to ask again after a 400 or 422 with these words, or undefined when they are not about how it was asked. Words that
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

/** The dialects an endpoint has been found to understand, kept in memory only. */
export interface KnownDialect {
  /** Returns how to ask with a schema of this name; a format refused for one schema weakens no other. */
  of(schemaName: string): Dialect
  /** Keeps a dialect that worked. */
  keep(schemaName: string, dialect: Dialect): void
}

/** Begins with everything OpenAI's interface offers; `limit` undefined where somebody else names it. */
export function createKnownDialect(limit: Dialect['limit'] = FULL.limit): KnownDialect {
  const formats = new Map<string, Format>()
  let shared = { ...FULL, limit }
  return {
    of: (name) => ({ ...shared, format: formats.get(name) ?? FULL.format }),
    keep(name, dialect) {
      shared = dialect
      formats.set(name, dialect.format)
    },
  }
}

/** Result of asking in one way; `refusal` has the endpoint's words if it refused the request as a whole. */
export type Asked<T> = Outcome<T> & { readonly refusal?: string | undefined }

/**
 * Asks, and asks in other ways as long as the endpoint refuses how it was asked. The failure is that of the first way:
 * its words are about the question as it was meant.
 */
export async function negotiate<T>(
  known: KnownDialect,
  schemaName: string,
  ask: (dialect: Dialect) => Promise<Asked<T>>,
): Promise<Outcome<T>> {
  let refused: Asked<T> | undefined
  let dialect = known.of(schemaName)
  for (;;) {
    const outcome = await ask(dialect)
    if (outcome.ok) known.keep(schemaName, dialect)
    if (outcome.ok || outcome.refusal === undefined) return outcome
    refused ??= outcome
    const next = nextDialect(dialect, outcome.refusal)
    if (next === undefined) return refused
    dialect = next
  }
}

/** A message of a conversation, as every interface knows it. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/**
 * The conversation of a request. The schema is told in words where the endpoint is not held to it, and where an answer
 * had to be sent back: some endpoints take a schema and forget it.
 */
export function messagesOf(request: ModelRequest, format: Format): readonly Message[] {
  const { system, prompt, turns = [], schema } = request
  const told = format !== 'json_schema' || turns.length > 0
  return [
    { role: 'system', content: told ? `${system}\n\n${inWords(schema)}` : system },
    { role: 'user', content: prompt },
    ...turns.flatMap(({ answer, objection }): Message[] => [
      // Interfaces refuse an empty message, and one that ends in white space.
      { role: 'assistant', content: answer.trim() || '(nothing)' },
      { role: 'user', content: objection },
    ]),
  ]
}

function inWords(schema: JsonSchema): string {
  return `Answer with one JSON value and nothing else. It must fit this JSON Schema:\n${JSON.stringify(schema)}`
}
