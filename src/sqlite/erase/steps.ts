import { createHash, randomBytes } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { Finder } from '../../domain/erasure/finder.ts'
import { leastWordBytes, type NeedleKind, needlesOf } from '../../domain/erasure/needles.ts'
import { ElfmemError } from '../../errors.ts'
import {
  type Chosen,
  type ErasingChoice,
  type FoundInFile,
  type HeldFile,
  type LookedFor,
  UNFINISHED_ERASING,
} from '../../ports/store/erasing.ts'
import { Connection } from '../connection/driver.ts'
import { removeDatabase } from '../maintenance/paths.ts'
import { choose } from './choose.ts'
import { collectFromCopy, copyHolds, emptyLog, emptyRoom, rewriteCopy } from './database-copies.ts'
import { eraseDeleted, eraseRows } from './erase-rows.ts'
import { collectFromExport, rewriteExport } from './exports.ts'
import { collectWords, type Words, whoseIn } from './held-words.ts'
import { allFiles, memoryFiles } from './memory-files.ts'
import { scanFile } from './scan.ts'
import { standingIn } from './standing.ts'

/** Kept blocks that are named because they hold words of erased ones. */
const MOST_STANDING = 20
/** Forms that are looked for in one pass over the files, so that memory stays bounded. */
const FORMS_AT_ONCE = 200_000

/** What is looked for. */
export interface Needles {
  readonly lookedFor: LookedFor
  /** All forms by kind: of the log and of notes they are taken out. */
  readonly forms: ReadonlyMap<string, NeedleKind>
}

/** One step of an erasing, each of which may take seconds in a large memory and stands for itself. */
export type Step =
  | { readonly does: 'choose'; readonly location: string; readonly choice: ErasingChoice }
  | {
      readonly does: 'collect'
      readonly location: string
      readonly ids: readonly string[]
      readonly texts: readonly string[]
    }
  | { readonly does: 'scan'; readonly location: string; readonly forms: ReadonlyMap<string, NeedleKind> }
  | {
      readonly does: 'rows'
      readonly location: string
      readonly ids: readonly string[]
      readonly forms: readonly string[]
      readonly note: string
    }
  | { readonly does: 'room'; readonly location: string }
  | { readonly does: 'log'; readonly location: string }
  | {
      readonly does: 'copies'
      readonly location: string
      readonly ids: readonly string[]
      readonly forms: ReadonlyMap<string, NeedleKind>
      readonly copies: 'rewrite' | 'delete'
    }
  | { readonly does: 'settle'; readonly location: string }

/** What became of the copies of a memory. */
interface CopiesDone {
  readonly rewritten: readonly string[]
  readonly deleted: readonly string[]
  readonly held: readonly HeldFile[]
}

interface Answers {
  readonly choose: Chosen
  readonly collect: Needles
  readonly scan: readonly FoundInFile[]
  readonly rows: true
  readonly room: boolean
  readonly log: boolean
  readonly copies: CopiesDone
  readonly settle: true
}

export type AnswerTo<T extends Step> = Answers[T['does']]

/** Takes a step in this very thread. A database that is busy is `STORE_BUSY` at once. */
export function takeStep<T extends Step>(step: T): AnswerTo<T>
export function takeStep(step: Step): Answers[Step['does']] {
  switch (step.does) {
    case 'choose':
      return within(step.location, true, (memory) => choose(memory, step.choice))
    case 'collect':
      return collect(step)
    case 'scan':
      return scan(step)
    case 'rows':
      return within(step.location, false, (memory) => {
        eraseRows(memory, step, step.note)
        return true as const
      })
    case 'room':
      return within(step.location, false, emptyRoom)
    case 'log':
      return within(step.location, false, emptyLog)
    case 'copies':
      return doCopies(step)
    case 'settle':
      return within(step.location, false, settle)
  }
}

function collect({ location, ids, texts: given }: Extract<Step, { does: 'collect' }>): Needles {
  const words: Words = { texts: new Set(given), terms: new Set() }
  const { backups, exports } = memoryFiles(location)
  for (const path of backups) quietly(() => collectFromCopy(path, ids, words))
  for (const path of exports) quietly(() => collectFromExport(path, ids, words))
  return within(location, true, (memory) => {
    collectWords(memory, whoseIn(memory, ids), words)
    const all = needlesOf(words)
    const isLong = (form: string) => all.get(form) !== 'word'
    const standing = standingIn(memory, ids, new Finder(all.keys()), isLong)
    for (const form of standing.forms) all.delete(form)
    const forms = new Map([...all].filter(([form]) => Buffer.byteLength(form) >= 4))
    return { forms, lookedFor: toldOf(forms, standing) }
  })
}

