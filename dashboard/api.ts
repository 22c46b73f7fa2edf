import type { Operations } from '../src/operations/methods.generated.ts'
import { commandAgain } from './command.ts'
import { currentToken, lock, session } from './session.ts'

/** An operation of the library. */
export type OperationName = keyof Operations
/** The input of an operation. */
export type Input<N extends OperationName> = NonNullable<Parameters<Operations[N]>[0]>
/** The answer of an operation. */
export type Output<N extends OperationName> = Awaited<ReturnType<Operations[N]>>

/** Why something was not done, and what helps. */
export interface Failure {
  /** The status of the answer; 0 if there was none. */
  readonly status: number
  readonly code: string
  readonly message: string
  readonly recovery?: string | undefined
  readonly details?: unknown
}

/** An answer, or why there is none. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure }

/** Options of a call. */
export interface CallOptions {
  /** Ends the call; the server cancels it, too. */
  readonly signal?: AbortSignal | undefined
  /** Names the call, so that its progress can be told from that of others: `live.ts`. */
  readonly call?: string | undefined
}

/** The code of a call that the page itself ended. */
export const CANCELLED = 'CANCELLED'

/** Calls an operation. It never throws: an error is a value. */
export function call<N extends OperationName>(
  name: N,
  input: Input<N>,
  options?: CallOptions,
): Promise<Answer<Output<N>>> {
  return post(`/api/operations/${name}`, input, options)
}

/** Reads a record that no operation gives: `settings` or `place`. */
export function view<T>(name: 'settings' | 'place', options?: CallOptions): Promise<Answer<T>> {
  return post(`/api/views/${name}`, {}, options)
}

/** Headers of every request: the token travels in no address and no cookie. */
export function headers(): Record<string, string> {
  return { authorization: `Bearer ${currentToken() ?? ''}` }
}

async function post<T>(path: string, body: unknown, options: CallOptions = {}): Promise<Answer<T>> {
  try {
    const answer = await fetch(path, {
      method: 'POST',
      headers: {
        ...headers(),
        'content-type': 'application/json',
        ...(options.call === undefined ? {} : { 'x-call': options.call }),
      },
      body: JSON.stringify(body),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    })
    if (answer.status === 401) lock()
    if (answer.ok) return { ok: true, value: (await answer.json()) as T }
    return { ok: false, failure: await failureOf(answer) }
  } catch (error) {
    return { ok: false, failure: options.signal?.aborted ? cancelled : gone(error) }
  }
}

async function failureOf(answer: Response): Promise<Failure> {
  const told = (await answer.json().catch(() => ({}))) as {
    error?: string
    message?: string
    recovery?: string
    details?: unknown
  }
  const { error = `HTTP_${answer.status}`, message, recovery, details } = told
  return {
    ...{ status: answer.status, code: error, recovery, details },
    message: message ?? `The dashboard’s command answered ${answer.status}.`,
  }
}

const cancelled: Failure = { status: 0, code: CANCELLED, message: 'It was cancelled.' }

function gone(error: unknown): Failure {
  return {
    status: 0,
    code: 'GONE',
    message: 'The dashboard’s command does not answer.',
    recovery: `Start it again: ${commandAgain(session.value)}`,
    details: String(error),
  }
}
