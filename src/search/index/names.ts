import type { PackedIndex, PackedSection } from '../../ports/index-cache.ts'
import { StringTable } from './string-table.ts'

/** Texts that repeat, each kept once under a number, from 0 up, that is never reused. */
export class Names {
  readonly #table = new StringTable()

  get count(): number {
    return this.#table.end
  }

  numberOf(text: string): number {
    const known = this.#table.find(text)
    if (known !== undefined) return known
    const number = this.#table.end
    this.#table.set(number, text)
    return number
  }

  /** The number of a text that was named before, else undefined. */
  find(text: string): number | undefined {
    return this.#table.find(text)
  }

  textOf(number: number): string {
    return this.#table.textOf(number)
  }

  pack(name: string): PackedSection[] {
    return this.#table.pack(name)
  }

  unpack(packed: PackedIndex, name: string): void {
    this.#table.unpack(packed, name)
  }
}
