import * as z from 'zod'
import { count } from '../../block/text.ts'
import { llmTokens } from '../../engine/engine.ts'
import * as schemas from '../schemas.ts'

/** Judgements that are still pending, and whose they are. */
export const judging = z
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
export const usage = z
  .object({ lifetime: schemas.tokenUsage, today: z.int().describe('On this UTC day') })
  .describe('The usage of models for this memory, all scopes together')

/** The schema of how this process dreams by itself. */
export const autoDream = z
  .object({
    mode: z.enum(['rules', 'full', 'off']).describe('How this process dreams by itself'),
    lastAt: z.string().optional().describe('When a process last did'),
    elsewhere: z.boolean().describe('Another process is about it just now'),
  })
  .describe('How the memory dreams while nobody calls')

/** The schema of the counts of hooks. */
export const hookCounts = z
  .object({
    handled: z.int().describe('Events of coding agents that were understood'),
    late: z.int().describe('Of these, answered before all was found'),
    failed: z.int().describe('Of these, those in which something failed'),
  })
  .describe('How hooks went in this scope, of the newest 16 servers; absent if none came')

/** Blocks of a scope. */
export const scopeCounts = z.object({ scope: z.string(), active: z.int(), inbox: z.int() })

/** Returns a line about how this process dreams by itself. */
export function autoDreamLine({ mode, lastAt, elsewhere }: z.output<typeof autoDream>): string {
  const now = elsewhere ? ', another process just now' : ''
  return `dreams by itself here: ${mode}; last time ${lastAt ?? 'never'}${now}`
}

/** Counts of hooks in a line; nothing where none came. */
export function hookLines(hooks: z.output<typeof hookCounts> | undefined): string[] {
  if (hooks === undefined) return []
  return [`${count(hooks.handled, 'hook')}, ${hooks.late} of them late, ${hooks.failed} failed`]
}

/** Judgements and their cost; nothing where no model judges and none ever did. */
export function judgeLines({
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
export function scopeLines({
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
