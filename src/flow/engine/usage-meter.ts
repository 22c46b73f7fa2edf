import { addUsage, NO_USAGE, type TokenUsage } from '../../domain/advice/usage.ts'

/** Collects what calls of models used until it is written down (`mutate` does). */
export class UsageMeter {
  /** Secrets that were kept from models, by kind. */
  readonly redacted = new Map<string, number>()
  #total: TokenUsage = NO_USAGE
  #written: TokenUsage = NO_USAGE

  /** All since the meter began. */
  get total(): TokenUsage {
    return this.#total
  }

  noteRedacted(kind: string, count: number): void {
    this.redacted.set(kind, (this.redacted.get(kind) ?? 0) + count)
  }

  add(used: Partial<TokenUsage>): void {
    this.#total = addUsage(this.#total, used)
  }

  /** What nobody has written down yet. */
  get unwritten(): TokenUsage {
    return difference(this.#total, this.#written)
  }

  /** Says that so much was written down, and the write held. */
  written(used: TokenUsage): void {
    this.#written = addUsage(this.#written, used)
  }
}

function difference(one: TokenUsage, other: TokenUsage): TokenUsage {
  const negative = Object.fromEntries(Object.entries(other).map(([key, value]) => [key, -value]))
  return addUsage(one, negative)
}
