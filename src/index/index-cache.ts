/** Origin of a packed index; a reader checks it before it trusts the sections. */
export type PackedHeader = Readonly<Record<string, unknown>>

/** A named range of bytes; sections are written and read in their order. */
export interface PackedSection {
  readonly name: string
  readonly bytes: Uint8Array
}

/** A packed index being read. */
export interface PackedIndex {
  readonly header: PackedHeader
  /** Length of the section in bytes; 0 when there is none of that name. */
  sizeOf(name: string): number
  /** Copies a section into memory the caller gives; throws `STORE_CORRUPT` when it is not what was written. */
  read(name: string, into: Uint8Array): void
  close(): void
}

/**
 * Where a packed index is kept between processes.
 *
 * What must hold: it is a cache and never the truth, so it may be lost or left out at any time; `open` gives a whole one
 * or nothing; what `keep` writes is seen whole or not at all, and no failure of it is ever thrown.
 */
export interface IndexCache {
  open(): PackedIndex | undefined | Promise<PackedIndex | undefined>
  /** Removes the copy, if there is one. */
  drop(): void
  /** Returns whether the copy was kept. The bytes are those in use, so they are read before the call returns. */
  keep(header: PackedHeader, sections: readonly PackedSection[]): boolean | Promise<boolean>
}
