import { computed, signal } from '@preact/signals'
import {
  type Answer,
  CANCELLED,
  call,
  type Failure,
  type Input,
  type OperationName,
  type Output,
} from './api.ts'
import { changed } from './live.ts'
import { pageWords, redactedWords } from './page-words.ts'
import { session } from './session.ts'

/** One sentence about what happened, with a way back. */
export interface Toast {
  readonly text: string
  readonly tone?: 'bad'
  /** What it tells of is not done yet: it stays until then. */
  readonly isGoing?: true
  readonly undo?: () => void
  /** Tries once more what failed. */
  readonly again?: Again
}

/** Another try of what failed. */
interface Again {
  /** The act and the block, such as `Forget “The ferry leaves…”`: the toast may stay while others are looked at. */
  readonly what: string
  readonly run: () => void
}

/** The toast that is shown; it goes after nine seconds, but one that says why something failed stays. */
export const toast = signal<Toast | undefined>(undefined)

/** False: the command runs with --read-only, so nothing that changes the memory is offered. */
export const mayChange = computed(() => !session.value.readOnly)

/** Words leave the files of the whole memory or none, so a dashboard of one scope does not erase. */
export const mayErase = computed(() => mayChange.value && session.value.scope === undefined)

/** A change that takes longer says so, in milliseconds: another process may hold the memory for some seconds. */
const LATE = 800

/** Options of a change. */
interface ChangeOptions<T> {
  /** The sentence of the toast; the summary of the answer unless given. */
  readonly said?: string | ((value: T) => string)
  /** False: the toast offers no way back. */
  readonly undo?: false
  readonly signal?: AbortSignal
  readonly call?: string
  /**
   * Tries once more: the toast of a failure names it and offers it. Words alone make the same call. Leave it out where what was
   * pressed still stands there with what was typed.
   */
  readonly again?: string | Again
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
  const late = setTimeout(() => {
    // What tells of its own progress is heard already.
    if (options.call === undefined)
      toast.value = { text: 'The memory is busy. It is not done yet.', isGoing: true }
  }, LATE)
  const answer = await call(name, input, { signal: options.signal, call: options.call })
  clearTimeout(late)
  if (!answer.ok) {
    const { again } = options
    const same = () => void change(name, input, options)
    sayFailure(answer.failure, typeof again === 'string' ? { what: again, run: same } : again)
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
  const input = { operationId, reason: 'taken back in the dashboard' }
  const again = `Take back number ${operationId} of the journal`
  return change('undo', input, { said: 'It is taken back.', again })
}

/** Says in a toast why something was not done; that somebody cancelled it is no error. */
export function sayFailure({ code, message, recovery }: Failure, again?: Again): void {
  const why = pageWords(recovery === undefined ? message : `${message} ${recovery}`)
  const text = again === undefined ? why : `Not done: ${again.what}. ${why}`
  toast.value = code === CANCELLED ? { text: why } : { text, tone: 'bad', ...(again && { again }) }
}
