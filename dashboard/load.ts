import type { Inputs } from 'preact/hooks'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import {
  type Answer,
  CANCELLED,
  call,
  type Failure,
  type Input,
  type OperationName,
  type Output,
} from './api.ts'
import { changes } from './live.ts'

/** What a screen has of what it asked for. */
export interface Loaded<T> {
  /** The newest answer; it stays while another is on its way. */
  readonly data?: T
  readonly failure?: Failure
  readonly isLoading: boolean
  /** Asks again. */
  readonly again: () => void
}

/**
 * Loads by `work` now and whenever an input changes. What was shown stays meanwhile. Pass `changes.value` among the inputs if
 * it is to follow what others do.
 */
export function useLoad<T>(work: (signal: AbortSignal) => Promise<Answer<T>>, inputs: Inputs): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'again'>>({ isLoading: true })
  const running = useRef<AbortController>(undefined)
  const run = () => {
    running.current?.abort()
    const mine = new AbortController()
    running.current = mine
    setState((state) => {
      if (state.isLoading && state.failure === undefined) return state
      return { ...(state.data === undefined ? {} : { data: state.data }), isLoading: true }
    })
    void work(mine.signal).then((answer) => {
      if (running.current !== mine) return
      if (answer.ok) setState({ data: answer.value, isLoading: false })
      else if (answer.failure.code !== CANCELLED)
        setState(({ data }) => ({
          ...(data === undefined ? {} : { data }),
          failure: answer.failure,
          isLoading: false,
        }))
    })
    return () => mine.abort()
  }
  // Before the picture is drawn: the answer is on its way meanwhile.
  useLayoutEffect(run, inputs)
  return { ...state, again: run }
}

/** Loads what an operation answers, and again whenever the input or the memory changes. */
export function useOperation<N extends OperationName>(name: N, input: Input<N>): Loaded<Output<N>> {
  return useLoad((signal) => call(name, input, { signal }), [name, JSON.stringify(input), changes.value])
}
