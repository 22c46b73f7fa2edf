const EXCERPT_CHARACTERS = 200

/** The shapes of common keys, for unknown keys: a provider's object brings its own. */
const KEYS = /\b(?:sk|gsk|xai|pk)-?[\w-]{16,}|\bgsk_\w{16,}|\bAIza[\w-]{20,}|\bBearer\s+[\w.~+/-]+=*/g

/** A text without the key; some servers repeat it. */
export function redact(text: string, apiKey: string | undefined): string {
  const safe = apiKey === undefined || apiKey === '' ? text : text.replaceAll(apiKey, '[key]')
  return safe.replace(KEYS, '[key]')
}

/** Returns a message as one short line, without a key and without the full stop. */
export function excerptOf(said: string, apiKey: string | undefined): string {
  const line = redact(said.replace(/\s+/g, ' ').trim(), apiKey)
  return line.slice(0, EXCERPT_CHARACTERS).replace(/\.$/, '')
}

/** The message in the body of a refusal; nothing for a page of HTML. */
export function serverMessage(body: string): string {
  try {
    return errorIn(JSON.parse(body)) ?? ''
  } catch {
    return body.trimStart().startsWith('<') ? '' : body
  }
}

/** The words of an `error` field, wherever servers put it, or undefined when there is none. */
export function errorIn(answer: unknown): string | undefined {
  const body = (Array.isArray(answer) ? answer[0] : answer) as Record<string, unknown> | null | undefined
  const error = body?.error ?? body?.detail ?? body?.message
  if (typeof error === 'string') return error
  const message = (error as Record<string, unknown> | null | undefined)?.message
  if (typeof message === 'string') return message
  return error === undefined || error === null ? undefined : JSON.stringify(error)
}
