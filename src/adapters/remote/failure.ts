import { defined } from '../../block/text.ts'
import type { ModelFailureKind } from '../../engine/ports.ts'
import { attempt, ElfmemError } from '../../errors.ts'

/** A part of elfmem that asks a model, in the words of its messages. */
interface Part {
  readonly code: 'EMBEDDER_FAILED' | 'MODEL_FAILED'
  readonly name: string
  readonly server: string
  /** The section of the settings that names it. */
  readonly section: 'embeddings' | 'llm'
  /** The advice on how to ask for less in one request. */
  readonly less: string
}

/** The embedder, as messages and recoveries name it. */
export const EMBEDDER: Part = {
  code: 'EMBEDDER_FAILED',
  name: 'embedder',
  server: 'embedding server',
  section: 'embeddings',
  less: 'lower the batch size',
}

/** The language model, as messages and recoveries name it. */
export const LANGUAGE_MODEL: Part = {
  code: 'MODEL_FAILED',
  name: 'language model',
  server: 'language model server',
  section: 'llm',
  less: 'choose a model that reads more at once',
}

/** The endpoint that is asked. */
export interface Target {
  readonly part: Part
  readonly host: string
  readonly model: string
  readonly apiKey?: string | undefined
  /** The environment variable the key is read from, for the advice. */
  readonly keyVariable?: string | undefined
}

/** The facts about a failed request. */
interface FailureFacts {
  readonly kind: ModelFailureKind
  readonly message: string
  /** True if the same request may work later. */
  readonly passing?: boolean
  readonly status?: number | undefined
  /** The system's code, such as ECONNREFUSED; `URL` for a base URL that is none. */
  readonly code?: string | undefined
  /** The Retry-After header as it came. */
  readonly retryAfter?: string | undefined
  /** The endpoint's words if it refused how it was asked. */
  readonly refusal?: string | undefined
  /** Kept only for embedders: an error of a provider may repeat a request with its headers. */
  readonly cause?: unknown
}

/** One attempt failed: `error` is for the caller, the rest decides about another attempt. */
export class Failed extends Error {
  readonly error: ElfmemError<'EMBEDDER_FAILED' | 'MODEL_FAILED'>
  readonly passing: boolean
  readonly retryAfter: string | undefined
  readonly refusal: string | undefined

  /** No key is in the message, the details or the cause. */
  constructor(target: Target, facts: FailureFacts) {
    super('The attempt failed.')
    const { kind, passing = false, status, code, cause } = facts
    const { part, host, model, apiKey } = target
    this.passing = passing
    this.retryAfter = facts.retryAfter
    this.refusal = facts.refusal
    this.error = new ElfmemError(part.code, redact(facts.message, apiKey), {
      recovery: adviceFor(facts, target),
      details: { passing, kind, host, model, ...defined({ status, code }) },
      ...(part === EMBEDDER && cause !== undefined ? { cause } : {}),
    })
  }
}

/** True if the same request may work later. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

/** True if the time limit ended a request. */
export function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'TimeoutError'
}

/** The system's code of an error; fetch hides it in a chain of causes. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  return 'code' in error && typeof error.code === 'string' ? error.code : systemCode(error.cause)
}

const OF_STATUS: Readonly<Record<number, ModelFailureKind>> = {
  401: 'key',
  403: 'key',
  408: 'timeout',
  429: 'rate',
}
const OF_MODEL = /\bmodels?\b/i
const NOT_THERE =
  /not (?:be )?(?:found|exist|loaded|available|supported)|unknown|invalid|no such|no models|does ?n.t exist/i

/** Returns the kind of failure that a status and the server's words are about. */
export function kindOfStatus(status: number, said: string, model: string): ModelFailureKind {
  const plain = OF_STATUS[status] ?? (status >= 500 ? 'server' : undefined)
  if (plain !== undefined) return plain
  const ofModel = (model.length > 3 && said.includes(model)) || OF_MODEL.test(said)
  if (status === 404) return ofModel ? 'model' : 'host'
  if (status < 400) return 'host'
  if (/api.?key/i.test(said)) return 'key'
  return ofModel && NOT_THERE.test(said) ? 'model' : 'request'
}

function adviceFor({ kind, status, code }: FailureFacts, { part, model, keyVariable }: Target): string {
  const { section, name, less } = part
  const key = keyVariable === undefined ? `${section}.api_key_env` : `the variable ${keyVariable}`
  const advice: Readonly<Record<Exclude<ModelFailureKind, 'host'>, string>> = {
    key: `Check the API key of the ${name} in ${key}: it is missing, wrong or lacks the right.`,
    model: `Check ${section}.model, that the server has the model "${model}", and the base URL.`,
    timeout: `Raise the timeout (${section}.timeout_seconds), or ${less}.`,
    rate: 'Wait, or raise the rate limit or quota of the account.',
    server: 'Try again later: the server has a problem.',
    request: `Check the model name and that the texts are not too long for it, or ${less}.`,
    answer: `Check the model and its provider; ${section}.base_url usually ends with /v1.`,
  }
  if (kind !== 'host') return advice[kind]
  if (code === 'URL')
    return `Set ${section}.base_url to an address such as http://localhost:11434/v1, and a key to a variable.`
  if (code === 'ECONNREFUSED') return `Start the ${part.server}, or check host and port of the base URL.`
  if (status === 404) return `Check the base URL, and that the server has the model "${model}".`
  if (status !== undefined && status < 400)
    return `Set ${section}.base_url to where it leads: redirects are not followed, so that no key goes astray.`
  return `Check the base URL of the ${name} and the network.`
}

const EXCERPT_CHARACTERS = 200

/** The shapes of common keys, for keys that are not known: a provider's object brings its own. */
const KEYS = /\b(?:sk|gsk|xai|pk)-?[\w-]{16,}|\bgsk_\w{16,}|\bAIza[\w-]{20,}|\bBearer\s+[\w.~+/-]+=*/g

/** A text without the key; some servers repeat it. */
function redact(text: string, apiKey: string | undefined): string {
  return (apiKey ? text.replaceAll(apiKey, '[key]') : text).replace(KEYS, '[key]')
}

/** Returns a server's message as `: one short line` without a key and the full stop; '' if it says nothing. */
export function excerptOf(said: string, { apiKey }: Target): string {
  const line = redact(said.replace(/\s+/g, ' ').trim(), apiKey)
  return line === '' ? '' : `: ${line.slice(0, EXCERPT_CHARACTERS).replace(/\.$/, '')}`
}

/** The message in the body of a refusal; nothing for a page of HTML. */
export function serverMessage(body: string): string {
  const answer: unknown = attempt(() => JSON.parse(body))
  if (answer !== undefined) return errorIn(answer) ?? ''
  return body.trimStart().startsWith('<') ? '' : body
}

/** The words of an `error` field, where servers put it; undefined if there is none. */
export function errorIn(answer: unknown): string | undefined {
  const body = (Array.isArray(answer) ? answer[0] : answer) as Record<string, unknown> | null | undefined
  const error = body?.error ?? body?.detail ?? body?.message
  if (error === undefined || error === null) return undefined
  const said = typeof error === 'string' ? error : (error as Record<string, unknown>).message
  return typeof said === 'string' ? said : JSON.stringify(error)
}
