import { closeSync, fstatSync, type Stats } from 'node:fs'

/**
 * Descriptors of files that SQLite has open in this process. The system takes all locks of a process on a file away as
 * soon as the process closes any descriptor of it (sqlite.org/howtocorrupt.html §2.2), so none is closed before the last
 * store that has the file open is.
 */
const held = new Map<string, { stores: number; readonly waiting: number[] }>()

/** Says that a store has the file open; returns what says that it has not any more, once its connections are closed. */
export function holdFile(file: number): () => void {
  const key = keyOf(fstatSync(file))
  const entry = held.get(key) ?? { stores: 0, waiting: [] }
  entry.stores += 1
  held.set(key, entry)
  return () => {
    entry.stores -= 1
    if (entry.stores === 0) {
      held.delete(key)
      for (const each of entry.waiting.splice(0)) closeSync(each)
    }
  }
}

/** Closes a descriptor of a database, at once or when no store of this process has the file open. */
export function closeFile(file: number): void {
  const entry = held.get(keyOf(fstatSync(file)))
  if (entry === undefined) closeSync(file)
  else entry.waiting.push(file)
}

/** True of a file that a store of this process has open. */
export function isHeld(stats: Stats): boolean {
  return held.has(keyOf(stats))
}

function keyOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`
}
