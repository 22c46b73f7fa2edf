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
import type { ReadTransaction } from '../../store/transaction.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { blocksRest } from '../schemas.ts'
import { sentences, waitingWords } from '../wording.ts'
import {
  activityLines,
  calibrated,
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

/** The key under which dream notes when it last promoted something, ISO-8601 UTC. */
const LAST_CONSOLIDATED_KEY = 'last_consolidated_at'

/** More are not counted. */
const OUTDATED_MOST = 1_000

/** The most scopes in an answer, by number of blocks, and the most in a terminal. */
const SCOPES = { named: 50, shown: 10 } as const

const output = z.object({
  health: z
    .enum(['good', 'attention', 'degraded'])
    .describe('attention: something waits for you; degraded: something does not work as it should'),
  reasons: z.array(z.string()).readonly().describe('Why it is not good'),
  suggestion: z.string().describe('The next step'),
  inboxCount: z.int(),
  effectiveThreshold: z.int().describe('Waiting blocks from which a dream is due now'),
  pendingCount: z.int(),
  shouldDream: z.boolean(),
  activeCount: z.int(),
  archivedCount: z.int(),
  restOnOutdated: z.int().describe('Living blocks that rest on what holds no more; decisions names them'),
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
  activity: z.array(countedDay).readonly().optional().describe('With days: what was done on each'),
  weeks: z.array(graphWeek).readonly().optional().describe('With days: the graph in their weeks'),
  calibration: calibrated.optional().describe('Of predictions; absent if none is settled'),
  autoDream,
  embeddingModel: z.string().optional().describe('Whose vectors are stored'),
  shadowModel: z.string().optional().describe('Whose vectors are kept besides, for the way back'),
  scope: z.string().optional().describe('The one scope all of this is about'),
  scopes: z.array(scopeCounts).readonly().optional().describe('The 50 scopes with most blocks'),
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
    whenNot: 'Not after every call: answers of calls that take something in say shouldDream by themselves.',
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
    const { scope, store } = engine
    const at = new Date(engine.clock.now()).toISOString()
    const found = await store.read((tx) => look(engine, tx, { at, days }))
    const { facts, rest, outdated, scopes } = found
    const { counts, advice, lock, shadow, today, judging } = facts
    const health = judgeHealth(facts, engine)
    const waiting = counts.openPairs + outdated + facts.openProposals + found.due
    return {
      ...health,
      judge: { ...defined({ model: judging.model }), pending: judging.pending, unjudged: judging.unjudged },
      tokens: { lifetime: found.lifetime, today },
      echoes: Number(found.echoes ?? 0),
      totalActiveHours: engine.session.moment(found.clock).hours,
      ...defined({
        lastConsolidated: found.lastConsolidated,
        lastDream: found.lastDream,
        ...found.activity,
        calibration: found.calibration,
      }),
      autoDream: {
        mode: engine.rest.mode,
        ...defined({ lastAt: rest.dreamtAt }),
        elsewhere: leaseOfOther(engine, rest) !== undefined,
      },
      ...defined({ embeddingModel: lock?.model, shadowModel: shadow?.model, scope }),
      location: store.location,
      ...(scopes.length > 0 && {
        scopes: scopes.map(({ scope, active, inbox }) => ({ scope, active, inbox })),
      }),
      inboxCount: counts.inbox,
      effectiveThreshold: advice.threshold,
      pendingCount: advice.pending,
      shouldDream: advice.shouldDream,
      activeCount: counts.active,
      archivedCount: counts.archived,
      restOnOutdated: outdated,
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
        `${HEALTH_WORDS[health.health]}${scope === undefined ? '' : ` (scope ${scope})`}: ${counts.active} active, ${advice.pending} waiting (a dream is due at ${advice.threshold}), ${counts.archived} archived,`,
        `${count(counts.edges, 'edge')}.`,
        health.suggestion,
        outdated > 0 && `${outdatedWords(outdated)}: inbox() names them.`,
        waiting > 0 && `${waitingWords(waiting)}.`,
        engine.notice,
      ),
    }
  },
  failed: ({ health }) => health === 'degraded',
  render: (told) =>
    [
      told.summary,
      `${told.location}${told.scope === undefined ? '' : `, scope ${told.scope}`}${told.embeddingModel === undefined ? '' : `, vectors of ${told.embeddingModel}`}`,
      `${count(told.graph.edges, 'edge')}, ${count(told.graph.isolated, 'block')} without one, ${count(told.graph.openPairs, 'open pair')}`,
      `${told.totalActiveHours.toFixed(1)} active hours, last dream ${told.lastConsolidated ?? 'never'}`,
      told.lastDream && lastDreamLine(told.lastDream),
      ...activityLines(told.activity ?? []),
      ...metricsLines(told.weeks ?? []),
      told.restOnOutdated > 0 && outdatedWords(told.restOnOutdated),
      told.calibration &&
        `${count(told.calibration.settled, 'prediction')} settled, Brier score ${told.calibration.brier.toFixed(3)}`,
      `automatic dreams: ${told.autoDream.mode}, last ran ${told.autoDream.lastAt ?? 'never'}${told.autoDream.elsewhere ? ', another process just now' : ''}`,
      judgeLine(told),
      scopesLine(told.scopes),
      ...told.reasons.map((reason) => `! ${reason}`),
    ]
      .filter(Boolean)
      .join('\n'),
})

