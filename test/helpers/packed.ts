import type { IndexCache, PackedHeader, PackedIndex, PackedSection } from '../../src/index/columns.ts'

/** Sections as a reader finds them, copied as a file would. */
function packedOf(sections: readonly PackedSection[], header: PackedHeader = {}): PackedIndex {
  const kept = new Map(sections.map(({ name, bytes }) => [name, bytes.slice()]))
  return {
    header,
    sizeOf: (name) => kept.get(name)?.byteLength ?? 0,
    read: (name, into) => {
      const bytes = kept.get(name)
      if (bytes?.byteLength !== into.byteLength) throw new Error(`section ${name} is not what is asked for`)
      into.set(bytes)
    },
    close: () => undefined,
  }
}

/** A cache in memory. */
export function memoryIndexCache(): IndexCache {
  let kept: PackedIndex | undefined
  return {
    open: () => kept,
    drop: () => {
      kept = undefined
    },
    keep: (header, sections) => {
      kept = packedOf(sections, JSON.parse(JSON.stringify(header)) as PackedHeader)
      return true
    },
  }
}
