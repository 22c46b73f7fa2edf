import { count } from '../block/text.ts'
import {
  healthOf,
  JUDGING,
  type JudgingState,
  judgingState,
  lastTrouble,
  type Trouble,
} from '../dream/judgement.ts'
import { readShadowLock, type ShadowLock } from '../dream/reembed.ts'
import { type DreamAdvice, dreamAdvice } from '../dream/rest.ts'
import { embedderMismatch, matchesLock, nameOf, readEmbeddingLock } from '../engine/embedding.ts'
import { type EmbeddingLock, type Engine, tokensOfDay } from '../engine/engine.ts'
import { GRAPH } from '../graph/edge.ts'
import { UNFINISHED_ERASING } from '../history/erase.ts'
import type { Counts, FileFindings, RowFindings } from '../store/database.ts'
import { readMeta } from '../store/log.ts'
import { proposals } from '../store/tables-to-decide.ts'
import type { ReadTransaction } from '../store/transaction.ts'

/** A check outcome is `warn` if something works but wants attention, `fail` if it does not work, `skipped` if it was not tried. */
export type CheckOutcome = 'ok' | 'warn' | 'fail' | 'skipped'

/** A finding of a check has a message and the step to take. */
export interface Finding {
  readonly outcome: CheckOutcome
  readonly message: string
  /** The next step; present for every `warn` and `fail`. */
  readonly recovery?: string
  /** True if nothing is broken: somebody is to decide, or to make a call. */
  readonly waits?: true
}

/** A check is a finding with the name and the title of its row. */
export interface Check extends Finding {
  /** One lower-case word, unique among the checks of a call. */
  readonly name: string
  /** The name in words, for people. */
  readonly title: string
  /** The argument of `doctor` that repairs the finding; absent if none does. */
  readonly fixable?: 'fix'
  /** Seconds that the check took, for checks that call a model. */
  readonly seconds?: number
}

/** A row of the table of checks has its name, its title, and a function that judges the facts read. */
interface CheckRow<Read> {
  readonly name: string
  readonly title: string
  /** Returns a finding; undefined if there is nothing to say. */
  readonly judge: (read: Read, engine: Engine) => Finding | undefined
}

/** Returns the findings of all rows about the facts read, without the rows that find nothing to say. */
export function checksOf<Read>(rows: readonly CheckRow<Read>[], read: Read, engine: Engine): Check[] {
  return rows.flatMap(({ name, title, judge }) => {
    const finding = judge(read, engine)
    return finding === undefined ? [] : [{ name, title, ...finding }]
  })
}

/** Returns a finding that nothing is wrong. */
export function ok(message: string): Finding {
  return { outcome: 'ok', message }
}

/** Returns a finding that nothing was checked, or that there is nothing to check. */
export function skipped(message: string): Finding {
  return { outcome: 'skipped', message }
}

/** Returns a finding that something works and wants attention. */
function warn(message: string, recovery: string): Finding {
  return { outcome: 'warn', message, recovery }
}

/** Returns a finding that something waits for somebody, and nothing is broken. */
function waits(message: string, recovery: string): Finding {
  return { outcome: 'warn', message, recovery, waits: true }
}

/** Returns a finding that something does not work. */
export function fail(message: string, recovery: string): Finding {
  return { outcome: 'fail', message, recovery }
}

/** Facts are the state of a memory that `status` and `doctor` judge. */
export interface Facts {
  readonly counts: Counts
  readonly advice: DreamAdvice
  /** The model of the vectors in use. */
  readonly lock: EmbeddingLock | undefined
  readonly shadow: ShadowLock | undefined
  readonly judging: JudgingState
  readonly openProposals: number
  /** True while files may hold words of blocks that are erased. */
  readonly unfinishedErasing: boolean
  /** The last failure of the configured model. */
  readonly lastTrouble: Trouble | undefined
  /** Tokens that language models used on this UTC day. */
  readonly today: number
}

