import { holdsFence, withoutFences } from '../../src/frames/index.ts'

/**
 * Returns the first message of a prompt that the next prompt changes; undefined if the next one begins with the prompt. `isDroppedFrame` is
 * true if this message, and each after it, only lost its frame.
 */
export function prefixBreak(before: readonly unknown[], now: readonly unknown[]) {
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
  const at = before.findIndex((message, place) => !isSame(message, now[place]))
  if (at < 0) return undefined
  const isDroppedFrame = before.slice(at).every((message, place) => {
    const then = now[at + place]
    return (
      isSame(message, then) ||
      (!holdsFence(JSON.stringify(then)) && isSame(unframed(message), unframed(then)))
    )
  })
  return { at, isDroppedFrame }
}

/** Returns a message without fences. Parts that held only a fence are left out. */
function unframed(message: unknown): unknown {
  if (typeof message === 'string') return withoutFences(message).text.trimEnd()
  if (Array.isArray(message)) return message.map(unframed).filter((part) => !isEmpty(part))
  if (typeof message !== 'object' || message === null) return message
  return Object.fromEntries(Object.entries(message).map(([name, value]) => [name, unframed(value)]))
}

function isEmpty(part: unknown): boolean {
  return typeof part === 'object' && part !== null ? (part as { text?: unknown }).text === '' : part === ''
}
