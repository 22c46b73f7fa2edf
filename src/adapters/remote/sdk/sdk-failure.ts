import type { ModelFailureKind } from '../../../engine/ports.ts'
import {
  type Failure,
  failure,
  isPassing,
  isTimeout,
  kindOfStatus,
  systemCode,
  type Target,
} from '../failure.ts'
import { excerptOf } from '../server-words.ts'
import { isTooLong } from '../transport.ts'

/** The fields of the SDK's `APICallError`; other errors have none of them. */
interface CallError {
  readonly name?: string
  readonly statusCode?: number
  readonly isRetryable?: boolean
  readonly responseHeaders?: Readonly<Record<string, string>>
}

/** Returns the failure for an error that a model object of the AI SDK threw. */
export function sdkFailure(target: Target, provider: string, cause: unknown): Failure {
  const { statusCode, isRetryable, responseHeaders } = callError(cause)
  const said = excerptOf(cause instanceof Error ? cause.message : String(cause), target.apiKey)
  const status = statusCode !== undefined && statusCode >= 300 ? statusCode : undefined
  return failure(target, {
    kind: kindOf(target, cause, status),
    message: `The ${target.part.name} ${target.model} of ${provider} failed${said === '' ? '' : `: ${said}`}.`,
    passing: (isRetryable ?? (status !== undefined && isPassing(status))) || isTimeout(cause),
    status,
    code: systemCode(cause),
    retryAfter: responseHeaders?.['retry-after'],
    cause,
  })
}

/** Returns the server's message if it refused the request's form (400 or 422), else undefined. */
export function sdkRefusal(cause: unknown): string | undefined {
  const { statusCode } = callError(cause)
  return statusCode === 400 || statusCode === 422 ? String((cause as Error).message) : undefined
}

function callError(cause: unknown): CallError {
  return typeof cause === 'object' && cause !== null ? cause : {}
}

function kindOf({ model }: Target, cause: unknown, status: number | undefined): ModelFailureKind {
  if (isTooLong(cause)) return 'answer'
  const { name = '' } = callError(cause)
  if (isTimeout(cause)) return 'timeout'
  if (/LoadAPIKey/.test(name)) return 'key'
  if (/NoSuchModel/.test(name)) return 'model'
  if (status !== undefined) return kindOfStatus(status, cause instanceof Error ? cause.message : '', model)
  return systemCode(cause) === undefined ? 'answer' : 'host'
}
