import { type KeywordHit, KeywordScan } from './keyword-scan.ts'
import type { SecretRule, Span } from './rule.ts'
import { SECRET_RULES } from './rules/rules.ts'
import { type View, viewsOf } from './views.ts'

/** A text without its secrets, and which kinds it had. */
export interface Redacted {
  readonly text: string
  /** By kind, in the order of the first of each; empty when nothing was found. */
  readonly found: readonly { readonly kind: string; readonly count: number }[]
  /** The one that stands first; absent when nothing was found. */
  readonly first?: FoundSecret
}

/** A mark may end one secret and show another beside it, which is then found; no text needs more turns. */
const MOST_TURNS = 8

/**
 * Puts `[redacted: <kind>]` in the place of what looks like a secret; all else stays as it is, and so does the very text
 * when there is none. Takes time in proportion to the text (some 10 ms a megabyte), whatever it holds. A secret without a
 * known shape or a telling name beside it stays. Doing it twice changes nothing more.
 */
export function redactSecrets(text: string): Redacted {
  const steps = redactInSteps(text)
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** The same in steps, for a text so long that others must have their turn meanwhile; each is the signs looked at since. */
export function* redactInSteps(text: string): Generator<number, Redacted> {
  const counts = new Map<string, number>()
  let first: FoundSecret | undefined
  let redacted = text
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const found = yield* findSecrets(redacted)
    if (found.length === 0) break
    for (const { kind } of found) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    if (first === undefined || (found[0] as FoundSecret).start < first.start) first = found[0]
    redacted = marked(redacted, found)
  }
  return {
    text: redacted,
    found: [...counts].map(([kind, count]) => ({ kind, count })),
    ...(first === undefined ? {} : { first }),
  }
}

function marked(text: string, found: readonly FoundSecret[]): string {
  const parts: string[] = []
  let from = 0
  for (const { kind, start, end } of found) {
    parts.push(text.slice(from, start), `${REDACTED}${kind}]`)
    from = end
  }
  return [...parts, text.slice(from)].join('')
}

/** A secret in a text, in UTF-16 units. */
interface FoundSecret extends Span {
  readonly kind: string
}

/** A text that a rule takes for a secret; of two that overlap, the one of the earlier rule counts. */
interface Candidate extends Span {
  readonly rule: number
}

/** How a mark begins that took a secret's place. */
export const REDACTED = '[redacted: '
const LONGEST_MARK = 64
/** Signs looked at between two steps: up to some 20 ms of a text that is nothing but names of secrets. */
const STEP = 16_384
/** The number of signs that a rule may look at before its keyword. */
const LOOKED_BACK = 512
/** A value that only its name makes a secret is a line of a broken token from this length on. */
const LEAST_GUESSED_LINE = 16

let scan: KeywordScan<number> | undefined

/** Made when first needed: most runs of a command look through nothing. */
function keywords(): KeywordScan<number> {
  if (scan !== undefined) return scan
  const rulesOf = new Map<string, number[]>()
  for (const [nth, { keywords }] of SECRET_RULES.entries())
    for (const keyword of keywords) {
      const known = rulesOf.get(keyword)
      if (known === undefined) rulesOf.set(keyword, [nth])
      else if (known.at(-1) !== nth) known.push(nth)
    }
  scan = new KeywordScan(rulesOf)
  return scan
}

/**
 * The secrets of a text, the first one first, none over another. Each step is the number of signs looked at since.
 * Takes time in proportion to the text, whatever it holds.
 */
function* findSecrets(text: string): Generator<number, readonly FoundSecret[]> {
  const candidates = yield* candidatesIn(text)
  for (const view of viewsOf(text))
    for (const { rule, start, end } of yield* candidatesIn(view.text, view.seams))
      candidates.push({ rule, start: view.origins[start] ?? 0, end: endIn(view, end) })
  return withoutOverlaps(text, candidates)
}

/** The end in the original: where lines were put together, what follows the secret may stand far behind it. */
function endIn({ origins, seams }: View, end: number): number {
  return seams.length === 0 ? (origins[end] ?? 0) : (origins[end - 1] ?? 0) + 1
}

function* candidatesIn(text: string, seams: readonly number[] = []): Generator<number, Candidate[]> {
  const candidates: Candidate[] = []
  for (let from = 0; from < text.length; from += STEP) {
    const to = Math.min(text.length, from + STEP)
    for (const hit of keywords().hits(text, from, to))
      if (!isInMark(text, hit.at))
        for (const rule of hit.values) addCandidates(candidates, text, { hit, rule, seams })
    yield to - from
  }
  return candidates
}

/** A keyword and a rule that it belongs to, and where the text was put together. */
interface Place {
  readonly hit: KeywordHit<number>
  readonly rule: number
  readonly seams: readonly number[]
}

function addCandidates(candidates: Candidate[], text: string, place: Place): void {
  const { rule, hit, seams } = place
  for (const span of (SECRET_RULES[rule] as SecretRule).find(text, hit.at, hit.length))
    candidates.push({
      rule,
      start: span.start,
      end: seams.length === 0 ? span.end : wholeEnd(text, span, place),
    })
}

/** Marks name kinds of secrets, and are none. */
function isInMark(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - LONGEST_MARK), at)
  const start = before.lastIndexOf('[')
  return start >= 0 && before.startsWith(REDACTED, start) && !before.includes(']', start)
}

/** Where a secret ends that was whole at the end of its line, so that what follows on the next is a word of its own. */
function wholeEnd(text: string, span: Span, { hit, rule: nth, seams }: Place): number {
  const rule = SECRET_RULES[nth] as SecretRule
  for (let next = firstAfter(seams, span.start); (seams[next] ?? span.end) < span.end; next++) {
    const seam = seams[next] as number
    if (rule.isGuess && seam - span.start < LEAST_GUESSED_LINE) return seam
    const rest = text.slice(seam, Math.min(span.end, seams[next + 1] ?? span.end))
    if (rest.length >= 8 && /\d/.test(rest) && /[A-Za-z]/.test(rest)) continue
    const from = Math.max(0, hit.at - LOOKED_BACK)
    if (rule.find(text.slice(from, seam), hit.at - from, hit.length).length > 0) return seam
  }
  return span.end
}

/** The first of rising numbers that is greater, by halving. */
function firstAfter(rising: readonly number[], number: number): number {
  let [low, high] = [0, rising.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rising[middle] as number) > number) high = middle
    else low = middle + 1
  }
  return low
}

function withoutOverlaps(text: string, candidates: Candidate[]): readonly FoundSecret[] {
  if (candidates.length === 0) return []
  const isTaken = new Uint8Array(text.length)
  const found: FoundSecret[] = []
  candidates.sort((a, b) => a.rule - b.rule || b.end - b.start - (a.end - a.start) || a.start - b.start)
  for (const { rule, start, end } of candidates) {
    if (end <= start || isTaken.subarray(start, end).includes(1)) continue
    isTaken.fill(1, start, end)
    found.push({ kind: (SECRET_RULES[rule] as SecretRule).kind, start, end })
  }
  return found.sort((a, b) => a.start - b.start)
}
