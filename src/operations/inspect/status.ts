import * as z from 'zod'
import { count, defined } from '../../block/text.ts'
import { judgeHealth, readFacts } from '../../care/checks.ts'
import { findDue } from '../../dream/decisions.ts'
import { leaseOfOther, readRest } from '../../dream/rest.ts'
import { type Engine, lifetimeUsage, llmTokens, ownKey } from '../../engine/engine.ts'
import { readLastDream } from '../../history/journal.ts'
import { findOutdated } from '../../intake/supersede.ts'
import { readMeta } from '../../store/log.ts'
import { STATE_KEYS } from '../../store/tables.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { blocksRest } from '../schemas.ts'
import { sentences, waitingWords } from '../wording.ts'
import {
  activityLines,
  calibrated,
  calibrationLines,
  countedDay,
  graphWeek,
  lastDream,
  lastDreamLine,
  metricsLines,
  readActivity,
  readCalibration,
} from './activity.ts'

/** The schema of how this process dreams by itself. */
const autoDream = z
  .object({
    mode: z.enum(['rules', 'full', 'off']).describe('How this process dreams by itself'),
    lastAt: z.string().optional().describe('When a process last did'),
    elsewhere: z.boolean().describe('Another process is about it just now'),
  })
  .describe('How the memory dreams while nobody calls')

const scopeCounts = z.object({ scope: z.string(), active: z.int(), inbox: z.int() })

/** Returns a line about how this process dreams by itself. */
function autoDreamLine({ mode, lastAt, elsewhere }: z.output<typeof autoDream>): string {
  const now = elsewhere ? ', another process just now' : ''
  return `automatic dreams: ${mode} (${lastAt === undefined ? 'never ran' : `last ran ${lastAt}`}${now})`
}

/** Returns lines about judgements and their cost; none if no model judges and none ever did. */
function judgeLines({ judge, tokens: { lifetime, today } }: Pick<Status, 'judge' | 'tokens'>): string[] {
  const used = llmTokens(lifetime)
  if (judge.model === undefined && used === 0) return []
  return [
    `judged by ${judge.model ?? 'rules'}: ${judge.pending} pending, ${judge.unjudged} never judged`,
    `${count(lifetime.llmCalls, 'model call')}, ${used} tokens in all, ${today} today`,
  ]
}

/** Returns a line about the scopes with most blocks; none if there is no scope. */
function scopeLine(scopes: readonly z.output<typeof scopeCounts>[]): string[] {
  if (scopes.length === 0) return []
  const shown = scopes.slice(0, SCOPES.shown)
  const named = shown.map(({ scope, active, inbox }) => `${scope} ${active}${inbox > 0 ? `+${inbox}` : ''}`)
  return [`scopes (active+waiting): ${named.join(', ')}${scopes.length > shown.length ? ', …' : ''}`]
}

/** The key under which dream notes when it last promoted something, ISO-8601 UTC. */
const LAST_CONSOLIDATED_KEY = 'last_consolidated_at'

/** More are not counted. */
const OUTDATED_MOST = 1_000

/** Scopes named, those with most blocks first; and how many of them in a terminal. */
const SCOPES = { named: 50, shown: 10 } as const

