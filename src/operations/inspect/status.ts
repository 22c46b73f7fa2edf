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
import { activityLines, countedDay, lastDream, lastDreamLine, readActivity } from './activity.ts'
import { calibrated, calibrationLines, readCalibration } from './calibration.ts'
import { graphWeek, metricsLines } from './metrics.ts'

/** Judgements that are still pending, and whose they are. */
const judging = z
  .object({
    model: z.string().optional().describe('Which judges; absent: rules do, or you by inbox and dream'),
    pending: z.int().describe('Active blocks a model was to judge and did not'),
    unjudged: z.int().describe('Active blocks never judged, those among them'),
    stale: z.int().describe('Active blocks judged more than 90 days ago'),
    unlabelledPairs: z.int().describe('Pairs whose relation nobody has named, up to 1,000'),
    drift: z.boolean().describe('Too many blocks lack a fresh judgement'),
  })
  .describe('The judgements still pending')

/** Calls and tokens of models. */
const usage = z
  .object({ lifetime: schemas.tokenUsage, today: z.int().describe('On this UTC day') })
  .describe('The usage of models for this memory, all scopes together')

/** The schema of how this process dreams by itself. */
const autoDream = z
  .object({
    mode: z.enum(['rules', 'full', 'off']).describe('How this process dreams by itself'),
    lastAt: z.string().optional().describe('When a process last did'),
    elsewhere: z.boolean().describe('Another process is about it just now'),
  })
  .describe('How the memory dreams while nobody calls')

/** Blocks of a scope. */
const scopeCounts = z.object({ scope: z.string(), active: z.int(), inbox: z.int() })

/** Returns a line about how this process dreams by itself. */
function autoDreamLine({ mode, lastAt, elsewhere }: z.output<typeof autoDream>): string {
  const now = elsewhere ? ', another process just now' : ''
  return `dreams by itself here: ${mode}; last time ${lastAt ?? 'never'}${now}`
}

/** Judgements and their cost; nothing where no model judges and none ever did. */
function judgeLines({
  judge,
  tokens,
}: {
  readonly judge: z.output<typeof judging>
  readonly tokens: z.output<typeof usage>
}): string[] {
  const used = llmTokens(tokens.lifetime)
  if (judge.model === undefined && used === 0) return []
  return [
    `judged by ${judge.model ?? 'rules'}: ${judge.pending} pending, ${judge.unjudged} never judged, ${judge.stale} long ago, ${count(judge.unlabelledPairs, 'pair')} without a label`,
    `${count(tokens.lifetime.llmCalls, 'model call')}, ${used} tokens in all, ${tokens.today} today`,
  ]
}

/** Scopes named in a terminal. */
const SCOPES_SHOWN = 10

/** The scopes with most blocks in a line; nothing where there is none. */
function scopeLines({
  scopes = [],
  moreScopes,
}: {
  readonly scopes?: readonly z.output<typeof scopeCounts>[] | undefined
  readonly moreScopes?: true | undefined
}): string[] {
  const shown = scopes.slice(0, SCOPES_SHOWN)
  const more = moreScopes === true || scopes.length > shown.length ? ', …' : ''
  const named = shown.map(({ scope, active, inbox }) => `${scope} ${active}${inbox > 0 ? `+${inbox}` : ''}`)
  return named.length === 0 ? [] : [`scopes (active+waiting): ${named.join(', ')}${more}`]
}

/** The key under which dream notes when it last promoted something, ISO-8601 UTC. */
const LAST_CONSOLIDATED_KEY = 'last_consolidated_at'

/** More are not counted. */
const OUTDATED_MOST = 1_000

