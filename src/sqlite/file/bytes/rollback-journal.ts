import { fstatSync, readSync } from 'node:fs'
import type { Header } from './header.ts'

const MAGIC = Buffer.from('d9d505f920a163d7', 'hex')
/**
 * The bytes of the first page that a change of the journal's kind moves: versions of reader and writer, counters,
 * writer.
 */
const MOVED: readonly (readonly [from: number, to: number])[] = [
  [18, 20],
  [24, 32],
  [92, 100],
]

/**
 * True for a journal that SQLite leaves alone or that brings back at most the header of the first page. Only that is ever
 * written with a journal, when a new file, or a backup that becomes a memory, gets its write-ahead log.
 */
export function rollsBackOnlyHeader(
  journal: number,
  {
    header,
    first,
    fileBytes,
  }: { readonly header: Header; readonly first: Buffer; readonly fileBytes: number },
): boolean {
  const head = Buffer.alloc(28)
  const isHot =
    readSync(journal, head, 0, head.length, 0) === head.length && head.subarray(0, 8).equals(MAGIC)
  if (!isHot) return true
  const [pages, sector, pageSize] = [head.readUInt32BE(16), head.readUInt32BE(20), head.readUInt32BE(24)]
  const inFile = header.pages ?? Math.ceil(fileBytes / header.pageSize)
  // A file that was just begun had none.
  const isSameSize = pages === inFile || (pages === 0 && inFile <= 1)
  if (!isSameSize || (pageSize !== header.pageSize && pageSize !== 0)) return false
  const record = 4 + header.pageSize + 4
  const records = Math.max(0, Math.floor((fstatSync(journal).size - sector) / record))
  if (records !== 1) return records === 0
  const bytes = Buffer.alloc(record)
  readSync(journal, bytes, 0, record, sector)
  return bytes.readUInt32BE(0) === 1 && isSame(bytes.subarray(4, 4 + header.pageSize), first)
}

function isSame(one: Buffer, other: Buffer): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  for (const [from, to] of MOVED) {
    a.fill(0, from, to)
    b.fill(0, from, to)
  }
  return a.equals(b)
}
