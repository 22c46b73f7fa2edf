import type { ImportedLoss } from '../engine/ports.ts'
import { attempt } from '../errors.ts'
import type { Draft } from '../intake/admit.ts'
import { instantOf, type RedactedSecrets } from '../intake/check-input.ts'
import type { EchoCount } from '../intake/echo.ts'

/** A prepared text is the draft of the block that it would become, with its place and its key in the file. */
export interface Prepared {
  readonly draft: Draft
  readonly place: string
  readonly key: string | undefined
}

/** A changed section is a note's section whose words a person changed. */
export interface ChangedSection {
  readonly blockId: string
  /** File and line. */
  readonly place: string
  readonly before: string
  readonly content: string
  /** The reason why the block cannot get these words; absent if it can. */
  readonly refused?: string
}

/** Counts the things that an import found, and their results. */
export class Tally {
  created = 0
  /** Number of texts that a block has, that an archived or edited block had, or that the file has twice. */
  known = 0
  linksMade = 0
  /** Sections whose words changed, refused ones too. */
  changed: readonly ChangedSection[] = []
  /** Number of entries in the log so far. */
  #parts = 0
  readonly redacted: RedactedSecrets[] = []
  /** Size of the parts of texts that were left out because a recall had shown them; absent if there were none. */
  leftOut: EchoCount | undefined
  /** The first new texts. */
  readonly #left = new Map<string, { what: string; why: string; count: number; examples: string[] }>()

  /** Returns the number of the next log entry, from 1: an undo of all entries sees by it whether the first is still there. */
  nextPart(): { readonly part: number } {
    return { part: ++this.#parts }
  }

  /** Returns the things that are not kept, by kind and reason, the most frequent first. */
  get left() {
    return [...this.#left.values()].sort((one, other) => other.count - one.count)
  }

  /** Counts things that are not kept, of at most 50 kinds: a crafted file cannot make more. */
  leave({ what, why, many = 1, example }: Omit<ImportedLoss, 'kind'>): void {
    const key = `${what} ${why}`
    const entry = this.#left.get(key) ?? { what, why, count: 0, examples: [] }
    if (many === 0 || (entry.count === 0 && this.#left.size >= 50)) return
    entry.count += many
    if (example !== undefined && entry.examples.length < 5) entry.examples.push(example)
    this.#left.set(key, entry)
  }

  /** Names secrets that were taken out, at most a hundred. */
  redact(found: readonly RedactedSecrets[]): void {
    this.redacted.push(...found.slice(0, 100 - this.redacted.length))
  }
}

/** Returns a text without the characters that no store keeps. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}

/** Returns a number that a file claims, from 0 to `most`; 0 without one. */
export function bounded(value: number | undefined, most: number): number {
  return Number.isFinite(value) ? Math.min(most, Math.max(0, value as number)) : 0
}

/** A day, and a time behind `T` or a blank; programs write more digits of a second than are kept. */
const WRITTEN = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)? ?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/

/** Returns the time that a file claims, as ISO-8601 UTC; UTC unless it names a zone. An unreadable time is left out. */
export function claimedInstant(tally: Tally, given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const text = storable(given).trim()
  const day = text.slice(0, 10)
  // A parser takes 30 February for 1 March.
  const isDay = WRITTEN.test(text) && attempt(() => instantOf(day).slice(0, 10)) === day
  const read = isDay ? attempt(() => instantOf(text.replace(/^(.{10}) /, '$1T').replace(' ', ''))) : undefined
  if (read === undefined)
    tally.leave({ what: 'dates', why: 'they cannot be read; the import dates them', example: given })
  return read
}
