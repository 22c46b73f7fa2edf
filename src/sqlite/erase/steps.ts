import { createHash, randomBytes } from 'node:crypto'
import { Finder } from '../../domain/erasure/finder.ts'
import { isCode, type NeedleKind, needlesOf } from '../../domain/erasure/needles.ts'
import { attempt } from '../../errors.ts'
import {
  type Chosen,
  type ErasingChoice,
  type FoundInFile,
  type LookedFor,
  UNFINISHED_ERASING,
} from '../../ports/store/erasing.ts'
import { Connection } from '../connection/driver.ts'
import { choose } from './choose.ts'
import { doCopies } from './copies.ts'
import { collectFromCopy, emptyLog, emptyRoom } from './database-copies.ts'
import { eraseDeleted, eraseRows, type Going } from './erase-rows.ts'
import { collectFromExport } from './exports.ts'
import { collectWords, type Words, whoseIn } from './held-words.ts'
import { allFiles, memoryFiles } from './memory-files.ts'
import { lookBeside, scanFiles } from './scan.ts'
import { standingIn } from './standing.ts'

/** Kept blocks that are named because they hold words of erased ones. */
const MOST_STANDING = 20

/** The forms to look for. */
export interface Needles {
  readonly lookedFor: LookedFor
  /** All forms by kind: of the log and of notes they are taken out. */
  readonly forms: ReadonlyMap<string, NeedleKind>
}

interface OfMemory {
  readonly location: string
}

/** The steps of an erasing, each of which may take seconds in a large memory and stands for itself. */
const STEPS = {
  choose: ({ location, choice }: OfMemory & { readonly choice: ErasingChoice }): Chosen =>
    within(location, true, (memory) => choose(memory, choice)),
  collect,
  scan: ({ location, forms }: OfMemory & Pick<Needles, 'forms'>): readonly FoundInFile[] =>
    scanFiles(allFiles(location), forms),
  rows: ({ location, ...going }: OfMemory & Going & { readonly note: string }) =>
    within(location, false, (memory) => eraseRows(memory, going, going.note)),
  room: ({ location }: OfMemory) => within(location, false, emptyRoom),
  log: ({ location }: OfMemory) => within(location, false, emptyLog),
  copies: doCopies,
  beside: lookBeside,
  settle: ({ location }: OfMemory) => within(location, false, settle),
}

type Steps = typeof STEPS

/** One step and what it needs. */
export type Step = {
  [Does in keyof Steps]: { readonly does: Does } & Parameters<Steps[Does]>[0]
}[keyof Steps]

/** The type of what one step answers. */
export type AnswerTo<T extends Step> = ReturnType<Steps[T['does']]>

/** Takes a step in this very thread. A database that is busy is `STORE_BUSY` at once. */
export function takeStep<T extends Step>(step: T): AnswerTo<T> {
  const take: (step: never) => unknown = STEPS[step.does]
  return take(step as never) as AnswerTo<T>
}

interface OfBlocks extends OfMemory {
  readonly ids: readonly string[]
  readonly texts: readonly string[]
}

function collect({ location, ids, texts: given }: OfBlocks): Needles {
  const words: Words = { texts: new Set(given), terms: new Set() }
  const { backups, exports } = memoryFiles(location)
  // A copy that cannot be read is told of when it is to be written.
  for (const path of backups) attempt(() => collectFromCopy(path, ids, words))
  for (const path of exports) attempt(() => collectFromExport(path, ids, words))
  return within(location, true, (memory) => {
    collectWords(memory, whoseIn(memory, ids), words)
    const all = needlesOf(words)
    const isLong = (form: string) => all.get(form) !== 'word'
    const isTelling = (form: string) => isLong(form) || isCode(form)
    const standing = standingIn(memory, ids, new Finder(all.keys()), { isLong, isTelling })
    for (const form of standing.forms) all.delete(form)
    const forms = new Map([...all].filter(([form]) => Buffer.byteLength(form) >= 4))
    return { forms, lookedFor: toldOf(forms, standing) }
  })
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
    standingInCount: blockIds.length,
    salt,
    digests: [...forms.keys()].map(digest).sort(),
  }
}

/** Forgets that an erasing is under way. */
function settle(memory: Connection): void {
  eraseDeleted(memory)
  memory.run(`DELETE FROM meta WHERE key = '${UNFINISHED_ERASING}'`)
  // What is left in the log are ids; the next one who empties it takes them away.
  attempt(() => emptyLog(memory))
}

function within<T>(location: string, readOnly: boolean, work: (memory: Connection) => T): T {
  const memory = new Connection(location, { readOnly })
  try {
    return work(memory)
  } finally {
    memory.close()
  }
}
