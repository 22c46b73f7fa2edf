import { signal } from '@preact/signals'
import type { WatchedEntry } from '../src/engine/watch.ts'
import { headers } from './api.ts'
import { greet, lock, type Session, session, unlocked } from './session.ts'
import { readEvents, type StreamEvent } from './stream.ts'

/** How far a long call of ours is. */
export interface Progress {
  readonly call: string
  readonly stage: string
  readonly done: number
  readonly total: number
}

/** ended: the command said so, or has not answered for some seconds. */
export const connection = signal<'connecting' | 'live' | 'lost' | 'ended'>('connecting')

/** Grows whenever somebody changed the memory, we ourselves included: what is shown then loads anew. */
export const changes = signal(0)

/** The newest entries of the log that came while the page was open, newest first. */
export const recent = signal<readonly WatchedEntry[]>([])

/** The progress of the long call that told of itself last. */
export const progress = signal<Progress | undefined>(undefined)

/** Entries that are kept to be shown. */
const KEPT = 50
/** Milliseconds until the next try, doubled each time up to the second. */
const WAITS = { first: 500, most: 8_000 }
/** Tries in vain after which the command counts as ended. */
const TRIES = 3

let lastId: string | undefined

/** Says that we changed something, without waiting for the stream to tell us. */
export function changed(): void {
  changes.value++
}

/**
 * Follows the stream for as long as the page is open.
 *
 * @param last the number of the newest entry that is known already
 */
export async function follow(last: string | undefined): Promise<void> {
  lastId = last
  let wait = WAITS.first
  let tries = 0
  for (;;) {
    await seen()
    const answered = await followOnce()
    if (answered === 'locked') {
      connection.value = 'lost'
      await newToken()
      wait = WAITS.first
      continue
    }
    tries = answered === 'heard' ? 1 : tries + 1
    wait = answered === 'heard' ? WAITS.first : Math.min(wait * 2, WAITS.most)
    if (connection.value !== 'ended') connection.value = tries >= TRIES ? 'ended' : 'lost'
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

/** Resolves once somebody looks at the page: a browser has six connections to a host, and each stream holds one. */
function seen(): Promise<void> {
  if (!document.hidden) return Promise.resolve()
  return new Promise((resolve) => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true })
  })
}

/** Resolves once another tab of the same memory gave a token that is good. */
function newToken(): Promise<void> {
  const before = unlocked.value
  return new Promise((resolve) => {
    const stop = unlocked.subscribe((count) => {
      if (count === before) return
      queueMicrotask(() => stop())
      resolve()
    })
  })
}

async function followOnce(): Promise<'heard' | 'silent' | 'locked'> {
  let heard = false
  const unseen = new AbortController()
  const leave = () => document.hidden && unseen.abort()
  document.addEventListener('visibilitychange', leave)
  try {
    const resume = lastId === undefined ? {} : { 'last-event-id': lastId }
    const answer = await fetch('/api/events', {
      headers: { ...headers(), ...resume },
      signal: unseen.signal,
    })
    if (answer.status === 401) {
      lock()
      return 'locked'
    }
    if (!answer.ok || answer.body === null) return 'silent'
    heard = true
    connection.value = 'live'
    await readAll(answer.body)
  } catch {
    // The stream broke; the caller tries again.
  } finally {
    document.removeEventListener('visibilitychange', leave)
  }
  return heard ? 'heard' : 'silent'
}

async function readAll(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const { events, rest } = readEvents(text + value)
    text = rest
    for (const event of events) take(event)
  }
}

function take({ event, data, id }: StreamEvent): void {
  if (id !== undefined) lastId = id
  if (event === 'hello') {
    // What was asked for while the page was locked was refused.
    const isBack = session.value.state === 'locked'
    greet(JSON.parse(data) as Omit<Session, 'state'>)
    if (isBack) changed()
  }
  if (event === 'operations') {
    const entries = JSON.parse(data) as readonly WatchedEntry[]
    recent.value = [...entries.toReversed(), ...recent.value].slice(0, KEPT)
    changed()
  }
  if (event === 'stale') changed()
  if (event === 'progress') progress.value = JSON.parse(data) as Progress
  if (event === 'bye') connection.value = 'ended'
}
