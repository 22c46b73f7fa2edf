import type { ModelAnswer, ModelUsage } from '../../engine/ports.ts'
import { attempt } from '../../errors.ts'
import { failure, isPassing, kindOfStatus, type Target } from './failure.ts'
import type { Outcome } from './retries.ts'
import { errorIn, excerptOf } from './server-words.ts'
import type { Posted } from './transport.ts'

interface Completion {
  readonly choices?: readonly [
    { readonly message?: ChatMessage | null; readonly finish_reason?: string | null }?,
    ...unknown[],
  ]
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown } | null
  readonly error?: { readonly code?: unknown } | string | null
}

interface ChatMessage {
  readonly content?: string | readonly { readonly text?: unknown }[] | null
  readonly refusal?: string | null
}

/**
 * The answer in the body of a success. A refusal is answered with its words, an empty message with none: both cost
 * tokens that are to be counted. Some servers put an error into a success; it counts as one.
 */
export function readCompletion(target: Target, { text, contentType }: Posted): Outcome<ModelAnswer> {
  const completion = attempt(() => JSON.parse(text) as Completion | null)
  if (completion === undefined) return broken(target, contentType)
  const choice = completion?.choices?.[0]
  if (choice?.message === undefined || choice.message === null) return withoutChoice(target, completion)
  const truncated = choice.finish_reason === 'length'
  return {
    ok: true,
    answer: {
      text: wordsOf(choice.message),
      ...(truncated ? { truncated } : {}),
      usage: usageFrom(completion?.usage?.prompt_tokens, completion?.usage?.completion_tokens),
    },
  }
}

function wordsOf({ content, refusal }: ChatMessage): string {
  const words = Array.isArray(content)
    ? content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('')
    : content
  if (typeof words === 'string' && words !== '') return words
  return typeof refusal === 'string' ? refusal : ''
}

/** Returns the token counts of a call, without values that are no count. */
export function usageFrom(input: unknown, output: unknown): ModelUsage {
  return {
    ...(isCount(input) ? { inputTokens: input } : {}),
    ...(isCount(output) ? { outputTokens: output } : {}),
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/** JSON that breaks off may come whole the next time; a page of HTML is another service. */
function broken(target: Target, contentType: string): Outcome<ModelAnswer> {
  const passing = /json/i.test(contentType)
  const what = passing ? 'JSON that breaks off' : 'no JSON'
  const message = `The ${target.part.server} ${target.host} answered with ${what}.`
  return { ok: false, ...failure(target, { kind: 'answer', message, passing }) }
}

function withoutChoice(target: Target, completion: Completion | null): Outcome<ModelAnswer> {
  const said = errorIn(completion)
  const { host, part, model, apiKey } = target
  if (said === undefined) {
    const message = `The ${part.server} ${host} answered, but not with a chat completion.`
    return { ok: false, ...failure(target, { kind: 'answer', message, passing: false }) }
  }
  const { error } = completion ?? {}
  const code = typeof error === 'object' ? Number(error?.code) : Number.NaN
  const status = code >= 400 && code < 600 ? code : undefined
  return {
    ok: false,
    ...failure(target, {
      kind: status === undefined ? 'answer' : kindOfStatus(status, said, model),
      message: `The ${part.server} ${host} answered with an error: ${excerptOf(said, apiKey)}.`,
      passing: status !== undefined && isPassing(status),
      status,
    }),
  }
}