const output = z.object({
  health: z
    .enum(['good', 'attention', 'degraded'])
    .describe('attention: something waits for you; degraded: something does not work as it should'),
  reasons: z.array(z.string()).readonly().describe('Why it is not good'),
  suggestion: z.string().describe('The next step'),
  inboxCount: z.int(),
  inboxThreshold: z.int(),
  effectiveThreshold: z.int().describe('Waiting blocks from which a dream is due now'),
  pendingCount: z.int(),
  shouldDream: z.boolean(),
  activeCount: z.int(),
  archivedCount: z.int(),
  restOnOutdated: z
    .int()
    .describe('Living blocks that rest on what holds no more, up to 1,000; decisions names them'),
  decisionsWaiting: z.int().describe('Proposals, open pairs and more that the owner decides; see decisions'),
  queuedOutcomes: z.int().describe('Reports about waiting blocks'),
  coRetrievalStagingCount: z.int().describe('Pairs on their way to an edge'),
  graph: z.object({
    edges: z.int(),
    byRelation: z.record(z.string(), z.int()),
    byOrigin: z.record(z.string(), z.int()),
    isolated: z.int().describe('Active blocks without any edge'),
    openPairs: z.int().describe('Near-duplicates to decide about with resolve'),
    pendingConnections: z.int(),
  }),
  judge: z
    .object({
      model: z.string().optional().describe('Which judges; absent: rules do, or you by inbox and dream'),
      pending: z.int().describe('Active blocks a model was to judge and did not'),
      unjudged: z.int().describe('Active blocks never judged, those among them'),
    })
    .describe('The judgements still pending'),
  tokens: z
    .object({ lifetime: schemas.tokenUsage, today: z.int().describe('On this UTC day') })
    .describe('The usage of models for this memory, all scopes together'),
  echoes: z.int().describe('Texts remembered that recall had shown: kept fresh, not copied'),
  totalActiveHours: z.number().describe('The age of the memory in hours of use'),
  lastConsolidated: z.string().optional().describe('When the last dream was'),
  lastDream: lastDream.optional().describe('The last dream, while the log has it'),
  activity: z
    .array(countedDay)
    .readonly()
    .optional()
    .describe('With days: what was done on each, oldest first; recalls and reports as far as the log goes'),
  weeks: z
    .array(graphWeek)
    .readonly()
    .optional()
    .describe('With days: the graph in their weeks, oldest first; kept when the log is trimmed'),
  calibration: calibrated.optional().describe('Of predictions; absent if none is settled'),
  autoDream,
  embeddingModel: z.string().optional().describe('Whose vectors are stored'),
  shadowModel: z
    .string()
    .optional()
    .describe('Whose vectors are kept besides, for the way back or until reembed goes on'),
  scope: z.string().optional().describe('The one scope all of this is about'),
  scopes: z
    .array(scopeCounts)
    .readonly()
    .optional()
    .describe('Scopes of the store, those with most blocks first; at most 50'),
  location: z.string(),
  summary: schemas.summary,
})

type Status = z.output<typeof output>

