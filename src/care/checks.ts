import { count } from '../block/text.ts'
import { JUDGING } from '../dream/judgement.ts'
import { embedderMismatch, matchesLock, nameOf } from '../engine/embedding.ts'
import type { Engine } from '../engine/engine.ts'
import { GRAPH } from '../graph/edge.ts'
import type { Facts } from './facts.ts'

/** Outcome of a check: `warn` works but wants attention, `fail` does not work, `skipped` was not tried. */
export type CheckOutcome = 'ok' | 'warn' | 'fail' | 'skipped'

/** What a check found, and what to do about it. */
export interface Finding {
  readonly outcome: CheckOutcome
  readonly message: string
  /** The next step; present for every `warn` and `fail`. */
  readonly recovery?: string
  /** True if nothing is broken: somebody is to decide, or to call something. */
  readonly waits?: true
}

/** A finding under the name and the title of its check. */
export interface Check extends Finding {
  /** One lower-case word, unique among the checks of a call. */
  readonly name: string
  /** The name in words. */
  readonly title: string
  /** The argument of doctor that repairs it; absent if none does. */
  readonly fixable?: 'fix'
  /** Seconds it took, where that says something. */
  readonly seconds?: number
}

/** A row of the table of checks: its name, its title, and how it judges what was read. */
export interface CheckRow<Read> {
  readonly name: string
  readonly title: string
  /** Undefined if there is nothing to say. */
  readonly judge: (read: Read, engine: Engine) => Finding | undefined
}

/** Judges what was read by each row, and leaves out those that say nothing. */
export function checksOf<Read>(rows: readonly CheckRow<Read>[], read: Read, engine: Engine): Check[] {
  return rows.flatMap(({ name, title, judge }) => {
    const finding = judge(read, engine)
    return finding === undefined ? [] : [{ name, title, ...finding }]
  })
}

/** A finding that nothing is wrong. */
export function ok(message: string): Finding {
  return { outcome: 'ok', message }
}

/** A finding that nothing was looked at, or that there is nothing to look at. */
export function skipped(message: string): Finding {
  return { outcome: 'skipped', message }
}

/** A finding that something works and wants attention. */
export function warn(message: string, recovery: string): Finding {
  return { outcome: 'warn', message, recovery }
}

/** A finding that something waits for somebody, and nothing is broken. */
function waits(message: string, recovery: string): Finding {
  return { outcome: 'warn', message, recovery, waits: true }
}

/** A finding that something does not work. */
export function fail(message: string, recovery: string): Finding {
  return { outcome: 'fail', message, recovery }
}

/** Pairs that may be open before a memory counts as unreliable. */
const OPEN_PAIRS_BEARABLE = 20

/** The checks of what a memory knows of itself, in the order of the data's way. They ask no model. */
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
      if (openPairs <= OPEN_PAIRS_BEARABLE) return ok(open)
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
            'Call curate(), which admits what has room; ls() with pending lists them, disconnect() makes room.',
          ),
  },
  {
    name: 'judgements',
    title: 'Judgements are fresh',
    judge: ({ counts: { active }, judging: { model, pending, unjudged, stale, drift, advice } }) => {
      const found = `${unjudged} of ${active} active blocks were never judged, ${stale} long ago; ${pending} failed.`
      if (model === undefined) return skipped(`${found} Rules need none.`)
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
  {
    name: 'keys',
    title: 'Keys of models are set',
    judge: (_, { keys = [] }) => {
      if (keys.length === 0) return skipped('The settings name no environment variable with a key.')
      const found = keys.map(
        ({ variable, isSet, use }) => `${variable} is ${isSet ? 'set' : 'not set'} (${use})`,
      )
      const missing = keys.filter(({ isSet }) => !isSet)
      if (missing.length === 0) return ok(`${found.join(', ')}.`)
      const names = missing.map(({ variable }) => variable).join(' and ')
      const judged = missing.some(({ use }) => use === 'llm') ? fail : warn
      return judged(
        `${found.join(', ')}.`,
        `Set ${names} where elfmem runs, or change api_key_env in the settings.`,
      )
    },
  },
]

/** Tokens that may still be used today; `limit` 0 is none. */
export function budgetLeft(limit: number, today: number): number {
  return limit === 0 ? Number.POSITIVE_INFINITY : Math.max(0, limit - today)
}

function embedderSaid({ embedder, settings: { embeddings } }: Engine): string {
  const named = nameOf(embedder)
  // A caller may have brought another one than the settings name.
  const isNamed = embeddings.provider === 'http' && embeddings.model === embedder.model
  const host = isNamed ? hostOf(embeddings.baseUrl) : undefined
  return host ? `${named}; contents and questions are sent to ${host}.` : `${named}.`
}

/** Returns the host of an address without what it may hold besides: names, passwords, queries. */
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
