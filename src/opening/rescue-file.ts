import { createReadStream, existsSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { systemIds } from '../adapters/system/machine.ts'
import { systemTextFiles as texts } from '../adapters/system/text-files.ts'
import { ElfmemError } from '../errors.ts'
import { EXPORT_FORMAT, EXPORT_VERSION } from '../flow/maintenance/import-line.ts'
import { type FoundRow, type RescueRules, rescuedLine } from '../flow/maintenance/rescued-block.ts'
import { importOperation } from '../operations/maintenance/import.ts'
import type { RecordHead } from '../ports/store/maintenance.ts'
import { checkFile } from '../sqlite/maintenance/check-file.ts'
import { removeDatabase } from '../sqlite/maintenance/paths.ts'
import { SCHEMA_VERSION } from '../sqlite/migrations/schema.ts'
import { openLifetime } from './open-memory.ts'
import type { OpenableProject } from './open-part.ts'

/** The file to rescue, and the file to make. */
export interface RescueRequest {
  /** The file that is not opened as a memory any more. */
  readonly from: string
  /** A file that does not exist. */
  readonly to: string
  /** True: the words are the owner's own and keep their class and tags; else they are those of an import. */
  readonly trusted: boolean
  readonly signal?: AbortSignal | undefined
}

/** The result of a rescue, in numbers. */
export interface RescueResult {
  readonly from: string
  readonly to: string
  /** Blocks in the new memory; they wait in its inbox. */
  readonly blocks: number
  /** Rows of blocks that were read and are not taken: archived, twice there, or refused by an import. */
  readonly left: number
  /** Pages and rows that could not be read. */
  readonly lost: number
  /** True if there was more than is read of one file. */
  readonly isCut: boolean
}

/**
 * Copies what can be recognised in a file into a new memory. The file is read as bytes in a process of its own; its rows
 * come in through the checks of an import. Nothing is left at `to` if it fails.
 *
 * @throws `INVALID_INPUT` if there is something at `to`; `NOT_FOUND`, `STORE_FOREIGN` or `STORE_CORRUPT` if nothing can be
 * recognised
 */
export async function rescueFile(
  project: OpenableProject,
  { from, to, trusted, signal }: RescueRequest,
): Promise<RescueResult> {
  if (existsSync(to))
    throw new ElfmemError('INVALID_INPUT', `${to} exists already.`, {
      recovery: 'Name a file that does not exist with --to; nothing is written over.',
    })
  const [rows, lines] = [`${to}.rows-${process.pid}`, `${to}.rescued-${process.pid}.jsonl`]
  let isDone = false
  try {
    const found = await checkFile({ does: 'rescue', path: from, target: rows }, { signal, isForeign: true })
    const { settings, env } = project
    const rules: RescueRules = {
      rules: { settings, head: { schema: SCHEMA_VERSION, hours: 0, counts: {} } },
      ids: systemIds,
      at: new Date().toISOString(),
      trusted,
    }
    let blocks = 0
    for await (const _ of linesOf(rows, rules)) blocks += 1
    const head: RecordHead = { schema: SCHEMA_VERSION, hours: 0, counts: blocks === 0 ? {} : { blocks } }
    await texts.write(lines, withHead(head, linesOf(rows, rules)))
    {
      await using memory = await openLifetime(
        { settings, env, surface: 'cli', database: { path: to, rule: '--db' } },
        { sessionMode: 'resume', anew: true },
      )
      await memory.call(importOperation, { path: lines, trusted }, { ...(signal ? { signal } : {}) })
    }
    isDone = true
    return { from, to, blocks, left: found.rows - blocks, lost: found.lost, isCut: found.isCut }
  } finally {
    for (const path of [rows, lines]) rmSync(path, { force: true })
    if (!isDone) removeDatabase(to)
  }
}

async function* withHead(head: RecordHead, lines: AsyncIterable<string>): AsyncGenerator<string> {
  yield JSON.stringify({ format: EXPORT_FORMAT, version: EXPORT_VERSION, ...head })
  yield* lines
}

/** Read twice, since an export says first how much it holds. */
async function* linesOf(rows: string, rules: RescueRules): AsyncGenerator<string> {
  const seen = new Set<string>()
  for await (const row of createInterface({
    input: createReadStream(rows),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    const line = rescuedLine(JSON.parse(row) as FoundRow, rules, seen)
    if (line !== undefined) yield line
  }
}
