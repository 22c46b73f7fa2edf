import { shortened } from '../block/text.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import type { ImportedLoss, ImportedText, ImportFormat } from '../engine/ports.ts'
import { attempt, ElfmemError } from '../errors.ts'
import type { Draft } from '../intake/admit.ts'
import { guardSecrets, instantOf, type RedactedSecrets } from '../intake/check-input.ts'
import type { EchoCount } from '../intake/echo.ts'

/** Examples and samples of each kind that are kept. */
const EXAMPLES_MOST = 5
const SAMPLES_MOST = 10
/** Secrets that are named one by one. */
const REDACTED_MOST = 100
/** Kinds of losses; a crafted file cannot make more. */
const KINDS_MOST = 50
/** Signs of a place in a message. */
const PLACE_MOST = 128

/** An import, as its stages see it. */
export interface Importing {
  readonly engine: Engine
  readonly context: CallContext
  readonly format: ImportFormat
  /** The owner vouches for the file. */
  readonly trusted: boolean
  /** It only looks, and writes nothing. */
  readonly dryRun: boolean
  readonly tally: Tally
  /** The ids of the blocks that the first text of each key has, or would have. */
  readonly places: Map<string, string>
}

/** The tag of all blocks that came from a format. */
export function importTag(format: ImportFormat): string {
  return `imported/${format}`
}

/** A text as the block it would become, and what comes with it. */
export interface Prepared {
  readonly draft: Draft
  readonly place: string
  readonly key: string | undefined
  readonly outcomes: NonNullable<ImportedText['outcomes']>
}

/** Counts what an import found and what became of it. */
export class Tally {
  /** Texts as blocks would have them: a long one is several. */
  texts = 0
  created = 0
  /** There already, said by a block or twice in the file. */
  known = 0
  /** Were here and are archived, or say something else by now. */
  movedOn = 0
  /** Blocks that brought reports along. */
  withEvidence = 0
  links = 0
  linksMade = 0
  linksKnown = 0
  items = 0
  itemsKept = 0
  tagsDropped = 0
  /** Entries of the log so far. */
  #parts = 0
  readonly redacted: RedactedSecrets[] = []
  /** Counts what was left out of the texts because a recall had shown it; absent if nothing was. */
  leftOut: EchoCount | undefined
  /** The first of what is new. */
  readonly samples: Prepared[] = []
  readonly #left = new Map<string, { what: string; why: string; count: number; examples: string[] }>()

  /** The number of the next entry of the log, counted from 1: an undo of all of them sees if the first is still there. */
  nextPart(): { readonly part: number } {
    this.#parts += 1
    return { part: this.#parts }
  }

  /** Things that are not kept, by kind and reason, the most frequent first. */
  get left() {
    return [...this.#left.values()].sort((one, other) => other.count - one.count)
  }

  /** Counts things that are not kept. */
  leave({ what, why, many = 1, example }: Omit<ImportedLoss, 'kind'>): void {
    const key = `${what} ${why}`
    const entry = this.#left.get(key) ?? { what, why, count: 0, examples: [] }
    if (many === 0 || (entry.count === 0 && this.#left.size >= KINDS_MOST)) return
    entry.count += many
    if (example !== undefined && entry.examples.length < EXAMPLES_MOST) entry.examples.push(example)
    this.#left.set(key, entry)
  }

  /** Counts a new block, and keeps it as a sample while there is room. */
  add(prepared: Prepared): void {
    this.created += 1
    if (prepared.draft.evidence !== undefined) this.withEvidence += 1
    if (this.samples.length < SAMPLES_MOST) this.samples.push(prepared)
  }

  /** Names secrets that were taken out. */
  redact(found: readonly RedactedSecrets[]): void {
    this.redacted.push(...found.slice(0, REDACTED_MOST - this.redacted.length))
  }
}

/** A text without what no store keeps. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}

/** A number that a file claims, from 0 to `most`; 0 for none. */
export function bounded(value: number | undefined, most: number): number {
  return Number.isFinite(value) ? Math.min(most, Math.max(0, value as number)) : 0
}

/** The reason for leaving out what `withoutSecrets` refuses. */
export const WITH_SECRETS = 'they hold what looks like a secret (memory.secrets)'

/** Words without the secrets in them, which the tally names; undefined if `memory.secrets` refuses the words. */
export async function withoutSecrets<T>(
  { engine, tally }: Importing,
  words: T,
  place?: string,
): Promise<T | undefined> {
  try {
    const { input, redacted } = await guardSecrets(words, engine.settings.memory.secrets)
    const at = place === undefined ? '' : `${shortened(place, PLACE_MOST)}: `
    tally.redact(redacted.map((each) => ({ ...each, field: `${at}${each.field}` })))
    return input
  } catch (error) {
    if (!ElfmemError.is(error) || error.code !== 'SECRET_REFUSED') throw error
    return undefined
  }
}

/** A day, and a time behind `T` or a blank; programs write more digits of a second than are kept. */
const WRITTEN = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)? ?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/

/** The time that a file claims, as ISO-8601 UTC; UTC unless it names a zone. One that cannot be read is left out. */
export function claimedInstant(tally: Tally, given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const text = storable(given).trim()
  const day = text.slice(0, 10)
  // A parser takes 30 February for 1 March.
  const isDay = WRITTEN.test(text) && attempt(() => instantOf(day).slice(0, 10)) === day
  const read = isDay ? attempt(() => instantOf(text.replace(/^(.{10}) /, '$1T').replace(' ', ''))) : undefined
  if (read === undefined)
    tally.leave({
      what: 'dates',
      why: 'they cannot be read, so the time of the import stands',
      example: given,
    })
  return read
}
