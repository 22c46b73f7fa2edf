import { closeSync, fstatSync, type Stats } from 'node:fs'

/**
 * Descriptors of files that SQLite has open in this process. The system takes all locks of a process on a file away as
 * soon as the process closes any descriptor of it (sqlite.org/howtocorrupt.html §2.2), so none is closed before the last
 * store that has the file open is.
 */
const held = new Map<string, Held>()

interface Held {
  stores: number
  readonly waiting: number[]
  /** Each throws if its store lost a part of what it has open. */
  readonly looks: Set<() => void>
}

/**
 * Says that a store has the file open; returns what says that it has not any more, once its connections are closed.
 *
 * @param look throws if the store lost a part of what it has open
 */
export function holdFile(file: number, look?: () => void): () => void {
  const key = keyOf(fstatSync(file))
  const entry = held.get(key) ?? { stores: 0, waiting: [], looks: new Set() }
  entry.stores += 1
  if (look !== undefined) entry.looks.add(look)
  held.set(key, entry)
  return () => {
    entry.stores -= 1
    if (look !== undefined) entry.looks.delete(look)
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

/** Throws if a store of this process that has the file open lost a part of it. */
export function lookAtHeld(stats: Stats): void {
  for (const look of held.get(keyOf(stats))?.looks ?? []) look()
}

function keyOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`
}