/** Returns counts, health and one suggestion; it changes nothing and asks no model. */
export const status = defineScopedOperation({
  name: 'status',
  summary: 'Say how the memory is and what it wants.',
  guide: {
    when: 'At the beginning of a session, and when you wonder whether to dream.',
    whenNot: 'After every call: what takes in says shouldDream by itself.',
    next: 'Follow suggestion.',
    example: 'const { health, suggestion } = await memory.status()',
  },
  tools: 'agent',
  needs: 'reader',
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  input: z.object({
    days: z
      .int()
      .min(1)
      .max(366)
      .optional()
      .describe('Also count what was done on each of the last so many days, today among them (UTC)')
      .meta({ unlisted: true }),
    peerInbox: z.boolean().default(false).describe('Has no effect').meta({ unlisted: true }),
  }),
  output,
  run: async (engine, { days }) => {
    const { read, ...facts } = await look(engine, days)
    const { counts, advice, lock, shadow, today } = facts
    const { model, pending, unjudged } = facts.judging
    const { scope, settings, store } = engine
    const found = judgeHealth(facts, engine)
    const { hours } = engine.session.moment(read.clock)
    const waiting = counts.openPairs + read.outdated + facts.openProposals + read.due
    return {
      ...found,
      inboxThreshold: settings.memory.inboxThreshold,
      judge: { ...defined({ model }), pending, unjudged },
      tokens: { lifetime: read.lifetime, today },
      echoes: read.echoes,
      totalActiveHours: hours,
      ...defined({
        lastConsolidated: read.lastConsolidated,
        lastDream: read.lastDream,
        ...read.activity,
        calibration: read.calibration,
      }),
      autoDream: {
        mode: engine.rest.mode,
        ...defined({ lastAt: read.rest.dreamtAt }),
        elsewhere: leaseOfOther(engine, read.rest) !== undefined,
      },
      ...defined({ embeddingModel: lock?.model, shadowModel: shadow?.model, scope }),
      location: store.location,
      ...(read.scopes.length > 0 && {
        scopes: read.scopes.map(({ scope, active, inbox }) => ({ scope, active, inbox })),
      }),
      inboxCount: counts.inbox,
      effectiveThreshold: advice.threshold,
      pendingCount: advice.pending,
      shouldDream: advice.shouldDream,
      activeCount: counts.active,
      archivedCount: counts.archived,
      restOnOutdated: read.outdated,
      decisionsWaiting: waiting,
      queuedOutcomes: counts.queuedOutcomes,
      coRetrievalStagingCount: counts.stagedPairs,
      graph: {
        edges: counts.edges,
        byRelation: counts.edgesByRelation,
        byOrigin: counts.edgesByOrigin,
        isolated: counts.isolated,
        openPairs: counts.openPairs,
        pendingConnections: counts.pendingConnections,
      },
      summary: sentences(
        `${HEALTH_WORDS[found.health]}${scope === undefined ? '' : ` (scope ${scope})`}: ${counts.active} active, ${advice.pending} waiting (a dream is due at ${advice.threshold}), ${counts.archived} archived,`,
        `${count(counts.edges, 'edge')}.`,
        found.suggestion,
        read.outdated > 0 && `${outdatedWords(read.outdated)}: inbox() names them.`,
        waiting > 0 && `${waitingWords(waiting)}.`,
        engine.notice,
      ),
    }
  },
  failed: ({ health }) => health === 'degraded',
  render: ({ scopes = [], ...told }) =>
    [
      told.summary,
      `${told.location}${told.scope === undefined ? '' : `, scope ${told.scope}`}${told.embeddingModel === undefined ? '' : `, vectors of ${told.embeddingModel}`}`,
      `${count(told.graph.edges, 'edge')}, ${count(told.graph.isolated, 'block')} without one, ${count(told.graph.openPairs, 'open pair')}`,
      `${told.totalActiveHours.toFixed(1)} active hours, last dream ${told.lastConsolidated ?? 'never'}`,
      ...(told.lastDream === undefined ? [] : [lastDreamLine(told.lastDream)]),
      ...activityLines(told.activity ?? []),
      ...metricsLines(told.weeks ?? []),
      ...(told.restOnOutdated > 0 ? [outdatedWords(told.restOnOutdated)] : []),
      ...calibrationLines(told.calibration),
      autoDreamLine(told.autoDream),
      ...judgeLines(told),
      ...scopeLine(scopes),
      ...told.reasons.map((reason) => `! ${reason}`),
    ].join('\n'),
})

const HEALTH_WORDS = { good: 'good', attention: 'wants you', degraded: 'broken' } as const

function outdatedWords(number: number): string {
  return `${blocksRest(number)} on what holds no more`
}

/** Reads all of it in one snapshot: nothing is logged and no session begins. What needs no other answer is asked together. */
function look(engine: Engine, days: number | undefined) {
  const { scope } = engine
  const at = new Date(engine.clock.now()).toISOString()
  return engine.store.read(async (tx) => {
    const reading = readFacts(engine, tx)
    const [
      facts,
      echoes,
      lifetime,
      lastConsolidated,
      rest,
      lastDream,
      activity,
      state,
      outdated,
      scopes,
      calibration,
      due,
    ] = await Promise.all([
      reading,
      readMeta(tx, ownKey(engine, STATE_KEYS.echoes)),
      lifetimeUsage(tx),
      readMeta(tx, ownKey(engine, LAST_CONSOLIDATED_KEY)),
      readRest(tx),
      readLastDream(tx),
      days === undefined ? undefined : readActivity(engine, tx, { days, facts: reading }),
      tx.state(),
      findOutdated(tx, { at, most: OUTDATED_MOST }),
      scope === undefined ? tx.queries.scopes(SCOPES.named) : [],
      readCalibration(tx),
      findDue(tx, at),
    ])
    const read = { lifetime, lastConsolidated, rest, lastDream, activity, scopes, calibration }
    const { length } = outdated.blocks
    return {
      ...facts,
      read: { ...read, echoes: Number(echoes ?? 0), clock: state.clock, outdated: length, due: due.length },
    }
  })
}
