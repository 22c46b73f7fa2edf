import { matchesTag } from '../domain/tags.ts'

/** Which slots carry which tags. */
export class TagIndex {
  readonly #slots = new Map<string, Set<number>>()
  readonly #tags: (readonly string[])[] = []

  set(slot: number, tags: readonly string[]): void {
    this.remove(slot)
    if (tags.length === 0) return
    this.#tags[slot] = tags
    for (const tag of tags) {
      const slots = this.#slots.get(tag)
      if (slots) slots.add(slot)
      else this.#slots.set(tag, new Set([slot]))
    }
  }

  remove(slot: number): void {
    for (const tag of this.#tags[slot] ?? []) {
      const slots = this.#slots.get(tag)
      slots?.delete(slot)
      if (slots?.size === 0) this.#slots.delete(tag)
    }
    delete this.#tags[slot]
  }

  /** Slots with a tag that fits one of the patterns, in slot order. Cost: the distinct tags and what is found. */
  find(patterns: readonly string[]): number[] {
    const found = new Set<number>()
    const collect = (slots: ReadonlySet<number> | undefined) => {
      for (const slot of slots ?? []) found.add(slot)
    }
    for (const pattern of patterns) {
      if (!pattern.endsWith('*')) collect(this.#slots.get(pattern))
      else for (const [tag, slots] of this.#slots) if (matchesTag(pattern, tag)) collect(slots)
    }
    return [...found].sort((a, b) => a - b)
  }
}
