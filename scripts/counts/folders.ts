import { posix } from 'node:path'
import type { Source } from './sources.ts'

/** The most files a folder has: what a reader keeps in mind. */
export const MAX_FILES = 14

/** The number of files directly in each folder, largest first. */
export function folderSizes(sources: readonly Source[]): ReadonlyMap<string, number> {
  const folders = Map.groupBy(sources, ({ file }) => posix.dirname(file))
  const sizes = [...folders].map(([folder, { length }]) => [folder, length] as const)
  return new Map(sizes.sort(([, a], [, b]) => b - a))
}
