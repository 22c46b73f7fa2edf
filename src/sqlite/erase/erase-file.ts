import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { ElfmemError } from '../../errors.ts'
import {
  type ChosenBlock,
  type ErasingFiles,
  type ErasingReport,
  type ErasingRequest,
  UNFINISHED_ERASING,
} from '../../history/erase.ts'
import { type FileAccess, retrying } from '../connection/connection.ts'
import { packedIndexes } from '../maintenance/paths.ts'
import type { Looked } from './look.ts'
import { memoryFiles, searchFiles } from './search-files.ts'
import type { AnswerTo, Step } from './steps.ts'
import { stepBeside } from './take-step.ts'

/** The ids and texts that an erasing looks for. */
interface Wanted extends Looked {
  readonly ids: readonly string[]
}

/**
 * Erases blocks from the files of an open store, a step at a time.
 *
 * @param known paths at which copies were made
 */
export function createErasing(access: FileAccess, known: readonly string[]): ErasingFiles {
  const { location } = access
  const take = <T extends Step>(step: T) => takeWhenFree(access, step)
  const wantedOf = async (blocks: readonly ChosenBlock[]): Promise<Wanted> => {
    const ids = idsOf(blocks)
    const texts = blocks.map(({ content }) => content)
    return { ids, ...(await take({ does: 'look', location, ids, texts })) }
  }
  return {
    choose: (choice) => take({ does: 'choose', location, choice }),
    survey: async (blocks) => surveyOf(location, await wantedOf(blocks), known),
    erase: async ({ blocks, copies }) => {
      const wanted = await wantedOf(blocks)
      const there = await surveyOf(location, wanted, known)
      const { ids, texts, words } = wanted
      await take({ does: 'rows', location, ids, texts, words })
      return finishWith(access, { wanted, there, copies })
    },
    async finish(copies) {
      const ids = await notedIds(access)
      if (ids === undefined) return undefined
      const wanted = { ids, texts: [], words: [], pieces: [], standingIn: [] }
      return finishWith(access, { wanted, there: await surveyOf(location, wanted, known), copies })
    },
    async settle() {
      await take({ does: 'settle', location })
    },
  }
}

/** Counts the texts in all files and names the copies. A copy holds a block if it has its id or one of its texts. */
async function surveyOf(location: string, wanted: Wanted, known: readonly string[]): Promise<ErasingReport> {
  const files = memoryFiles(location)
  const elsewhere = new Set(known.map((path) => resolve(path)))
  for (const path of [...files.own, ...files.copies]) elsewhere.delete(path)
  const before = await searchFiles([...files.own, ...files.copies], wanted.pieces)
  const naming = await searchFiles([...files.copies, ...elsewhere], [...wanted.pieces, ...wanted.ids])
  const holding = naming.filter(({ times, isUnread }) => times > 0 || isUnread).map(({ path }) => path)
  return {
    texts: wanted.texts.length,
    standingIn: wanted.standingIn,
    before,
    after: [],
    copies: holding.filter((path) => !elsewhere.has(path)),
    deleted: [],
    elsewhere: holding.filter((path) => elsewhere.has(path)),
    isFinished: false,
  }
}

/** Removes the texts from free pages, the log, the indexes and the copies, after the rows are gone. Each step may run again. */
async function finishWith(
  access: FileAccess,
  {
    wanted,
    there,
    copies,
  }: { readonly wanted: Wanted; readonly there: ErasingReport } & Pick<ErasingRequest, 'copies'>,
): Promise<ErasingReport> {
  const { location } = access
  const take = <T extends Step>(step: T) => takeWhenFree(access, step)
  await take({ does: 'room', location })
  const isEmptied = await take({ does: 'log', location }).then(
    () => true,
    (error: unknown) => {
      if (isStoreBusy(error)) return false
      throw error
    },
  )
  // Indexes are caches: a process that misses one reads the rows.
  for (const path of packedIndexes(location)) rmSync(path, { force: true })
  const deleted = copies === 'delete' ? there.copies : []
  for (const path of deleted) rmSync(path, { force: true })
  const pieces = await take({ does: 'left', location, pieces: wanted.pieces })
  const own = await searchFiles(memoryFiles(location).own, pieces)
  const kept = new Set(there.copies.filter((path) => !deleted.includes(path)))
  return {
    ...there,
    after: [...own, ...there.before.filter(({ path }) => kept.has(path))],
    copies: [...kept],
    deleted,
    isFinished: isEmptied && own.every(({ times }) => times === 0),
  }
}

function isStoreBusy(error: unknown): boolean {
  return ElfmemError.is(error) && error.code === 'STORE_BUSY'
}

/** Takes a step in the file of the open store; another file at its path is left alone. */
function takeWhenFree<T extends Step>(access: FileAccess, step: T): Promise<AnswerTo<T>> {
  return retrying(access.busyRetry, isStoreBusy, () => {
    access.mustBeThere()
    return stepBeside(step)
  })
}

/** Returns the ids of the blocks that go. A block of which only earlier words go stays. */
function idsOf(blocks: readonly ChosenBlock[]): string[] {
  return blocks.filter(({ status }) => status !== 'before').map(({ id }) => id)
}

/** Returns the ids of an erasing that did not end; undefined if there is none. */
async function notedIds({ alone }: FileAccess): Promise<readonly string[] | undefined> {
  const row = await alone(async (connection) =>
    connection.get<{ value: string }>('SELECT value FROM meta WHERE key = ?1', UNFINISHED_ERASING),
  )
  return row && (JSON.parse(row.value) as readonly string[])
}
