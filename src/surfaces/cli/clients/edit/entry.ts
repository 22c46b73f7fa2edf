import { createHash } from 'node:crypto'

/** An entry that is to be put into a client's file. */
export interface Entry {
  /** `member`: the value of the key that `at` ends with. `item`: one more value of the list at `at`. `block`: text. */
  readonly kind: 'member' | 'item' | 'block'
  /** Keys from the top of the file; empty for a block of text. */
  readonly at: readonly string[]
  /** A value of JSON; of a block its lines, without the marks around it. */
  readonly value: unknown
  /** The beginning of a file that is made for a block. */
  readonly preamble?: string
}

/**
 * A record of how an entry was put into a file, so that it can be taken out again. It holds no other part of the file but what
 * was replaced.
 */
export interface Trace extends Omit<Entry, 'value' | 'preamble'> {
  /** SHA-256 of the value, whatever its blanks and the order of its keys. */
  readonly sha256: string
  /** Outer objects that were made for it. */
  readonly made: number
  /** Written before and behind it. */
  readonly lead: string
  readonly tail: string
  /** The text that somebody else had in its place; absent if that was free. */
  readonly replaced?: Replaced
}

/** The text that an entry took the place of. */
interface Replaced {
  readonly text: string
  /** The text that stood between its parts and now stands behind the entry; absent if the entry stands elsewhere. */
  readonly between?: string
}

/** A text without an entry. */
interface Without {
  readonly text: string
  /** The text that the entry had replaced, if there is no place any more to put it back to, byte for byte. */
  readonly displaced?: string
}

/** The state of an entry in a file; `other` if something else is in its place. */
export type Standing = 'absent' | 'same' | 'other'

/** A text with an entry in it, and how it came there. */
export interface Edited {
  readonly text: string
  readonly trace: Trace
}

/** The rules of a format. Each throws `CONFIG_INVALID` for a text that is not of the format. */
export interface Editor {
  stands(text: string, entry: Entry): Standing
  /** Puts an absent entry in, or ours in the place of another. All else stays as it is, byte for byte. */
  put(text: string, entry: Entry): Edited
  /** Takes an entry out, and puts back what it had replaced; `other` if it was changed since, `absent` if it is gone. */
  takeOut(text: string, trace: Trace): Without | 'absent' | 'other'
  /** The entry alone, as a text to paste. */
  snippet(entry: Entry): string
  /** The value in the place of a member; undefined if nothing is. */
  valueAt(text: string, at: readonly string[]): unknown
}

/** SHA-256 of a text or of bytes, hexadecimal. */
export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** SHA-256 of a value of JSON; the order of keys does not count. */
export function sha256OfValue(value: unknown): string {
  return sha256(canonical(value))
}

function canonical(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(',')}}`
}

/** The end of lines of a text: that of its first one. */
export function lineEndOf(text: string): string {
  const at = text.indexOf('\n')
  return at > 0 && text[at - 1] === '\r' ? '\r\n' : '\n'
}
