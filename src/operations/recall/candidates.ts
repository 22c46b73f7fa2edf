import * as z from 'zod'
import { shownLine } from '../../domain/safety/visible.ts'
import { count, defined, preview, shortened } from '../../domain/text/text.ts'
import type { ExplainedCandidate, Shortfall } from '../../flow/recall/explain.ts'
import * as schemas from '../schemas.ts'
import { shortId } from '../wording.ts'
import { explanation, explanationOf, path, rounded, scoreOf } from './explanation.ts'

/** Longest words of a candidate, in code points. */
const CONTENT_MOST = 280
/** Longest words of a candidate in a terminal, in code points. */
const PREVIEW = 100

const shortfall = z
  .object({
    lastShown: z.object({ id: z.string(), score: z.number() }).describe('The last entry that is shown'),
    missing: z
      .number()
      .describe('What its score lacks to that; 0 or less where words, trust or dates decide the order'),
    limit: z.int().describe('The least limit that has a place for it'),
    tokens: z.int().describe('Tokens of the text with every entry up to it'),
    strength: z.number().describe('Of the best match, where nothing bears on the question'),
    leastStrength: z.number().describe('The minStrength of the call, if that is why'),
    rank: z.number().describe('By its match alone'),
    leastRank: z.number().describe('That of the last match that was weighed'),
    lacksVector: z.literal(true).describe('It waits for a vector: only its words can be found'),
  })
  .partial()
  .describe('By how much it missed being shown; which fields it has depends on the reason')

/** The reasons of candidates, best said first; `absentReason` has those of other blocks. */
const leftOutReason = z.enum(['top_k', 'token_budget', 'version', 'nothing', 'without', 'class', 'pool'])

/** A candidate of a recall, shown or not. */
export const candidate = z.object({
  number: z.int().describe('Its place in the order of the answer, from 1'),
  id: z.string(),
  content: z.string().describe('Its words, at most 280 characters; show has all'),
  cut: z.boolean().describe('The words go on'),
  sourceClass: schemas.sourceClass.describe('Who speaks in it'),
  source: z.string().optional().describe('Its own label; what counts is sourceClass'),
  occurredAt: z.string(),
  session: z.string(),
  scope: z.string().optional().describe('The scope it belongs to, if any'),
  shown: z
    .enum(['entry', 'version', 'counterpoint'])
    .optional()
    .describe('As what its words stand in the text; absent where they do not'),
  reason: leftOutReason
    .optional()
    .describe(
      'Why it is no entry. top_k: beyond the limit or not near the best; version: it stands under another block; nothing: nothing bears on the question; pool: never weighed',
    ),
  under: z
    .object({
      id: z.string(),
      why: z
        .enum(['superseded', 'proposed', 'earlier', 'later', 'objects'])
        .describe('As of versions; objects: it is shown as a counterpoint of that block'),
    })
    .optional()
    .describe('The block that it stands under or objects to'),
  moved: z
    .object({
      why: z
        .enum(['guaranteed', 'version', 'verbatim', 'trusted', 'believed', 'holds', 'newer', 'past'])
        .describe(
          'version: it has the place of one of its versions; verbatim: it is the question word for word; trusted, believed: more than what contradicts it; holds: its successor has not begun; newer: perhaps of the two; past: the version asked for',
        ),
      before: z.string().optional().describe('The block it was put before, or whose place it has'),
    })
    .optional()
    .describe('Why it does not stand where its score would put it; absent where scores decide'),
  score: z.number().describe('As in blocks; of what was not weighed, on the same scale'),
  strength: z.number().optional().describe('How well it matches the question, 0..1'),
  wasExpanded: z.boolean().describe('An edge brought it, not its own words'),
  path,
  explanation: explanation.describe('How it came by its score, or would have'),
  short: shortfall,
})

/** The fields of `candidate`. */
export type CandidateView = z.output<typeof candidate>