/** Returns a line about judgements and their cost; nothing if no model judges and none ever did. */
function judgeLine({ judge, tokens: { lifetime, today } }: Status): string {
  const used = llmTokens(lifetime)
  if (judge.model === undefined && used === 0) return ''
  return `judged by ${judge.model ?? 'rules'}: ${judge.pending} pending, ${judge.unjudged} never judged; ${count(lifetime.llmCalls, 'model call')}, ${used} tokens in all, ${today} today`
}

/** Returns a line about the scopes with most blocks; nothing if there is no scope. */
function scopesLine(scopes: Status['scopes'] = []): string {
  const named = scopes
    .slice(0, SCOPES.shown)
    .map(({ scope, active, inbox }) => `${scope} ${active}${inbox > 0 ? `+${inbox}` : ''}`)
  const more = scopes.length > named.length ? ', …' : ''
  return named.length === 0 ? '' : `scopes (active+waiting): ${named.join(', ')}${more}`
}

const HEALTH_WORDS = { good: 'good', attention: 'wants you', degraded: 'broken' } as const

function outdatedWords(number: number): string {
  return `${blocksRest(number)} on what holds no more`
}

/** Reads all of it in one snapshot: nothing is logged and no session begins. What needs no other answer is asked together. */
async function look(
  engine: Engine,
  tx: ReadTransaction,
  { at, days }: { readonly at: string; readonly days: number | undefined },
) {
  const facts = readFacts(engine, tx)
  const reading = [
    readMeta(tx, ownKey(engine, STATE_KEYS.echoes)),
    lifetimeUsage(tx),
    readMeta(tx, ownKey(engine, LAST_CONSOLIDATED_KEY)),
    readRest(tx),
    readLastDream(tx),
    days === undefined ? undefined : readActivity(engine, tx, { days, facts }),
    tx.state(),
    findOutdated(tx, { at, most: OUTDATED_MOST }),
    engine.scope === undefined ? tx.queries.scopes(SCOPES.named) : [],
    readCalibration(tx),
    findDue(tx, at),
  ] as const
  const [echoes, lifetime, lastConsolidated, rest, lastDream, activity, { clock }, outdated, ...more] =
    await Promise.all(reading)
  const [scopes, calibration, due] = more
  return {
    ...{ facts: await facts, echoes, lifetime, lastConsolidated, rest, lastDream, activity, clock },
    ...{ outdated: outdated.blocks.length, scopes, calibration, due: due.length },
  }
}