/** Scopes named, those with most blocks first. */
const SCOPES_NAMED = 50

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
    peerInbox: z
      .boolean()
      .default(false)
      .describe('Reserved for messages of other agents; has no effect yet')
      .meta({ unlisted: true }),
  }),
  output: z.object({
    health: z
      .enum(['good', 'attention', 'degraded'])
      .describe(
        'How the memory is. attention: something waits for you; degraded: something does not work as it should',
      ),
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
      .describe('Living blocks that rest on what holds no more, up to 1,000; inbox names them'),
    decisionsWaiting: z
      .int()
      .describe(
        'Decisions that only the owner makes: proposals, open pairs, blocks on outdated ground, predictions past their day; see decisions',
      ),
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
    judge: judging,
    tokens: usage,
    trust: schemas.trust,
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
      .describe(
        'With days: the graph in the weeks they belong to, oldest first; kept when the log is trimmed',
      ),
    calibration: calibrated.optional().describe('Of predictions; absent if none is settled'),
    autoDream,
    session: z
      .object({ id: z.string(), taskType: z.string(), startedAt: z.string(), hours: z.number() })
      .optional()
      .describe('The running session'),
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
    moreScopes: z.literal(true).optional().describe('There are more scopes than those'),
    location: z.string(),
    notes: z.array(z.string()).readonly().optional(),
    summary: schemas.summary,
  }),
  run: async (engine, { peerInbox, days }) => {
    const { read, ...facts } = await look(engine, days)
    const { counts, advice, lock, shadow, today } = facts
    const { advice: _, ...judge } = facts.judging
    const { scope, settings, store } = engine
    const found = judgeHealth(facts, engine)
    const notes = [
      ...(engine.notice === undefined ? [] : [engine.notice]),
      ...(peerInbox ? ['peerInbox has no effect yet: this memory exchanges no messages.'] : []),
    ]
    const { hours } = engine.session.moment(read.clock)
    const waiting = counts.openPairs + read.outdated + facts.openProposals + read.due
    return {
      ...found,
      inboxThreshold: settings.memory.inboxThreshold,
      judge,
      tokens: { lifetime: read.lifetime, today },
      trust: read.trust,
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
      ...defined({ session: runningSession(engine, hours) }),
      ...defined({ embeddingModel: lock?.model, shadowModel: shadow?.model, scope }),
      location: store.location,
      ...scopesOf(read.scopes),
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
      ...(notes.length > 0 ? { notes } : {}),
      summary: sentences(
        `${HEALTH_WORDS[found.health]}${scope === undefined ? '' : ` (scope ${scope})`}: ${counts.active} active, ${advice.pending}/${advice.threshold} in the inbox, ${counts.archived} archived,`,
        `${count(counts.edges, 'edge')}.`,
        found.suggestion,
        read.outdated > 0 && `${outdatedWords(read.outdated)}: inbox() names them.`,
        waiting > 0 && `${waitingWords(waiting)}.`,
        ...notes,
      ),
    }
  },
  failed: ({ health }) => health === 'degraded',
  render: (output) =>
    [
      output.summary,
      `${output.location}${output.scope === undefined ? '' : `, scope ${output.scope}`}${output.embeddingModel === undefined ? '' : `, vectors of ${output.embeddingModel}`}`,
      `${count(output.graph.edges, 'edge')}, ${count(output.graph.isolated, 'block')} without one, ${count(output.graph.openPairs, 'open pair')}`,
      `${output.totalActiveHours.toFixed(1)} active hours, last dream ${output.lastConsolidated ?? 'never'}, ${schemas.trustWords(output.trust)}`,
      ...(output.lastDream === undefined ? [] : [lastDreamLine(output.lastDream)]),
      ...activityLines(output.activity ?? []),
      ...metricsLines(output.weeks ?? []),
      ...(output.restOnOutdated > 0 ? [outdatedWords(output.restOnOutdated)] : []),
      ...calibrationLines(output.calibration),
      autoDreamLine(output.autoDream),
      ...judgeLines(output),
      ...scopeLines(output),
      ...output.reasons.map((reason) => `! ${reason}`),
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
      trust,
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
      engine.experience.trustIn(tx),
      lifetimeUsage(tx),
      readMeta(tx, ownKey(engine, LAST_CONSOLIDATED_KEY)),
      readRest(tx),
      readLastDream(tx),
      days === undefined ? undefined : readActivity(engine, tx, { days, facts: reading }),
      tx.state(),
      findOutdated(tx, { at, most: OUTDATED_MOST }),
      scope === undefined ? tx.queries.scopes(SCOPES_NAMED + 1) : [],
      readCalibration(tx),
      findDue(tx, at),
    ])
    const read = { trust, lifetime, lastConsolidated, rest, lastDream, activity, scopes, calibration }
    const { length } = outdated.blocks
    return {
      ...facts,
      read: { ...read, echoes: Number(echoes ?? 0), clock: state.clock, outdated: length, due: due.length },
    }
  })
}

function scopesOf(scopes: z.output<typeof scopeCounts>[]) {
  if (scopes.length === 0) return {}
  const more = scopes.length > SCOPES_NAMED ? { moreScopes: true as const } : {}
  const named = scopes.slice(0, SCOPES_NAMED)
  return { scopes: named.map(({ scope, active, inbox }) => ({ scope, active, inbox })), ...more }
}

function runningSession({ session: { current } }: Engine, hours: number) {
  if (current === undefined) return undefined
  const { id, taskType, startedAt, startHours } = current
  return { id, taskType, startedAt, hours: Math.max(0, hours - startHours) }
}
