import { useEffect, useRef } from 'preact/hooks'
import { isDialogOpen } from './dialog.tsx'

/** What keys do; nothing while somebody types or a dialog is open. One that answers false leaves the key to the browser. */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => unknown>>

/** Gives keys of the screen a meaning. */
export function useKeys(keys: Keys): void {
  // What a key means is known as soon as the screen is drawn: a quick second key does not wait for an effect.
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || isDialogOpen() || isTyping(event.target)) return
      const act = latest.current[event.key.length === 1 ? event.key.toLowerCase() : event.key]
      if (act === undefined) return
      if (act(event) !== false) event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

/** True if a key typed there is a letter. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select') !== null
}

/** True if the focus is inside what a selector names. */
export function isFocusIn(selector: string): boolean {
  return document.activeElement?.closest(selector) != null
}
