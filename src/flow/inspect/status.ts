import { healthOf, rescoreAdvice } from '../../domain/advice/health.ts'
import type { TokenUsage } from '../../domain/advice/usage.ts'
import { count } from '../../domain/text/count.ts'
import type { Counts, ScopeCounts } from '../../ports/store/transaction.ts'
import { STATE_KEYS } from '../../ports/store/undo.ts'
import { type DreamAdvice, dreamAdvice } from '../engine/dream-policy.ts'
import { type EmbeddingLock, matchesLock, nameOf, readEmbeddingLock } from '../engine/embedding.ts'
import { type Engine, ownKey, type Rest } from '../engine/engine.ts'
import { lastTrouble, lifetimeUsage, type Trouble, tokensOfDay } from '../engine/usage.ts'
import { hasUnfinishedErasing, UNFINISHED } from '../erase/unfinished.ts'
import { type JudgingState, judgingState } from '../judge/pending-judgements.ts'
import { readShadowLock, type ShadowLock } from '../reembed/shadow-lock.ts'
import { leaseOfOther, type RestRecord, readRest } from '../rest/lease.ts'

/** Where dream notes when it last promoted something, ISO-8601 UTC. */
const LAST_CONSOLIDATED_KEY = 'last_consolidated_at'

/** More unresolved pairs than these make a memory unreliable. */
export const OPEN_PAIRS_BEARABLE = 20

interface RunningSession {
  readonly id: string
  readonly taskType: string
  readonly startedAt: string
  /** Active hours since it began. */
  readonly hours: number
}

/** What becomes of the inbox while nobody calls. */
interface AutoDreamStatus {
  /** How this process dreams by itself. */
  readonly mode: Rest['mode']
  /** ISO-8601 UTC. */
  readonly lastAt?: string
  /** Another process dreams by itself just now. */
  readonly elsewhere: boolean
}

/** Scopes named, those with most blocks first. */
const SCOPES_NAMED = 50

export interface StatusResult {
  readonly health: 'good' | 'attention' | 'degraded'
  /** Why it is not good. */
  readonly reasons: readonly string[]
  /** The next step to take. */
  readonly suggestion: string
  readonly counts: Counts
  readonly advice: DreamAdvice
  readonly inboxThreshold: number
  readonly judge: JudgingState
  /** Model usage in the memory's life, and tokens on this UTC day. Of all scopes. */
  readonly tokens: { readonly lifetime: TokenUsage; readonly today: number }
  /** How often a text came back that recall had shown. */
  readonly echoes: number
  readonly totalActiveHours: number
  /** ISO-8601 UTC. */
  readonly lastConsolidated?: string
  readonly autoDream: AutoDreamStatus
  readonly session?: RunningSession
  readonly embeddingModel?: string
  /** Model of the vectors that are kept besides those in use. */
  readonly shadowModel?: string
  /** Of a memory or call that works in one. */
  readonly scope?: string
  /** Of a memory that sees the whole store, when there are any; at most 50. */
  readonly scopes?: readonly ScopeCounts[]
  /** There are more than those. */
  readonly moreScopes?: true
  readonly location: string
}

interface Findings {
  readonly counts: Counts
  readonly advice: DreamAdvice
  readonly lock: EmbeddingLock | undefined
  readonly shadow: ShadowLock | undefined
  readonly judge: JudgingState
  /** Of the configured model. */
  readonly trouble: Trouble | undefined
  readonly unfinishedErasing: boolean
}

/** How the memory is and what it wants. Reads only: nothing is logged and no session begins. */
export async function status(engine: Engine): Promise<StatusResult> {
  const { store, settings, scope, clock, languageModel } = engine
  const read = await store.read(async (tx) => {
    const counts = await tx.counts()
    return {
      counts,
      advice: await dreamAdvice(tx, engine, counts.inbox),
      lock: await readEmbeddingLock(tx),
      shadow: await readShadowLock(tx),
      judge: await judgingState(engine, tx, counts.active),
      trouble: languageModel && (await lastTrouble(tx)),
      echoes: Number((await tx.meta(ownKey(engine, STATE_KEYS.echoes))) ?? 0),
      tokens: {
        lifetime: await lifetimeUsage(tx),
        today: await tokensOfDay(tx, new Date(clock.now()).toISOString()),
      },
      lastConsolidated: await tx.meta(ownKey(engine, LAST_CONSOLIDATED_KEY)),
      rest: await readRest(tx),
      reading: await tx.clock(),
      unfinishedErasing: scope === undefined && (await hasUnfinishedErasing(tx)),
      scopes: scope === undefined ? await tx.scopes(SCOPES_NAMED + 1) : [],
    }
  })
  const { hours } = engine.session.moment(read.reading)
  const session = engine.session.current
  return {
    ...healthBy(read, engine),
    counts: read.counts,
    advice: read.advice,
    inboxThreshold: settings.memory.inboxThreshold,
    judge: read.judge,
    tokens: read.tokens,
    echoes: read.echoes,
    totalActiveHours: hours,
    ...(read.lastConsolidated === undefined ? {} : { lastConsolidated: read.lastConsolidated }),
    autoDream: autoDreamStatus(engine, read.rest),
    ...(session === undefined ? {} : { session: runningSession(session, hours) }),
    ...(read.lock === undefined ? {} : { embeddingModel: read.lock.model }),
    ...(read.shadow === undefined ? {} : { shadowModel: read.shadow.model }),
    ...(scope === undefined ? {} : { scope }),
    ...scopesOf(read.scopes),
    location: store.location,
  }
}

