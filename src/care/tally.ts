import type { ImportedLoss, ImportedText } from '../engine/importers.ts'
import type { Draft } from '../intake/admit.ts'
import type { EchoCount } from '../intake/echo.ts'
import type { RedactedSecrets } from '../intake/guard-secrets.ts'

/** Examples and samples of each kind that are kept. */
const EXAMPLES_MOST = 5
const SAMPLES_MOST = 10
/** Secrets that are named one by one. */
const REDACTED_MOST = 100
/** Kinds of losses; a crafted file cannot make more. */
const KINDS_MOST = 50

/** A text as the block it would become, and what comes with it. */
export interface Prepared {
  readonly draft: Draft
  readonly place: string
  readonly key: string | undefined
  readonly outcomes: NonNullable<ImportedText['outcomes']>
}

/** Things of one kind that are not kept, and why. */
export interface LeftOut {
  readonly what: string
  readonly why: string
  readonly count: number
  readonly examples: readonly string[]
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
  readonly #left = new Map<string, { what: string; why: string; count: number; examples: string[] }>()
  readonly #samples: Prepared[] = []

  /** The number of the next entry of the log, counted from 1: an undo of all of them sees if the first is still there. */
  nextPart(): { readonly part: number } {
    this.#parts += 1
    return { part: this.#parts }
  }

  get left(): readonly LeftOut[] {
    return [...this.#left.values()].sort((one, other) => other.count - one.count)
  }

  /** The first of what is new. */
  get samples(): readonly Prepared[] {
    return this.#samples
  }

  /** Takes note of something that is not kept. */
  leave({ what, why, many = 1, example }: Omit<ImportedLoss, 'kind'>): void {
    const key = `${what} ${why}`
    const known = this.#left.get(key)
    if (known === undefined && this.#left.size >= KINDS_MOST) return
    const entry = known ?? { what, why, count: 0, examples: [] }
    entry.count += many
    if (example !== undefined && entry.examples.length < EXAMPLES_MOST) entry.examples.push(example)
    this.#left.set(key, entry)
  }

  /** Takes note of something new, and keeps it as a sample while there is room. */
  add(prepared: Prepared): void {
    this.created += 1
    if (prepared.draft.evidence !== undefined) this.withEvidence += 1
    if (this.#samples.length < SAMPLES_MOST) this.#samples.push(prepared)
  }

  /** Takes note of secrets that were taken out. */
  redact(found: readonly RedactedSecrets[]): void {
    this.redacted.push(...found.slice(0, REDACTED_MOST - this.redacted.length))
  }
}
