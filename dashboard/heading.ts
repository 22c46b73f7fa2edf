import { signal } from '@preact/signals'

/** Grows whenever the heading of the screen that comes next is to have the focus. */
export const headingWanted = signal(0)

/** Milliseconds that the heading of a screen may take; then somebody has gone on by other ways. */
const PATIENCE = 5_000

/** Gives the focus to the heading as soon as there is one, unless it went elsewhere meanwhile. Returns a way to stop. */
export function focusHeading(main: HTMLElement): () => void {
  const began = document.activeElement
  const stop = () => {
    watcher.disconnect()
    clearTimeout(timer)
  }
  const look = () => {
    const heading = main.querySelector<HTMLElement>('h1')
    if (heading === null) return
    stop()
    if (document.activeElement !== began && document.activeElement !== document.body) return
    heading.tabIndex = -1
    heading.focus()
  }
  const watcher = new MutationObserver(look)
  const timer = setTimeout(stop, PATIENCE)
  watcher.observe(main, { childList: true, subtree: true })
  look()
  return stop
}
