import { signal } from '@preact/signals'

/** The version this page was built of. */
declare const __VERSION__: string

/** How far the page may look into the memory. */
export interface Session {
  /** locked: there is no token, or the server does not know it any more. */
  readonly state: 'starting' | 'open' | 'locked'
  /** True of a page that showed the memory before it was locked. */
  readonly wasOpen?: true
  readonly readOnly: boolean
  readonly version?: string
  readonly scope?: string
  readonly location?: string
  /** Of a memory that is made anew at each start: `demo`. */
  readonly name?: string
}

const KEY = 'elfmem.token'
const RELOADED = 'elfmem.reloaded'
/** How long other tabs have to hand over the token, in milliseconds. */
const HANDOVER = 400

/** What the server said of itself, and whether the page may ask it anything. */
export const session = signal<Session>({ state: 'starting', readOnly: false })

/** Grows when a page that was locked got a new token: it asks anew, and what is typed stays. */
export const unlocked = signal(0)

let token: string | undefined
let tabs: BroadcastChannel | undefined

/** The token of this run, for the header of a request. */
export function currentToken(): string | undefined {
  return token
}

/** Forgets the token: the command that gave it has ended, or it was never right. */
export function lock(): void {
  token = undefined
  sessionStorage.removeItem(KEY)
  const wasOpen = session.value.state === 'open' ? { wasOpen: true as const } : {}
  session.value = { ...session.value, ...wasOpen, state: 'locked' }
}

/** A session that is open. */
export interface Opened {
  /** The number of the entry after which a stream is to go on; undefined if it begins with the newest. */
  readonly last?: string
}

/** Takes the code out of the address and trades it for a token, or gets that of another tab. Undefined if there is none. */
export async function openSession(): Promise<Opened | undefined> {
  listenToTabs()
  const code = /(?:^#|&)code=([\w-]+)/.exec(location.hash)?.[1]
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search)
  const traded = code === undefined ? undefined : await trade(code)
  token = traded?.token ?? sessionStorage.getItem(KEY) ?? (await askTabs())
  if (token === undefined) {
    lock()
    return undefined
  }
  sessionStorage.setItem(KEY, token)
  if (traded === undefined) return {}
  tabs?.postMessage({ token })
  greet(traded.hello)
  return traded.last === undefined ? {} : { last: String(traded.last) }
}

/** Notes what the server says of itself; a page of another version loads itself anew, once. */
export function greet(hello: Omit<Session, 'state'>): void {
  const { location: before } = session.value
  session.value = { ...hello, state: 'open' }
  // Another memory at the same address: nothing that is in view is of it.
  if (before !== undefined && before !== hello.location) location.reload()
  if (hello.version === undefined || hello.version === __VERSION__) return
  if (sessionStorage.getItem(RELOADED) === hello.version) return
  sessionStorage.setItem(RELOADED, hello.version)
  location.reload()
}

interface Traded {
  readonly token: string
  /** The same as a stream begins with, so that the page need not wait for one. */
  readonly hello: Omit<Session, 'state'>
  /** The number of the newest entry then: what comes after it is told by the stream. */
  readonly last?: number
}

async function trade(code: string): Promise<Traded | undefined> {
  try {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch('/api/session', { method: 'POST', headers, body: JSON.stringify({ code }) })
    if (!answer.ok) return undefined
    return (await answer.json()) as Traded
  } catch {
    return undefined
  }
}

/** Another tab of the same origin, and so of the same memory, may ask for the token or bring a newer one. */
function listenToTabs(): void {
  tabs = new BroadcastChannel('elfmem')
  tabs.addEventListener('message', ({ data }: MessageEvent<{ ask?: true; token?: string }>) => {
    if (data.ask && token !== undefined) tabs?.postMessage({ token })
    const { state, wasOpen } = session.value
    if (state !== 'locked' || typeof data.token !== 'string') return
    sessionStorage.setItem(KEY, data.token)
    if (!wasOpen) return location.reload()
    token = data.token
    unlocked.value++
  })
}

function askTabs(): Promise<string | undefined> {
  return new Promise((resolve) => {
    const done = ({ data }: MessageEvent<{ token?: string }>) => {
      if (typeof data.token === 'string') resolve(data.token)
    }
    tabs?.addEventListener('message', done)
    tabs?.postMessage({ ask: true })
    setTimeout(() => {
      tabs?.removeEventListener('message', done)
      resolve(undefined)
    }, HANDOVER)
  })
}
