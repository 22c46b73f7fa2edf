import { existsSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { ElfmemError } from '../../errors.ts'
import {
  type ChosenBlock,
  type ErasingFiles,
  type ErasingReport,
  type ErasingRequest,
  type FoundInFile,
  type HeldFile,
  UNFINISHED_ERASING,
} from '../../ports/store/erasing.ts'
import type { FileAccess } from '../connection/transaction.ts'
import { retrying } from '../connection/transaction.ts'
import { DELETE_IT } from './copies.ts'
import { memoryFiles } from './memory-files.ts'
import { timesIn } from './scan.ts'
import type { AnswerTo, Needles, Step } from './steps.ts'
import { stepBeside } from './take-step.ts'

/** An erasing that is under way. */
interface Begun {
  readonly ids: readonly string[]
  /** Copies are to be deleted. */
  readonly delete: boolean
  /** The findings in each file when it began. */
  readonly before: readonly FoundInFile[]
  readonly elsewhere: readonly string[]
  /** Blocks were in the memory whose words were found nowhere in its files. */
  readonly isUnseen: boolean
}

const OPEN_READER = {
  reason: 'A process still reads an older state of the memory.',
  remedy: 'Close what has the memory open, then call erase again without blocks (elfmem erase).',
}
const MEANWHILE = {
  reason: 'It was written meanwhile.',
  remedy: 'Call erase again without blocks (elfmem erase).',
}
const UNSEEN = {
  reason: 'Blocks were in it whose words were not found there before, so nobody knows whether they are gone.',
  remedy: 'Export the memory, import it into a new one, then delete this one.',
}
const UNREAD = { reason: 'It may not be read, so nobody knows.', remedy: DELETE_IT }

/**
 * Erases blocks from the files of an open store, a step at a time.
 *
 * @param known paths at which copies were made
 */
export function createErasing(access: FileAccess, known: readonly string[]): ErasingFiles {
  const { location } = access
  const take = <T extends Step>(step: T) => takeWhenFree(access, step)
  const look = ({ forms }: Needles) => take({ does: 'beside', location, forms, known })
  /** Takes all steps; what an earlier call found counts as well. Rows are left where all are erased already. */
  const run = async ({ blocks, copies }: ErasingRequest, left: Begun | undefined, hasRows: boolean) => {
    const ids = [...new Set([...idsOf(blocks), ...(left?.ids ?? [])])]
    const needles = await collect(access, blocks, left?.ids)
    const [now, { elsewhere, unread }] = [await scan(access, needles), await look(needles)]
    const before = most(left?.before ?? [], now)
    const begun = {
      ids,
      before,
      elsewhere: [...new Set([...(left?.elsewhere ?? []).filter((path) => existsSync(path)), ...elsewhere])],
      delete: copies === 'delete' || left?.delete === true,
      isUnseen: left?.isUnseen === true || areUnseen(blocks, needles, before, location),
    }
    const note = noteFor(begun, location)
    if (hasRows) await take({ does: 'rows', location, ids, forms: [...needles.forms.keys()], note })
    return { ...report(needles), ...(await finishWith(access, begun, { needles, left })), unread }
  }
  return {
    choose: (choice) => take({ does: 'choose', location, choice }),
    survey: async (blocks) => {
      const needles = await collect(access, blocks)
      return { ...report(needles), before: await scan(access, needles), ...(await look(needles)) }
    },
    erase: async (request) => run(request, await noteOf(access), true),
    async finish(copies) {
      const left = await noteOf(access)
      return left && run({ blocks: [], copies }, left, false)
    },
    async settle() {
      await take({ does: 'settle', location })
    },
  }
}

/** All after the rows: room that nothing is in, the log, copies and indexes; then the note goes. Each may be done again. */
async function finishWith(
  access: FileAccess,
  { ids, delete: isDeleting, before, elsewhere, isUnseen }: Begun,
  { needles: { forms }, left }: { readonly needles: Needles; readonly left: Begun | undefined },
): Promise<Omit<ErasingReport, 'lookedFor' | 'unread'>> {
  const { location } = access
  const take = <T extends Step>(step: T) => takeWhenFree(access, step)
  await take({ does: 'room', location })
  const remembered = left?.before ?? []
  const done = await take({
    does: 'copies',
    location,
    ids,
    forms,
    copies: isDeleting ? 'delete' : 'rewrite',
    remembered: remembered.filter((each) => timesIn(each) > 0).map(({ path }) => path),
  })
  const isEmptied = await emptied(access, () => take({ does: 'log', location }))
  const openReaders: HeldFile[] = isEmptied
    ? []
    : [location, `${location}-wal`].map((path) => ({ path, ...OPEN_READER }))
  const now = await scan(access, { forms })
  const told = [...openReaders, ...(isUnseen ? [{ path: location, ...UNSEEN }] : []), ...done.held]
  const held = [...told, ...stillHeld(now, told)]
  // The words to look for may be gone with the rows, so what is held still has what it had.
  const heldPaths = new Set(held.map(({ path }) => path))
  const after = most(
    remembered.filter(({ path }) => heldPaths.has(path)),
    now,
  )
  const { rewritten, deleted } = done
  return { continues: left !== undefined, before, after, rewritten, deleted, held, elsewhere }
}

/** True if blocks are in the memory with texts that can be looked for, and nothing of them was found in its database. */
function areUnseen(
  blocks: readonly ChosenBlock[],
  { forms }: Needles,
  before: readonly FoundInFile[],
  location: string,
): boolean {
  const isThere = blocks.some(({ status }) => status !== 'before' && status !== 'undone')
  if (!isThere || ![...forms.values()].includes('text')) return false
  const { database } = memoryFiles(location)
  return !before.some((each) => database.includes(each.path) && timesIn(each) > 0)
}

/** Each file as one of two looks found more in it. */
function most(earlier: readonly FoundInFile[], now: readonly FoundInFile[]): FoundInFile[] {
  const files = new Map(earlier.map((each) => [each.path, each]))
  for (const each of now) {
    const known = files.get(each.path)
    if (known === undefined || timesIn(each) >= timesIn(known)) files.set(each.path, each)
  }
  return [...files.values()]
}

/**
 * Files with more than single words, whatever the reason. A single word may stand by chance among numbers, so it does not
 * keep an erasing from ending.
 */
function stillHeld(after: readonly FoundInFile[], told: readonly HeldFile[]): HeldFile[] {
  const known = new Set(told.map(({ path }) => path))
  return after
    .filter(({ path, texts, runs, unread }) => (texts + runs > 0 || unread) && !known.has(path))
    .map(({ path, unread }) => ({ path, ...(unread ? UNREAD : MEANWHILE) }))
}

/** Waits for readers of an older state as long as for a lock. */
async function emptied({ busyRetry }: FileAccess, attempt: () => Promise<boolean>): Promise<boolean> {
  try {
    await retrying(busyRetry, isHeld, async () => {
      if (!(await attempt())) throw new Held()
    })
    return true
  } catch (error) {
    if (isHeld(error)) return false
    throw error
  }
}

class Held extends Error {}

function isHeld(error: unknown): boolean {
  return error instanceof Held || isStoreBusy(error)
}

function isStoreBusy(error: unknown): boolean {
  return ElfmemError.is(error) && error.code === 'STORE_BUSY'
}

function takeWhenFree<T extends Step>({ busyRetry }: FileAccess, step: T): Promise<AnswerTo<T>> {
  return retrying(busyRetry, isStoreBusy, () => stepBeside(step))
}

function collect(
  access: FileAccess,
  blocks: readonly ChosenBlock[],
  others: readonly string[] = [],
): Promise<Needles> {
  return takeWhenFree(access, {
    does: 'collect',
    location: access.location,
    ids: [...idsOf(blocks), ...others],
    texts: blocks.map(({ content }) => content),
  })
}

function scan(access: FileAccess, { forms }: Pick<Needles, 'forms'>): Promise<readonly FoundInFile[]> {
  return takeWhenFree(access, { does: 'scan', location: access.location, forms })
}

/** Of words of before an edit the block stays. */
function idsOf(blocks: readonly ChosenBlock[]): string[] {
  return blocks.filter(({ status }) => status !== 'before').map(({ id }) => id)
}

function report({ lookedFor }: Needles): ErasingReport {
  const nothing = { before: [], after: [], rewritten: [], deleted: [], held: [], elsewhere: [], unread: 0 }
  return { lookedFor, continues: false, ...nothing }
}

/** The note in the database until the erasing ends: no words, so names of files must not be readable in it. */
function noteFor({ ids, delete: isDeleting, before, elsewhere, isUnseen }: Begun, location: string): string {
  const named = before.map((each) => ({ ...each, path: relative(dirname(location), each.path) }))
  const found = Buffer.from(JSON.stringify({ before: named, elsewhere })).toString('base64')
  return JSON.stringify({ ids, delete: isDeleting, isUnseen, found })
}

async function noteOf({ alone, location }: FileAccess): Promise<Begun | undefined> {
  const row = await alone(async (connection) =>
    connection.get<{ value: string }>('SELECT value FROM meta WHERE key = ?1', UNFINISHED_ERASING),
  )
  if (row === undefined) return undefined
  const { found = '', ...kept } = JSON.parse(row.value) as Pick<Begun, 'ids' | 'delete'> & {
    readonly found?: string
    readonly isUnseen?: boolean
  }
  const note = { ...kept, isUnseen: kept.isUnseen === true }
  if (found === '') return { ...note, before: [], elsewhere: [] }
  const { before, elsewhere } = JSON.parse(Buffer.from(found, 'base64').toString()) as Begun
  const placed = before.map((each) => ({ ...each, path: resolve(dirname(location), each.path) }))
  return { ...note, before: placed, elsewhere }
}
