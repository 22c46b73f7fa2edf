import { holdsFence, withoutFences } from '../block/text.ts'

/** The place where a prompt does not begin with the one before. */
export interface PrefixBreak {
  /** The first message that differs, from 0. */
  readonly at: number
  /** True if that message only lost the frame behind it, and so for those after it. */
  readonly isDroppedFrame: boolean
}

/**
 * Looks for the place where the messages of a call do not begin with those of the call before; undefined if they do. A provider reads
 * everything from there on anew. For tests of adapters: `isDroppedFrame` is as it should be at the message of a turn without a
 * tool loop, and every other break is a fault.
 */
export function prefixBreak(before: readonly unknown[], now: readonly unknown[]): PrefixBreak | undefined {
  const at = before.findIndex((message, place) => !isSame(message, now[place]))
  if (at < 0) return undefined
  const isDroppedFrame = before.slice(at).every((message, place) => {
    const then = now[at + place]
    return isSame(message, then) || (!hasFrame(then) && isSame(withoutFrame(message), withoutFrame(then)))
  })
  return { at, isDroppedFrame }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** True if a text anywhere in a message holds a fence. */
function hasFrame(message: unknown): boolean {
  if (typeof message === 'string') return holdsFence(message)
  return typeof message === 'object' && message !== null && Object.values(message).some(hasFrame)
}

/** A message without fences; parts that held nothing else are left out. */
function withoutFrame(message: unknown): unknown {
  if (typeof message === 'string') return withoutFences(message).text.trimEnd()
  if (Array.isArray(message)) return message.filter((part) => !isFrameAlone(part)).map(withoutFrame)
  if (typeof message !== 'object' || message === null) return message
  return Object.fromEntries(Object.entries(message).map(([name, value]) => [name, withoutFrame(value)]))
}

/** True of a text, or of a part with a text, that is a fence and nothing else. */
function isFrameAlone(part: unknown): boolean {
  const text = typeof part === 'object' && part !== null ? (part as { readonly text?: unknown }).text : part
  return typeof text === 'string' && text !== '' && withoutFences(text).text.trim() === ''
}
