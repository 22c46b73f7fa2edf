import type { ModelFailureKind } from '../../engine/ports.ts'
import { ElfmemError } from '../../errors.ts'
import { excerptOf, redact, serverMessage } from './server-words.ts'

/** A failure of a request: why it brought no answer, and whether the same request may work later. */
export interface Failure {
  readonly error: ElfmemError<'EMBEDDER_FAILED' | 'MODEL_FAILED'>
  readonly passing: boolean
  readonly retryAfter: string | undefined
}

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

/** The endpoint that was asked. */
export interface Target {
  readonly part: Part
  readonly host: string
  readonly model: string
  readonly apiKey: string | undefined
  /** The environment variable the key is read from, for the advice. */
  readonly keyVariable?: string | undefined
}

/** An answer of a server whose status is no success; `retryAfter` is the header as it came. */
export interface Refusal {
  readonly status: number
  readonly body: string
  readonly retryAfter: string | undefined
}

/** The server answered with a status that is no success. */
export function refused(target: Target, { status, body, retryAfter }: Refusal): Failure {
  const said = excerptOf(serverMessage(body), target.apiKey)
  const kind = kindOfStatus(status, serverMessage(body), target.model)
  const words = said === '' ? '' : `: ${said}`
  return failure(target, {
    kind,
    message: `The ${target.part.server} ${target.host} answered ${status}${words}.`,
    // No waiting lifts a limit of the account.
    passing: isPassing(status) && !(kind === 'rate' && QUOTA.test(body)),
    status,
    retryAfter,
  })
}

/** Returns the failure of a request without an answer: refused, not found, broken off or too slow. */
export function unreachable(target: Target, cause: unknown, timeoutMs: number): Failure {
  const { server } = target.part
  if (isTimeout(cause))
    return failure(target, {
      kind: 'timeout',
      message: `The ${server} ${target.host} did not answer within ${timeoutMs} ms.`,
      passing: true,
      cause,
    })
  const code = systemCode(cause)
  return failure(target, {
    kind: 'host',
    message: `The ${server} ${target.host} cannot be reached${code === undefined ? '' : ` (${code})`}.`,
    passing: true,
    code,
    cause,
  })
}

/** The facts about a failed request; `passing` is true if the same request may work later. */
export interface FailureFacts {
  readonly kind: ModelFailureKind
  readonly message: string
  readonly passing: boolean
  readonly status?: number | undefined
  /** The system's, such as ECONNREFUSED. */
  readonly code?: string | undefined
  readonly retryAfter?: string | undefined
  /** Kept only for embedders: what a provider throws may repeat a request with its headers. */
  readonly cause?: unknown
}

/** A failure with what to do about it. No key is in the message, the details or the cause. */
export function failure(target: Target, facts: FailureFacts): Failure {
  const { kind, passing, status, code, retryAfter, cause } = facts
  const { part, host, model, apiKey } = target
  const error = new ElfmemError(part.code, redact(facts.message, apiKey), {
    recovery: adviceFor(facts, target),
    details: {
      passing,
      kind,
      host,
      model,
      ...(status === undefined ? {} : { status }),
      ...(code === undefined ? {} : { code }),
    },
    ...(part === EMBEDDER && cause !== undefined ? { cause } : {}),
  })
  return { error, passing, retryAfter }
}

/** True if the same request may work later. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

/** True if it was the time limit that ended a request. */
export function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'TimeoutError'
}

const OF_STATUS: Readonly<Record<number, ModelFailureKind>> = {
  401: 'key',
  403: 'key',
  408: 'timeout',
  429: 'rate',
}
const QUOTA = /insufficient_quota|credit balance|billing/i
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

function adviceFor({ kind, status, code }: FailureFacts, target: Target): string {
  const { part, model, keyVariable } = target
  const key = keyVariable === undefined ? `${part.section}.api_key_env` : `the variable ${keyVariable}`
  switch (kind) {
    case 'key':
      return `Check the API key of the ${part.name} in ${key}: it is missing, wrong or lacks the right.`
    case 'model':
      return `Check ${part.section}.model, that the server has the model "${model}", and the base URL.`
    case 'host':
      return hostAdvice(status, code, target)
    case 'timeout':
      return `Raise the timeout (${part.section}.timeout_seconds), or ${part.less}.`
    case 'rate':
      return 'Wait, or raise the rate limit or quota of the account.'
    case 'server':
      return 'Try again later: the server has a problem.'
    case 'request':
      return `Check the model name and that the texts are not too long for it, or ${part.less}.`
    case 'answer':
      return `Check the model and its provider; ${part.section}.base_url usually ends with /v1.`
  }
}

function hostAdvice(status: number | undefined, code: string | undefined, { part, model }: Target): string {
  if (code === 'URL')
    return `Set ${part.section}.base_url to an address such as http://localhost:11434/v1, and a key to a variable.`
  if (code === 'ECONNREFUSED') return `Start the ${part.server}, or check host and port of the base URL.`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'Check the host name of the base URL and the network.'
  if (status === 404) return `Check the base URL, and that the server has the model "${model}".`
  if (status !== undefined && status < 400)
    return `Set ${part.section}.base_url to where it leads: redirects are not followed, so that no key goes astray.`
  return `Check the base URL of the ${part.name} and the network.`
}

/** fetch hides the system's error in a chain of causes. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  return systemCode(error.cause)
}
