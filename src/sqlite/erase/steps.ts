import { createHash, randomBytes } from 'node:crypto'
import { Finder } from '../../domain/erasure/finder.ts'
import { type NeedleKind, needlesOf } from '../../domain/erasure/needles.ts'
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
import { type CopiesDone, type CopiesWanted, doCopies } from './copies.ts'
import { collectFromCopy, emptyLog, emptyRoom } from './database-copies.ts'
import { eraseDeleted, eraseRows } from './erase-rows.ts'
import { collectFromExport } from './exports.ts'
import { collectWords, type Words, whoseIn } from './held-words.ts'
import { allFiles, memoryFiles } from './memory-files.ts'
import { type Beside, type LookBeside, lookBeside, scanFiles } from './scan.ts'
import { standingIn } from './standing.ts'

/** Kept blocks that are named because they hold words of erased ones. */
const MOST_STANDING = 20

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
  | ({ readonly does: 'copies' } & CopiesWanted)
  | ({ readonly does: 'beside' } & LookBeside)
  | { readonly does: 'settle'; readonly location: string }

interface Answers {
  readonly choose: Chosen
  readonly collect: Needles
  readonly scan: readonly FoundInFile[]
  readonly rows: true
  readonly room: boolean
  readonly log: boolean
  readonly copies: CopiesDone
  readonly beside: Beside
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
      return scanFiles(allFiles(step.location), step.forms)
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
    case 'beside':
      return lookBeside(step)
    case 'settle':
      return within(step.location, false, settle)
  }
}

function collect({ location, ids, texts: given }: Extract<Step, { does: 'collect' }>): Needles {
  const words: Words = { texts: new Set(given), terms: new Set() }
  const { backups, exports } = memoryFiles(location)
  // A copy that cannot be read is told of when it is to be written.
  for (const path of backups) attempt(() => collectFromCopy(path, ids, words))
  for (const path of exports) attempt(() => collectFromExport(path, ids, words))
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

/** Forgets that an erasing is under way. */
function settle(memory: Connection): true {
  eraseDeleted(memory)
  memory.run(`DELETE FROM meta WHERE key = '${UNFINISHED_ERASING}'`)
  // What is left in the log are ids; the next one who empties it takes them away.
  attempt(() => emptyLog(memory))
  return true
}

function within<T>(location: string, readOnly: boolean, work: (memory: Connection) => T): T {
  using memory = new Connection(location, { readOnly })
  return work(memory)
}