/** Reads the facts in the snapshot of `tx`. */
export async function readFacts(engine: Engine, tx: ReadTransaction): Promise<Facts> {
  const counting = tx.queries.counts()
  const [counts, lock, shadow, judging, openProposals, unfinished, trouble, today] = await Promise.all([
    counting,
    readEmbeddingLock(tx),
    readShadowLock(tx),
    judgingState(engine, tx, counting),
    tx.rows.count(proposals, { state: 'open' }),
    engine.scope === undefined ? readMeta(tx, UNFINISHED_ERASING) : undefined,
    engine.languageModel && lastTrouble(tx),
    tokensOfDay(tx, new Date(engine.clock.now()).toISOString()),
  ])
  return {
    counts,
    advice: dreamAdvice(engine, counts.inbox),
    lock,
    shadow,
    judging,
    openProposals,
    unfinishedErasing: unfinished !== undefined,
    lastTrouble: trouble,
    today,
  }
}

/** These checks judge the facts that a memory knows of itself, in the order in which data passes through it. They ask no model. */
export const CHECKS_OF_FACTS: readonly CheckRow<Facts>[] = [
  {
    name: 'erasing',
    title: 'Every erasing has ended',
    judge: ({ unfinishedErasing }) =>
      unfinishedErasing
        ? warn(
            'An erasing was begun and not finished: files of the memory may still hold the words.',
            'Call erase() without arguments, which does the rest.',
          )
        : undefined,
  },
  {
    name: 'vectors',
    title: 'Vectors are of the configured embedder',
    judge: ({ lock, shadow }, engine) => {
      const { embedder } = engine
      if (lock !== undefined && !matchesLock(lock, embedder)) {
        const { message, recovery } = embedderMismatch(lock, embedder)
        return fail(message, recovery)
      }
      if (shadow?.kept === false)
        return warn(
          `A change of all vectors to ${nameOf(shadow)} was begun and not finished.`,
          `Configure ${shadow.model} and call reembed() to go on, or reembed() with drop to give it up.`,
        )
      return ok(embedderSaid(engine))
    },
  },
  {
    name: 'inbox',
    title: 'The inbox has room',
    judge: ({ counts, advice }) => {
      const waiting = `Waiting: ${counts.inbox}; a dream is due from ${advice.threshold}.`
      return advice.shouldDream ? waits(waiting, 'Call dream() at the next pause.') : ok(waiting)
    },
  },
  {
    name: 'rest',
    title: 'Dreams at rest work',
    judge: (_, { rest }) =>
      rest.trouble === undefined
        ? undefined
        : warn(
            `The last dream at rest failed: ${rest.trouble}`,
            'Call dream(), which tells what is wrong and what to do; it is tried again by itself, too.',
          ),
  },
  {
    name: 'use',
    title: 'The use of recalled blocks is written',
    judge: (_, { behind }) =>
      behind.trouble === undefined
        ? undefined
        : warn(
            `The use of what the last recall showed could not be written: ${behind.trouble}`,
            'Nothing was lost but that use; see whether the disk is full or may only be read.',
          ),
  },
  {
    name: 'proposals',
    title: 'Proposals to decide about',
    judge: ({ openProposals: open }) =>
      open === 0
        ? undefined
        : waits(
            `${count(open, 'proposal')} ${open === 1 ? 'waits' : 'wait'} for the owner.`,
            'The owner decides: decisions() lists them, elfmem review asks one by one.',
          ),
  },
  {
    name: 'pairs',
    title: 'Pairs to decide about',
    judge: ({ counts: { openPairs } }) => {
      const open = `Pairs to decide about: ${openPairs}.`
      if (openPairs <= 20) return ok(open)
      return waits(open, 'Decide with resolve(); inbox({ openPairs: 20 }) lists them.')
    },
  },
  {
    name: 'connections',
    title: 'Connections have room',
    judge: ({ counts: { pendingConnections: pending } }) =>
      pending <= GRAPH.pendingAlert
        ? undefined
        : waits(
            `${pending} connections wait for room.`,
            'Call curate(), which makes the connections that have room; disconnect() makes room.',
          ),
  },
  {
    name: 'judgements',
    title: 'Judgements are fresh',
    judge: ({ counts: { active }, judging: { model, pending, unjudged, stale, drift, advice } }) => {
      if (model === undefined) return skipped('No language model reviews notes; that is fine without one.')
      const found = `A language model has reviewed ${active - unjudged} of ${active} active notes, ${stale} of them long ago; ${pending} failed.`
      return drift ? waits(found, advice) : ok(found)
    },
  },
  {
    name: 'model',
    title: 'Language model',
    judge: ({ lastTrouble }, engine) => {
      const said = modelSaid(engine)
      if (engine.languageModel === undefined) return skipped(said)
      if (lastTrouble === undefined) return ok(said)
      return warn(`${said} At ${lastTrouble.at} it failed: ${lastTrouble.message}`, lastTrouble.recovery)
    },
  },
]

