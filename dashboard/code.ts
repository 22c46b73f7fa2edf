import { useEffect, useState } from 'preact/hooks'
import type { Failure } from './api.ts'
import { commandAgain } from './command.ts'
import { session } from './session.ts'

const known = new Map<string, unknown>()

/** Loads the code of a part of the page, once; whoever asks for it early need not wait when it is shown. Returns false if it did not come. */
export async function loadCode(name: string, load: () => Promise<unknown>): Promise<boolean> {
  try {
    if (!known.has(name)) known.set(name, await load())
    return true
  } catch {
    return false
  }
}

/** A part of the page, or why it is not there; neither while it is on its way. */
interface Code<C> {
  readonly found?: C | undefined
  readonly failure?: Failure
  /** Tries once more. */
  readonly again: () => void
}

/** The code of a part of the page. */
export function useCode<C extends object>(name: string, load: () => Promise<C>): Code<C> {
  const [, setCount] = useState(0)
  // The part that did not come: another one has not failed yet.
  const [failed, setFailed] = useState<string>()
  const found = known.get(name) as C | undefined
  useEffect(() => {
    // It may have come since it was looked for.
    if (found !== undefined) return
    setFailed(undefined)
    void loadCode(name, load).then((isThere) => (isThere ? setCount((count) => count + 1) : setFailed(name)))
  }, [name])
  const again = () => {
    setFailed(undefined)
    void reloadIfServed().then(() => setFailed(name))
  }
  return { found, again, ...(found === undefined && failed === name ? { failure: missing() } : {}) }
}

/** A browser keeps that a file did not come, and its style would stay away: only a page that is loaded anew has all of it. */
async function reloadIfServed(): Promise<void> {
  const answer = await fetch('/', { cache: 'no-store' }).catch(() => undefined)
  if (answer?.ok) location.reload()
}

function missing(): Failure {
  return {
    status: 0,
    code: 'GONE',
    message: 'This part of the page did not load.',
    recovery: `If the dashboard’s command has ended, start it again: ${commandAgain(session.value)}`,
  }
}