/** The fields of candidates, in their order. */
export function toCandidates(explained: readonly ExplainedCandidate[]): CandidateView[] {
  return explained.map((each, at) => {
    const { block, candidate: found, shown, reason, under, moved, short } = each
    const content = shortened(block.content, CONTENT_MOST)
    return {
      number: at + 1,
      id: block.id,
      ...{ content, cut: content !== block.content, sourceClass: block.sourceClass },
      ...defined({ source: block.source, scope: block.scope, shown, reason, under, moved }),
      ...{ occurredAt: block.occurredAt, session: block.session },
      ...scoreOf(found),
      explanation: explanationOf(found),
      short: toShortfall(short),
    }
  })
}

/** The fields of a shortfall. */
export function toShortfall({ lastShown, lacksVector, ...numbers }: Shortfall): CandidateView['short'] {
  const told = Object.entries(numbers).map(([key, value]) => [key, rounded(value)] as const)
  return {
    ...(lastShown && { lastShown: { id: lastShown.id, score: rounded(lastShown.score) } }),
    ...Object.fromEntries(told),
    ...defined({ lacksVector }),
  }
}

type Placed = Pick<CandidateView, 'reason' | 'under'>

const UNDER: Readonly<Record<NonNullable<Placed['under']>['why'], string>> = {
  superseded: 'replaced by',
  proposed: 'only proposed in the place of',
  earlier: 'an earlier word than',
  later: 'a later word than',
  objects: 'an objection to',
}

const REASONS: Readonly<Record<NonNullable<Placed['reason']>, string>> = {
  top_k: 'beyond the limit',
  token_budget: 'no room in the budget',
  version: 'a version of one shown',
  nothing: 'nothing bears on the question',
  without: 'left out, since you have it',
  class: 'left out by its class',
  pool: 'never weighed',
}

/** Why a candidate is no entry, in a few words; empty of an entry. */
export function reasonWords({ reason, under }: Placed): string {
  const beneath = under && `${UNDER[under.why]} ${shortId(under.id)}`
  if (reason === undefined) return beneath ?? ''
  if (reason === 'version' && beneath) return beneath
  return [REASONS[reason], ...(beneath ? [beneath] : [])].join(', ')
}

const MOVED: Readonly<Record<NonNullable<CandidateView['moved']>['why'], string>> = {
  guaranteed: 'always shown in this frame',
  version: 'in the place of another version',
  verbatim: 'the question word for word, before',
  trusted: 'trusted more than',
  believed: 'believed more than',
  holds: 'holds until the beginning of',
  newer: 'perhaps newer than',
  past: 'the version asked for, beside',
}

/** Why a candidate does not stand where its score would put it; empty where scores decide. */
export function movedWords({ moved }: Pick<CandidateView, 'moved'>): string {
  if (moved === undefined) return ''
  const other = moved.before === undefined ? '' : ` ${shortId(moved.before)}`
  return moved.why === 'version' ? `${MOVED.version},${other}` : `${MOVED[moved.why]}${other}`
}

/** So many candidates that are no entry have a line in a text; fields have them all. */
const LEFT_OUT_MOST = 20

/** The same lines of those that are no entry of an answer. */
export function leftOutLines(candidates: readonly CandidateView[] = []): string[] {
  return candidateLines(
    candidates.filter(({ shown }) => shown !== 'entry'),
    LEFT_OUT_MOST,
  )
}

/** One line of a terminal for each candidate, at most `most`: a mark, number, score, id, why it is not shown, and its words. */
export function candidateLines(candidates: readonly CandidateView[], most: number): string[] {
  const rows = candidates.slice(0, most).map((each) => {
    const told = [each.shown === 'entry' ? '' : reasonWords(each), movedWords(each)]
      .filter(Boolean)
      .join('; ')
    const why = told === '' ? '' : `${told}: `
    const mark = each.shown === undefined ? '–' : '✓'
    const left = `${mark} ${String(each.number).padEnd(3)}  ${each.score.toFixed(2)}  ${shortId(each.id)}`
    return `${left}  ${why}${preview(shownLine(each.content), PREVIEW)}`
  })
  const left = candidates.length - rows.length
  return [...rows, ...(left > 0 ? [`… and ${count(left, 'more candidate')}.`] : [])]
}
