import { computed, signal } from '@preact/signals'
import { type Answer, call, type Failure, type Input, type OperationName, type Output } from './api.ts'
import { changed } from './live.ts'
import { pageWords, redactedWords } from './page-words.ts'
import { session } from './session.ts'

/** One sentence about what happened, with a way back. */
export interface Toast {
  readonly text: string
  readonly tone?: 'bad'
  readonly undo?: () => void
}

/** The toast that is shown; it goes after nine seconds. */
export const toast = signal<Toast | undefined>(undefined)

/** False: the command runs with --read-only, so nothing that changes the memory is offered. */
export const mayChange = computed(() => !session.value.readOnly)

/** Words leave the files of the whole memory or none, so a dashboard of one scope does not erase. */
export const mayErase = computed(() => mayChange.value && session.value.scope === undefined)

/** Options of a change. */
interface ChangeOptions<T> {
  /** The sentence of the toast; the summary of the answer unless given. */
  readonly said?: string | ((value: T) => string)
  /** False: the toast offers no way back. */
  readonly undo?: false
  readonly signal?: AbortSignal
  readonly call?: string
}

/**
 * Calls an operation that changes the memory, and says in a toast what came of it. The toast takes back exactly this operation,
 * by its number. What others show loads anew.
 */
export async function change<N extends OperationName>(
  name: N,
  input: Input<N>,
  options: ChangeOptions<Output<N>> = {},
): Promise<Answer<Output<N>>> {
  const answer = await call(name, input, { signal: options.signal, call: options.call })
  if (!answer.ok) {
    sayFailure(answer.failure)
    return answer
  }
  changed()
  const value = answer.value as Output<N> & { readonly operationId?: number; readonly summary: string }
  const { operationId } = value
  const said = typeof options.said === 'function' ? options.said(answer.value) : options.said
  const takesBack =
    operationId === undefined || options.undo === false ? {} : { undo: () => void takeBack(operationId) }
  toast.value = { text: toastWords(said, value), ...takesBack }
  return answer
}

/** What a toast says: own words, or the summary of the answer. That a secret was taken out is never left unsaid. */
function toastWords(said: string | undefined, value: { readonly summary: string }): string {
  const secrets = redactedWords(value)
  if (said === undefined) return pageWords(value.summary)
  return secrets === '' || said.includes(secrets) ? said : `${said} ${secrets}`
}

/** Takes one operation back; the toast offers to undo that, too. */
export function takeBack(operationId: number): Promise<Answer<Output<'undo'>>> {
  return change('undo', { operationId, reason: 'taken back in the dashboard' }, { said: 'It is taken back.' })
}

/** Says in a toast why something was not done. */
export function sayFailure({ message, recovery }: Failure): void {
  toast.value = { text: pageWords(recovery === undefined ? message : `${message} ${recovery}`), tone: 'bad' }
}
