import { posix } from 'node:path'
import type { Source } from './sources.ts'

/** The most files a folder has: what a reader keeps in mind. */
export const MAX_FILES = 14

/** A file of a numbered series, such as `001-first.ts`. */
const NUMBERED = /\/\d+-[^/]*$/

/** The number of files directly in each folder, largest first. A numbered series only grows, and counts as one. */
export function folderSizes(sources: readonly Source[]): ReadonlyMap<string, number> {
  const files = [...new Set(sources.map(({ file }) => file.replace(NUMBERED, '/series')))]
  const folders = Map.groupBy(files, posix.dirname)
  const sizes = [...folders].map(([folder, { length }]) => [folder, length] as const)
  return new Map(sizes.sort(([, a], [, b]) => b - a))
}
