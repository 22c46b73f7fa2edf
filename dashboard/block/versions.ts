/** Words of a block before and after a correction. */
export interface Version {
  readonly at: string
  readonly before: string
  readonly after: string
}

interface Entry {
  readonly at: string
  readonly before?: unknown
  readonly undoneBy?: number | undefined
}

/** The corrections of a block's words, newest first, from entries of its log that are oldest first, and its words now. */
export function earlierWords(entries: readonly Entry[], now: string): readonly Version[] {
  const versions: Version[] = []
  let after = now
  for (const { at, before, undoneBy } of entries.toReversed()) {
    const words = (before as { readonly content?: unknown } | undefined)?.content
    if (undoneBy !== undefined || typeof words !== 'string') continue
    versions.push({ at, before: words, after })
    after = words
  }
  return versions
}
