import type { PackedIndex, PackedSection } from '../../ports/index-cache.ts'
import type { Column, MakeNumbers, Numbers } from './column.ts'

/** The first slots of a column as a section. */
export function packColumn(name: string, column: Column<Numbers>, slots: number): PackedSection {
  return { name, bytes: column.bytes(slots) }
}

/** Fills a column from its section. */
export function unpackColumn(
  packed: PackedIndex,
  name: string,
  column: Column<Numbers>,
  slots: number,
): void {
  packed.read(name, column.room(slots))
}

/** A whole array as a section. */
export function packNumbers(name: string, numbers: Numbers): PackedSection {
  return { name, bytes: new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength) }
}

/** The array a section holds. */
export function unpackNumbers<T extends Numbers>(packed: PackedIndex, name: string, make: MakeNumbers<T>): T {
  const bytes = packed.sizeOf(name)
  const numbers = new make(bytes / new make(0).BYTES_PER_ELEMENT)
  packed.read(name, new Uint8Array(numbers.buffer))
  return numbers
}