/** A copy that cannot be read is told of when it is to be written. */
function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // Told of later.
  }
}

function toldOf(
  forms: ReadonlyMap<string, NeedleKind>,
  { forms: standing, blockIds }: ReturnType<typeof standingIn>,
): LookedFor {
  const salt = randomBytes(16).toString('hex')
  const of = (kind: NeedleKind) => [...forms.values()].filter((each) => each === kind).length
  const digest = (form: string) => createHash('sha256').update(salt).update(form).digest('hex').slice(0, 16)
  return {
    texts: of('text'),
    runs: of('run'),
    words: of('word'),
    standing: standing.size,
    standingIn: blockIds.slice(0, MOST_STANDING),
    salt,
    digests: [...forms.keys()].map(digest).sort(),
  }
}

/** Words that are too short for files of this size stand there by chance, and are left out here. */
function scan({
  location,
  forms,
}: Pick<Extract<Step, { does: 'scan' }>, 'location' | 'forms'>): FoundInFile[] {
  const files = allFiles(location)
  const bytes = files.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)
  const words = [...forms.values()].filter((kind) => kind === 'word').length
  const least = leastWordBytes(bytes, words)
  const wanted = [...forms].filter(([form, kind]) => kind !== 'word' || Buffer.byteLength(form) >= least)
  const total = new Map<string, FoundInFile>()
  for (let first = 0; first === 0 || first < wanted.length; first += FORMS_AT_ONCE) {
    const finder = new Finder(wanted.slice(first, first + FORMS_AT_ONCE).map(([form]) => form))
    for (const path of files) {
      const found = scanFile(path, finder, (form) => forms.get(form) ?? 'word')
      const before = total.get(path)
      total.set(path, {
        ...found,
        texts: found.texts + (before?.texts ?? 0),
        runs: found.runs + (before?.runs ?? 0),
        words: found.words + (before?.words ?? 0),
      })
    }
  }
  return [...total.values()]
}

function doCopies({ location, ids, forms, copies }: Extract<Step, { does: 'copies' }>): CopiesDone {
  const { indexes, backups, unfinished, exports } = memoryFiles(location)
  const [rewritten, deleted, held]: [string[], string[], HeldFile[]] = [[], [], []]
  const found = new Map(
    scan({ location, forms }).map((each) => [each.path, each.texts + each.runs + each.words]),
  )
  const holds = (path: string) => (found.get(path) ?? 0) > 0
  const attempt = (path: string, work: () => void) => {
    try {
      work()
    } catch (error) {
      held.push({
        path,
        reason: ElfmemError.is(error) || error instanceof Error ? error.message : String(error),
      })
    }
  }
  const going = { ids, forms: [...forms.keys()] }
  // Indexes are caches: whoever misses one reads the rows.
  for (const path of indexes) attempt(path, () => rmSync(path, { force: true }))
  for (const path of unfinished)
    if (isAbandoned(path)) attempt(path, () => removeDatabase(path))
    else held.push({ path, reason: 'Another process is writing it.' })
  for (const path of [...backups, ...exports]) {
    const isBackup = backups.includes(path)
    attempt(path, () => {
      if (!holds(path) && !(isBackup ? copyHolds(path, ids) : exportHolds(path, ids))) return
      if (copies === 'delete') {
        removeDatabase(path)
        deleted.push(path)
        return
      }
      if (isBackup) rewriteCopy(path, going)
      else rewriteExport(path, going)
      rewritten.push(path)
    })
  }
  return { rewritten, deleted, held }
}

function exportHolds(path: string, ids: readonly string[]): boolean {
  const { texts, runs, words } = scanFile(path, new Finder(ids), () => 'text')
  return texts + runs + words > 0
}

/** True if the process that made a file of this name is gone. */
function isAbandoned(path: string): boolean {
  const made = Number(/\.part-(\d+)/.exec(path)?.[1])
  if (made === process.pid) return false
  try {
    process.kill(made, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

/** Forgets that an erasing is under way. */
function settle(memory: Connection): true {
  eraseDeleted(memory)
  memory.run(`DELETE FROM meta WHERE key = '${UNFINISHED_ERASING}'`)
  try {
    emptyLog(memory)
  } catch {
    // What is left in the log are ids; the next one who empties it takes them away.
  }
  return true
}

function within<T>(location: string, readOnly: boolean, work: (memory: Connection) => T): T {
  const memory = new Connection(location, { readOnly })
  try {
    return work(memory)
  } finally {
    memory.close()
  }
}
