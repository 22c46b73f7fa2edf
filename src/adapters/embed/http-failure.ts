import { ElfmemError } from '../../errors.ts'

const EXCERPT_CHARACTERS = 200

/** Why a request brought no vectors, and whether the same request may work later. */
export interface Failure {
  readonly error: ElfmemError
  readonly passing: boolean
  readonly retryAfter: string | undefined
}

export interface Target {
  readonly host: string
  readonly model: string
  readonly apiKey: string | undefined
}

export interface Refusal {
  readonly status: number
  readonly body: string
  readonly retryAfter: string | undefined
}

/** The server answered with a status that is no success. */
export function refused(target: Target, { status, body, retryAfter }: Refusal): Failure {
  const said = excerpt(target, body)
  const error = new ElfmemError(
    'EMBEDDER_FAILED',
    `The embedding server ${target.host} answered ${status}${said === '' ? '' : `: ${said}`}.`,
    { recovery: recoveryFor(status, target), details: { status, host: target.host, model: target.model } },
  )
  return { error, passing: isPassing(status), retryAfter }
}

/** No answer came: refused, not found, broken off or too slow. */
export function unreachable(target: Target, cause: unknown, timeoutMs: number): Failure {
  const timedOut = cause instanceof Error && cause.name === 'TimeoutError'
  const code = systemCode(cause)
  const message = timedOut
    ? `The embedding server ${target.host} did not answer within ${timeoutMs} ms.`
    : `The embedding server ${target.host} cannot be reached${code === undefined ? '' : ` (${code})`}.`
  const error = new ElfmemError('EMBEDDER_FAILED', message, {
    recovery: timedOut ? 'Raise the timeout or send fewer texts at once.' : unreachableRecovery(code),
    details: { host: target.host, model: target.model, ...(code === undefined ? {} : { code }) },
    cause,
  })
  return { error, passing: true, retryAfter: undefined }
}

/** Whether the same request may work later. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

/** What to do about a status that is no success. */
export function recoveryFor(status: number, { model }: Pick<Target, 'model'>): string {
  if (status === 401 || status === 403)
    return 'Check the API key of the embedder: it is missing, wrong or lacks the right.'
  if (status === 404) return `Check the base URL, and that the server has the model "${model}".`
  if (status === 429) return 'Wait, or raise the rate limit or quota of the account.'
  if (status === 400 || status === 413 || status === 422) {
    return 'Check the model name and that the texts are not too long for it, or lower the batch size.'
  }
  return status >= 500 ? 'Try again later: the server has a problem.' : 'Check the base URL of the embedder.'
}

function unreachableRecovery(code: string | undefined): string {
  if (code === 'ECONNREFUSED') return 'Start the embedding server, or check host and port of the base URL.'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'Check the host name of the base URL and the network.'
  return 'Check the base URL of the embedder and the network.'
}

/** fetch hides the system's error in a chain of causes. */
function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  return systemCode(error.cause)
}

/** What the server said, in one short line; some servers repeat the key. */
function excerpt({ apiKey }: Target, body: string): string {
  const line = serverMessage(body).replace(/\s+/g, ' ').trim()
  const safe = apiKey === undefined || apiKey === '' ? line : line.replaceAll(apiKey, '[key]')
  return safe.replace(/\.$/, '').slice(0, EXCERPT_CHARACTERS)
}

function serverMessage(body: string): string {
  try {
    const answer = JSON.parse(body) as { error?: { message?: unknown } | string } | null
    const error = answer?.error
    const message = typeof error === 'object' ? error.message : error
    return typeof message === 'string' ? message : ''
  } catch {
    return body.startsWith('<') ? '' : body
  }
}