/** Returns the tokens that may still be used today; a `limit` of 0 is no limit. */
export function budgetLeft(limit: number, today: number): number {
  return limit === 0 ? Number.POSITIVE_INFINITY : Math.max(0, limit - today)
}

function embedderSaid({ embedder, settings: { embeddings } }: Engine): string {
  const named = nameOf(embedder)
  // A caller may have brought another embedder than the settings name.
  const isNamed = embeddings.provider === 'http' && embeddings.model === embedder.model
  const host = isNamed ? hostOf(embeddings.baseUrl) : undefined
  return host ? `${named}; contents and questions are sent to ${host}.` : `${named}.`
}

/** Returns the host of an address without other parts, which may be names, passwords or queries. */
function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : undefined
}

function modelSaid({ languageModel, settings: { llm } }: Engine): string {
  if (languageModel === undefined)
    return llm.model === undefined
      ? 'No language model is configured: rules decide, and nothing leaves this machine for one.'
      : `${llm.model} is named in the settings and switched off: rules decide.`
  const { model, remote } = languageModel
  return remote
    ? `${model}, remote: dream sends it texts of blocks that are new or pending and of pairs (at most ${JUDGING.charactersPerBlock} characters each, secrets taken out) and the self frame.`
    : `${model}, on this machine: no text leaves it.`
}

const FIX = 'Call doctor() with fix.'

const CHECKS_OF_ROWS: readonly CheckRow<RowFindings>[] = [
  {
    name: 'orphans',
    title: 'Every row has what it belongs to',
    judge: ({ orphans }) =>
      Object.keys(orphans).length === 0
        ? ok('Every row has what it belongs to.')
        : fail(`Rows without what they belong to: ${tablesSaid(orphans)}.`, FIX),
  },
  {
    name: 'values',
    title: 'Every value is one that elfmem writes',
    judge: ({ wrongValues }) =>
      Object.keys(wrongValues).length === 0
        ? ok('Every value is one that elfmem writes.')
        : fail(
            `Rows with values that no elfmem writes, such as dates that are none: ${tablesSaid(wrongValues)}.`,
            'Restore a backup from before.',
          ),
  },
]

const CHECKS_OF_FILE: readonly CheckRow<FileFindings>[] = [
  {
    name: 'file',
    title: 'The file is whole',
    judge: ({ damage }) =>
      damage.length === 0
        ? ok('It is whole.')
        : fail(
            `It is damaged: ${damage.join('; ')}`,
            'Move the file away; the owner then brings the newest backup back with restoreBackup, which makes a new one.',
          ),
  },
  ...CHECKS_OF_ROWS,
  {
    name: 'access',
    title: 'Only its owner reads the file',
    judge: ({ exposed }) =>
      exposed.length === 0
        ? ok('Only its owner reads and writes it.')
        : warn(
            `Other users may read or change ${exposed.map(({ path }) => path).join(', ')}.`,
            exposed.every(({ isFolder }) => isFolder)
              ? 'Take the right to write from others, or move the memory to a folder of its own.'
              : FIX,
          ),
  },
]