function autoDreamStatus(engine: Engine, rest: RestRecord): AutoDreamStatus {
  return {
    mode: engine.rest.mode,
    ...(rest.dreamtAt === undefined ? {} : { lastAt: rest.dreamtAt }),
    elsewhere: leaseOfOther(engine, rest) !== undefined,
  }
}

function scopesOf(scopes: readonly ScopeCounts[]): Pick<StatusResult, 'scopes' | 'moreScopes'> {
  if (scopes.length === 0) return {}
  const more = scopes.length > SCOPES_NAMED ? { moreScopes: true as const } : {}
  return { scopes: scopes.slice(0, SCOPES_NAMED), ...more }
}

function runningSession(
  { id, taskType, startedAt, startHours }: NonNullable<Engine['session']['current']>,
  hours: number,
): RunningSession {
  return { id, taskType, startedAt, hours: Math.max(0, hours - startHours) }
}

function healthBy(findings: Findings, engine: Pick<Engine, 'embedder' | 'settings' | 'rest'>) {
  const { counts, advice, judge } = findings
  const { health, finding } = healthOf(counts.inbox, advice.threshold, counts.active)
  const inbox: Partial<Record<typeof finding, string>> = {
    inbox_full: `${counts.inbox} blocks wait in the inbox; a dream is due from ${advice.threshold}`,
    inbox_nearly_full: `${counts.inbox} blocks wait in the inbox; a dream is due from ${advice.threshold}`,
  }
  const troubles = troublesOf(findings, engine)
  const waiting = inbox[finding]
  const drifts = judge.model !== undefined && judge.drift
  const reasons = [
    ...troubles.map(({ reason }) => reason),
    ...(waiting === undefined ? [] : [waiting]),
    ...(drifts ? [`${judge.unjudged} active blocks were never judged, ${judge.stale} long ago`] : []),
  ]
  const [worst] = troubles
  if (worst !== undefined) return { health: 'degraded' as const, reasons, suggestion: worst.suggestion }
  // That dream takes the inbox in, too.
  if (drifts)
    return {
      health: 'attention' as const,
      reasons,
      suggestion: rescoreAdvice({ active: counts.active, ...judge }),
    }
  // What the memory does by itself needs nobody's attention.
  if (waiting !== undefined && engine.rest.mode !== 'off')
    return { health: 'good' as const, reasons, suggestion: BY_ITSELF }
  const { openPairs } = counts
  if (finding === 'fine' && openPairs > 0)
    return {
      health,
      reasons,
      suggestion: `Nothing is due; resolve decides about ${count(openPairs, 'open pair')}.`,
    }
  return { health, reasons, suggestion: SUGGESTIONS[finding] }
}

const BY_ITSELF = 'Nothing to do: it dreams by itself when enough waits and all is quiet; dream does it now.'

const SUGGESTIONS = {
  inbox_full: 'Call dream at the next pause.',
  inbox_nearly_full: 'Call dream soon.',
  empty: 'Begin with setup (identity, values, seed) or remember something.',
  fine: 'Nothing to do.',
} as const satisfies Record<ReturnType<typeof healthOf>['finding'], string>

function troublesOf(
  { counts, lock, shadow, trouble, unfinishedErasing }: Findings,
  { embedder, settings, rest }: Pick<Engine, 'embedder' | 'settings' | 'rest'>,
) {
  const { pendingAlert } = settings.graph
  const troubles: { readonly reason: string; readonly suggestion: string }[] = []
  if (unfinishedErasing) troubles.push(UNFINISHED)
  if (!matchesLock(lock, embedder))
    troubles.push({
      reason: `the stored vectors are of ${lock?.model}, the embedder is ${embedder.model}: recall finds by words alone`,
      suggestion: `Call reembed (elfmem reembed) to change all vectors, or configure the embedder ${lock?.model} again.`,
    })
  else if (shadow?.kept === false)
    troubles.push({
      reason: `a change of all vectors to ${nameOf(shadow)} was begun and not finished`,
      suggestion: `Configure ${shadow.model} and call reembed to go on, or reembed with drop to give it up.`,
    })
  if (trouble)
    troubles.push({
      reason: `the language model did not judge all it was asked at ${trouble.at}: ${trouble.message}`,
      suggestion: 'Call doctor({ resolve: true }), which asks the model once and says what is wrong.',
    })
  if (rest.trouble !== undefined)
    troubles.push({
      reason: `the last dream at rest failed: ${rest.trouble}`,
      suggestion: 'Call dream, which tells what is wrong and what to do; it is tried again by itself, too.',
    })
  if (counts.openPairs > OPEN_PAIRS_BEARABLE)
    troubles.push({
      reason: `${counts.openPairs} pairs of near-duplicates or contradictions are unresolved`,
      suggestion: 'Decide about pairs with resolve; show lists the open pairs of a block.',
    })
  if (counts.pendingConnections > pendingAlert)
    troubles.push({
      reason: `${counts.pendingConnections} connections wait for room`,
      suggestion:
        'Call curate, which admits what has room; ls with pending lists them, disconnect makes room.',
    })
  return troubles
}
