import { readFileSync } from 'node:fs'

/** One of the bench's own texts, `bench/data/` (its README tells what each file holds). */
export function readData<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../data/${name}`, import.meta.url), 'utf8')) as T
}
