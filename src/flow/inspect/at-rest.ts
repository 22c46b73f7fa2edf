import { areOftenLate } from '../../domain/advice/counts.ts'
import { rescoreAdvice } from '../../domain/advice/health.ts'
import { embedderMismatch, matchesLock, nameOf } from '../engine/embedding.ts'
import type { Engine } from '../engine/engine.ts'
import { type Check, ok, skipped, trouble } from './check.ts'
import type { Facts } from './facts.ts'
import { OPEN_PAIRS_BEARABLE } from './health.ts'

/** Makes the checks that ask no model, in the order of the data's way; new checks of the store go here. */
export function checksAtRest(engine: Engine, findings: Facts): Check[] {
  return [
    checkVectors(engine, findings),
    checkEmbedder(engine),
    checkInbox(findings),
    checkPairs(findings),
    checkDrift(findings),
    checkPendingJudgements(findings),
    checkLabels(findings),
    checkModel(engine, findings),
    checkBudget(engine, findings),
    checkKeys(engine),
    ...checkHooks(engine, findings),
  ]
}

/** Nothing where no hook came. */
function checkHooks({ settings }: Engine, { hooks }: Facts): Check[] {
  if (hooks === undefined) return []
  const { handled, late, failed } = hooks
  const message = `Of ${handled} events of coding agents, ${late} were answered before all was found, ${failed} failed.`
  if (!areOftenLate(hooks)) return [ok('hooks', message)]
  const wait = `a client waits ${settings.hooks.budgetMs} ms`
  return [
    trouble(
      'warn',
      'hooks',
      message,
      `Raise hooks.budget_ms: ${wait}, and this machine or memory is slower.`,
    ),
  ]
}

function checkVectors({ embedder }: Engine, { lock, shadow }: Facts): Check {
  if (lock === undefined) return ok('vectors', 'Nothing has been embedded yet.')
  if (!matchesLock(lock, embedder)) {
    const { message, recovery } = embedderMismatch(lock, embedder)
    return trouble('fail', 'vectors', message, recovery)
  }
  if (shadow?.kept === false)
    return trouble(
      'warn',
      'vectors',
      `A change of all vectors to ${nameOf(shadow)} was begun and not finished.`,
      `Configure ${shadow.model} and call reembed() to go on, or reembed() with drop to give it up.`,
    )
  return ok('vectors', `All are of ${nameOf(lock)}, and so is the embedder.`)
}

function checkEmbedder({ embedder, settings: { embeddings } }: Engine): Check {
  const named = nameOf(embedder)
  // A caller may have brought another one than the settings name.
  const isNamed = embeddings.provider === 'http' && embeddings.model === embedder.model
  const host = isNamed ? hostOf(embeddings.baseUrl) : undefined
  return ok('embedder', host ? `${named}; contents and questions are sent to ${host}.` : `${named}.`)
}

/** Without what an address may hold besides: names, passwords, queries. */
function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : undefined
}

function checkInbox({ counts, advice }: Facts): Check {
  const waiting = `Waiting: ${counts.inbox}; a dream is due from ${advice.threshold}.`
  if (!advice.shouldDream) return ok('inbox', waiting)
  return trouble('warn', 'inbox', waiting, 'Call dream() at the next pause.')
}

function checkPairs({ counts: { openPairs } }: Facts): Check {
  const open = `Pairs to decide about: ${openPairs}.`
  if (openPairs <= OPEN_PAIRS_BEARABLE) return ok('pairs', open)
  return trouble('warn', 'pairs', open, 'Decide with resolve(); inbox({ openPairs: 20 }) lists them.')
}

function checkDrift({ counts: { active }, judging }: Facts): Check {
  const { model, unjudged, stale, drift } = judging
  const found = `${unjudged} of ${active} active blocks were never judged, ${stale} long ago.`
  if (model === undefined) return skipped('judgements', `${found} Rules need none.`)
  if (!drift) return ok('judgements', found)
  return trouble('warn', 'judgements', found, rescoreAdvice({ active, unjudged, stale }))
}

function checkPendingJudgements({ judging: { pending } }: Facts): Check {
  if (pending === 0) return ok('pending', 'No judgement is pending.')
  return trouble(
    'warn',
    'pending',
    `Active blocks a model was to judge and did not: ${pending}.`,
    'dream() has them judged when the model answers again; or judge them yourself: inbox() with pendingJudgement.',
  )
}

function checkLabels({ judging: { unlabelledPairs, model } }: Facts): Check {
  const found = `Pairs without a label: ${unlabelledPairs}.`
  if (model !== undefined || unlabelledPairs === 0) return ok('labels', found)
  return skipped('labels', `${found} inbox() with pairs gives them to you.`)
}

function checkModel({ languageModel, settings: { llm } }: Engine, findings: Facts): Check {
  if (languageModel === undefined)
    return skipped(
      'model',
      llm.model === undefined
        ? 'No language model is configured: rules decide, and nothing leaves this machine for one.'
        : `${llm.model} is named in the settings and switched off: rules decide.`,
    )
  const { model, remote } = languageModel
  const told = remote
    ? `${model}, remote: dream sends it texts of blocks that are new or pending and of pairs (at most ${llm.charactersPerBlock} characters each, secrets taken out) and the self frame.`
    : `${model}, on this machine: no text leaves it.`
  const { lastTrouble: last } = findings
  if (last === undefined) return ok('model', told)
  return trouble('warn', 'model', `${told} At ${last.at} it failed: ${last.message}`, last.recovery)
}

function checkBudget({ languageModel, settings: { llm } }: Engine, { today }: Facts): Check {
  if (languageModel === undefined) return skipped('budget', 'No language model, no cost.')
  if (llm.tokensPerDay === 0) return ok('budget', `${today} tokens used today; there is no limit.`)
  const left = budgetLeft(llm.tokensPerDay, today)
  const [remaining, most] = [left, llm.tokensPerDay].map((tokens) => tokens.toLocaleString('en'))
  const found = `${remaining} of ${most} tokens are left today.`
  if (left > 0) return ok('budget', found)
  return trouble('warn', 'budget', found, 'Go on tomorrow (UTC), or raise llm.tokens_per_day.')
}

/** Tokens that may still be used today; `limit` 0 is none. */
export function budgetLeft(limit: number, today: number): number {
  return limit === 0 ? Number.POSITIVE_INFINITY : Math.max(0, limit - today)
}

function checkKeys({ keys = [] }: Engine): Check {
  if (keys.length === 0) return skipped('keys', 'The settings name no environment variable with a key.')
  const found = `${keys.map(({ variable, isSet, use }) => `${variable} is ${isSet ? 'set' : 'not set'} (${use})`).join(', ')}.`
  const missing = keys.filter(({ isSet }) => !isSet)
  if (missing.length === 0) return ok('keys', found)
  const names = missing.map(({ variable }) => variable).join(' and ')
  return trouble(
    missing.some(({ use }) => use === 'llm') ? 'fail' : 'warn',
    'keys',
    found,
    `Set ${names} where elfmem runs, or change api_key_env in the settings.`,
  )
}
