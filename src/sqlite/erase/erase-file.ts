import { ElfmemError } from '../../errors.ts'
import {
  type ChosenBlock,
  type ErasingFiles,
  type ErasingReport,
  type FoundInFile,
  type HeldFile,
  UNFINISHED_ERASING,
} from '../../ports/store/erasing.ts'
import { retrying } from '../connection/busy-retry.ts'
import type { FileAccess } from '../transaction/access.ts'
import type { AnswerTo, Needles, Step } from './steps.ts'
import { stepBeside } from './take-step.ts'

/** What is kept in the database while an erasing is under way: no words. */
interface Note {
  readonly ids: readonly string[]
  /** Copies are to be deleted. */
  readonly delete: boolean
}

const OPEN_READER = 'A process still reads an older state of the memory.'

/** Erases blocks from the files of an open store, a step at a time. */
export function createErasing(access: FileAccess): ErasingFiles {
  const take = <T extends Step>(step: T) => takeWhenFree(access, step)
  return {
    choose: (choice) => take({ does: 'choose', location: access.location, choice }),
    survey: async (blocks) => {
      const needles = await collect(access, blocks)
      return { ...report(needles), before: await scan(access, needles) }
    },
    async erase({ blocks, copies }) {
      const left = await noteOf(access)
      const ids = [...new Set([...idsOf(blocks), ...(left?.ids ?? [])])]
      const needles = await collect(access, blocks, left?.ids)
      const before = await scan(access, needles)
      const all: Note = { ids, delete: copies === 'delete' || left?.delete === true }
      await take({
        does: 'rows',
        location: access.location,
        ids,
        forms: [...needles.forms.keys()],
        note: JSON.stringify(all),
      })
      return { ...report(needles), before, ...(await finishWith(access, all, needles)) }
    },
    async finish() {
      const note = await noteOf(access)
      if (note === undefined) return undefined
      const needles = await collect(access, [], note.ids)
      const before = await scan(access, needles)
      return { ...report(needles), before, ...(await finishWith(access, note, needles)) }
    },
    async settle() {
      await take({ does: 'settle', location: access.location })
    },
  }
}

/** All after the rows: room that nothing is in, the log, copies and indexes; then the note goes. Each may be done again. */
async function finishWith(
  access: FileAccess,
  { ids, delete: isDeleting }: Note,
  { forms }: Needles,
): Promise<Pick<ErasingReport, 'after' | 'rewritten' | 'deleted' | 'held'>> {
  const { location } = access
  const take = <T extends Step>(step: T) => takeWhenFree(access, step)
  await take({ does: 'room', location })
  const done = await take({ does: 'copies', location, ids, forms, copies: isDeleting ? 'delete' : 'rewrite' })
  const isEmptied = await emptied(access, () => take({ does: 'log', location }))
  const openReaders: HeldFile[] = isEmptied
    ? []
    : [location, `${location}-wal`].map((path) => ({ path, reason: OPEN_READER }))
  const after = await scan(access, { forms })
  const held = [...openReaders, ...done.held, ...stillHeld(after, [...openReaders, ...done.held])]
  return { after, rewritten: done.rewritten, deleted: done.deleted, held }
}

/**
 * Files with more than single words, whatever the reason. A single word may stand by chance among numbers, so it does not
 * keep an erasing from ending.
 */
function stillHeld(after: readonly FoundInFile[], told: readonly HeldFile[]): HeldFile[] {
  const known = new Set(told.map(({ path }) => path))
  return after
    .filter(({ path, texts, runs }) => texts + runs > 0 && !known.has(path))
    .map(({ path }) => ({ path, reason: 'It was written meanwhile.' }))
}

/** Waits for readers of an older state as long as for a lock. */
async function emptied({ busyRetry }: FileAccess, attempt: () => Promise<boolean>): Promise<boolean> {
  try {
    await retrying(busyRetry, isHeld, async () => {
      if (!(await attempt())) throw new Held()
    })
    return true
  } catch (error) {
    if (error instanceof Held || isStoreBusy(error)) return false
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
  return { lookedFor, before: [], after: [], rewritten: [], deleted: [], held: [] }
}

async function noteOf({ alone }: FileAccess): Promise<Note | undefined> {
  const row = await alone(async (connection) =>
    connection.get<{ value: string }>('SELECT value FROM meta WHERE key = ?1', UNFINISHED_ERASING),
  )
  return row === undefined ? undefined : (JSON.parse(row.value) as Note)
}