/** Checks the rows of the memory, its file and the files beside it; a memory in no file of its own has rows alone. */
export async function checkFiles(engine: Engine, options: LookOptions): Promise<Check[]> {
  const only = (message: string) => ({ name: 'file', title: 'The file is whole', ...skipped(message) })
  if (engine.scope !== undefined) return [only('Looked at from the whole memory, not from one scope.')]
  const found = await look(engine, options)
  const due = repairsDue(found)
  const checks =
    'damage' in found
      ? checksOf(CHECKS_OF_FILE, found, engine)
      : [
          only('This memory is in no file of its own: only its rows are checked, not what keeps them.'),
          ...checksOf(CHECKS_OF_ROWS, found, engine),
        ]
  return checks.map((check) => (due.has(check.name) ? { ...check, fixable: 'fix' } : check))
}

interface LookOptions {
  readonly full: boolean
  readonly signal?: AbortSignal | undefined
}

/** Looks at the file if there is one, and at the rows. */
export function look({ store }: Engine, options: LookOptions): Promise<RowFindings | FileFindings> {
  return store.files?.look(options) ?? store.read((tx) => tx.queries.rowFindings(), { aside: true })
}

/** Returns the names of the checks whose findings `fix` repairs; none for a damaged file. */
export function repairsDue(found: RowFindings & Partial<FileFindings>): ReadonlySet<string> {
  const { damage = [], orphans, exposed = [] } = found
  if (damage.length > 0) return new Set()
  const due = new Set<string>()
  if (Object.keys(orphans).length > 0) due.add('orphans')
  if (exposed.some(({ isFolder }) => !isFolder)) due.add('access')
  return due
}

function tablesSaid(rows: Readonly<Record<string, number>>): string {
  return Object.entries(rows)
    .map(([table, total]) => `${total} in ${table}`)
    .join(', ')
}

interface Health {
  /** The health is `attention` if something waits for somebody, `degraded` if something does not work as it should. */
  readonly health: 'good' | 'attention' | 'degraded'
  /** Reasons why the health is not good. */
  readonly reasons: readonly string[]
  /** The next step to take. */
  readonly suggestion: string
}

/** Judges by the checks of `doctor` how healthy a memory is, with the reasons and the next step. */
export function judgeHealth(facts: Facts, engine: Engine): Health {
  const { counts, advice } = facts
  const found = checksOf(CHECKS_OF_FACTS, facts, engine).filter(
    ({ outcome }) => outcome === 'warn' || outcome === 'fail',
  )
  const reasons = found.map(({ message }) => message)
  const worst = found.find((each) => each.waits !== true) ?? found[0]
  if (worst !== undefined)
    return {
      health: worst.waits === true ? 'attention' : 'degraded',
      reasons,
      suggestion: worst.recovery ?? '',
    }
  // A full inbox is a finding, unless the memory dreams by itself: then nobody has to look at it.
  const { health, finding } = healthOf(counts.inbox, advice.threshold, counts.active)
  if (finding.startsWith('inbox') && engine.rest.mode !== 'off')
    return { health: 'good', reasons, suggestion: BY_ITSELF }
  const pairs = count(counts.openPairs, 'open pair')
  const suggestion =
    finding === 'fine' && counts.openPairs > 0
      ? `Nothing is due; resolve() decides about ${pairs}, which inbox({ openPairs: 20 }) lists.`
      : SUGGESTIONS[finding]
  return { health, reasons, suggestion }
}

const BY_ITSELF = 'Nothing to do: it dreams by itself when all is quiet; dream() does it now.'

const SUGGESTIONS = {
  inbox_full: 'Call dream() at the next pause.',
  inbox_nearly_full: 'Call dream() soon.',
  empty: 'Begin with setup() (identity, values, seed) or remember() something.',
  fine: 'Nothing to do.',
} as const
