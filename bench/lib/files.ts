import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Reads one of the bench's own texts from `bench/data/` (its README tells what each file holds). */
export function readData<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../data/${name}`, import.meta.url), 'utf8')) as T
}

/** Runs `work` with a folder of its own, which is gone afterwards. */
export async function withTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'elfmem-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the bytes of all files under a folder. A link counts as itself and is not followed, so that no file counts twice. */
export function sizeOf(folder: string): number {
  // Step by step, since a recursive listing of Node follows links to folders.
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .reduce((sum, path) => {
      const entry = lstatSync(path)
      return sum + (entry.isDirectory() ? sizeOf(path) : entry.size)
    }, 0)
}

/** Returns the most megabytes of resident memory that a process has had so far; undefined where no Linux tells. */
export function peakMegabytes(pid: number | 'self' = 'self'): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1000
  } catch {
    return undefined
  }
}
