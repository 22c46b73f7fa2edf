import { useEffect, useRef, useState } from 'preact/hooks'
import type { Decision } from '../../../src/operations/methods.generated.ts'
import { setQuery } from '../../router.tsx'
import { decisionAt, stepped } from './place.ts'

/** The decision under the hand: it stays as it was seen until the hand moves on. */
export interface Held {
  readonly decision: Decision | undefined
  /** Its place in the list, from 0. */
  readonly place: number
  /** Somebody else settled it meanwhile. */
  readonly isGone: boolean
  /** Its words are others meanwhile. */
  readonly hasChanged: boolean
  /** Shows what stands at a place now. */
  readonly show: (place: number) => void
  readonly step: (by: 1 | -1) => void
  /** Goes on to the next after these were decided here. */
  readonly settled: (ids: readonly string[]) => void
}

/** Keeps a decision under the hand while the list behind it loads anew. `at` is the one that the address names. */
export function useHeld(list: readonly Decision[], at: string | undefined): Held {
  const last = useRef(0)
  // What is decided here may settle others, which then go without a word.
  const isOurs = useRef(false)
  const [held, setHeld] = useState<Decision>()
  const found = decisionAt(list, { id: at, place: last.current })
  const newer = held && list.find(({ id }) => id === held.id)
  const isGone = held !== undefined && newer === undefined
  // Two keys may come before the page is drawn anew, so a step begins where the one before it ended.
  last.current = found.place
  const put = (decision: Decision | undefined, place: number) => {
    last.current = place
    setHeld(decision)
    setQuery({ at: decision?.id })
  }
  // Only another list takes it out of the hand.
  useEffect(() => {
    if (held === undefined || (isOurs.current && isGone)) setHeld(found.decision)
    isOurs.current = false
  }, [list])
  useEffect(() => {
    // The browser went back or forth.
    if (at !== undefined && at !== held?.id && found.decision?.id === at) setHeld(found.decision)
  }, [at, held, found.decision])
  return {
    decision: held ?? found.decision,
    place: found.place,
    isGone,
    hasChanged: newer !== undefined && newer.mark !== held?.mark,
    show: (place) => put(list[place], place),
    step: (by) => {
      const place = isGone ? last.current : stepped(last.current, by, list.length)
      put(list[place], place)
    },
    settled: (ids) => {
      const rest = list.filter(({ id }) => !ids.includes(id))
      const place = Math.min(found.place, Math.max(0, rest.length - 1))
      isOurs.current = true
      put(rest[place], place)
    },
  }
}
