import * as z from 'zod'
import { count, defined, preview, shortened, shownLine } from '../../block/text.ts'
import type { ExplainedCandidate, Unmet } from '../../recall/explain.ts'
import type { Candidate } from '../../recall/match.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'

/** The most code points of a candidate. */
const CONTENT_MOST = 280
/** The most code points of a candidate in a terminal. */
const PREVIEW = 100

const shortfall = z
  .object({
    limit: z.int().describe('The least limit that has a place for it'),
    strength: z.number().describe('Of the best match, where nothing bears on the question'),
    leastStrength: z.number().describe('The minStrength of the call, if that is why'),
    rank: z.number().describe('By its match alone'),
    leastRank: z.number().describe('That of the last match that was weighed'),
    lacksVector: z.literal(true).describe('It waits for a vector: only its words can be found'),
  })
  .partial()
  .describe('Numbers of what kept it from being shown; which it has depends on the reason')

const term = z.object({
  name: z.string(),
  value: z.number().describe('The signal itself'),
  amount: z.number().describe('Its share of the score'),
})

/** The schema of the terms and the match behind a score. */
export const explanation = z.object({
  terms: z.array(term).describe('Their amounts sum to the score'),
  match: z
    .object({
      rank: z.number(),
      cosine: z.number(),
      lexical: z.number(),
      source: z.number(),
      asks: z.number(),
      when: z.number(),
      standing: z.number().describe('For being a standing instruction or a preference'),
      chances: z.number().describe('For having several passages'),
      coverage: z.number().describe('For having fewer words of the question than one that looks like it'),
      name: z.number().describe('For a name that it shares with a better match; foundByName says which'),
    })
    .optional(),
})

/** The schema of the place of a candidate in a recall, shown or not. */
export const candidatePlace = z.object({
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
  reason: z
    .enum(['top_k', 'token_budget', 'version', 'nothing', 'without', 'class'])
    .optional()
    .describe(
      'Why it is no entry. top_k: beyond the limit or not near the best; version: it stands under another block; nothing: nothing bears on the question',
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
        .enum(['version', 'verbatim', 'trusted', 'believed', 'holds', 'newer', 'past'])
        .describe(
          'version: it has the place of one of its versions; verbatim: it is the question word for word; trusted, believed: more than what contradicts it; holds: its successor has not begun; newer: perhaps of the two; past: the version asked for',
        ),
      before: z.string().describe('The block it was put before, or whose place it has'),
    })
    .optional()
    .describe('The last rule that moved it from the place of its score'),
  short: shortfall,
})

/** The place of a candidate in a recall. */
export type CandidatePlace = z.output<typeof candidatePlace>

/** Returns the fields of `candidatePlace`. */
export function toCandidatePlace(each: ExplainedCandidate, at: number): CandidatePlace {
  const { block, candidate, shown, reason, under, short } = each
  const content = shortened(block.content, CONTENT_MOST)
  return {
    number: at + 1,
    id: block.id,
    ...{ content, cut: content !== block.content, sourceClass: block.sourceClass },
    ...defined({ source: block.source, scope: block.scope, shown, reason, under, moved: candidate.moved }),
    ...{ occurredAt: block.occurredAt, session: block.session },
    short: { ...short, ...defined({ strength: short.strength && rounded(short.strength) }) },
  }
}

type Placed = Pick<CandidatePlace, 'reason' | 'under'>

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
}

/** Returns why a candidate is no entry, in a few words; empty for an entry. */
function reasonWords({ reason, under }: Placed): string {
  const beneath = under && `${UNDER[under.why]} ${shortId(under.id)}`
  if (reason === undefined) return beneath ?? ''
  if (reason === 'version' && beneath) return beneath
  return [REASONS[reason], ...(beneath ? [beneath] : [])].join(', ')
}

const MOVED: Readonly<Record<NonNullable<CandidatePlace['moved']>['why'], string>> = {
  version: 'in the place of another version,',
  verbatim: 'the question word for word, before',
  trusted: 'trusted more than',
  believed: 'believed more than',
  holds: 'holds until the beginning of',
  newer: 'perhaps newer than',
  past: 'the version asked for, beside',
}

/** Returns which rule moved a candidate from the place of its score; empty for none. */
function movedWords({ moved }: Pick<CandidatePlace, 'moved'>): string {
  return moved === undefined ? '' : `${MOVED[moved.why]} ${shortId(moved.before)}`
}

/** A candidate with its score. */
type Scored = CandidatePlace & { readonly score: number }

/** Largest number of lines for candidates that are no entry; the fields of the result have all of them. */
const LEFT_OUT_MOST = 20

/** Returns a line for each candidate that is no entry of the answer, at most `LEFT_OUT_MOST`. */
export function leftOutLines(candidates: readonly Scored[] = []): string[] {
  return candidateLines(
    candidates.filter(({ shown }) => shown !== 'entry'),
    LEFT_OUT_MOST,
  )
}

/** Returns one line of a terminal for each candidate, at most `most`: a mark, number, score, id, why it is not shown, and its words. */
export function candidateLines(candidates: readonly Scored[], most: number): string[] {
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

/** The facts of one block in a recall that its sentences need. */
export interface Told {
  readonly id: string
  readonly frame: string
  readonly of: number
  /** Entries that the answer has a place for, besides those that the frame guarantees. */
  readonly places?: number | undefined
  readonly candidate?: CandidatePlace | undefined
  readonly reason?:
    | CandidatePlace['reason']
    | 'archived'
    | 'scope'
    | 'filtered'
    | 'no_vector'
    | 'pool'
    | undefined
  readonly shown?: CandidatePlace['shown']
  readonly under?: CandidatePlace['under']
  readonly short?: CandidatePlace['short']
  readonly filters?: readonly Unmet[]
  readonly archiveReason?: string | undefined
  readonly supersededBy?: string | undefined
  readonly scope?: string | undefined
}

const SHOWN = {
  entry: 'is shown',
  version: 'is shown under another',
  counterpoint: 'is shown as an objection',
}

/** Returns one sentence on whether a block is shown, its place, why, and by how much it fell short. */
export function whyWords(told: Told): string {
  const { id, candidate, of, reason, shown, short = {} } = told
  const place = candidate === undefined ? '' : `, number ${candidate.number} of ${of} candidates`
  const why = reason === undefined || shown === 'counterpoint' ? beneathWords(told) : causeWords(told)
  const missing = missingWords(reason, short)
  return sentences(
    `${shortId(id)} ${shown === undefined ? 'is not shown' : SHOWN[shown]}${place}${why && `: ${why}`}.`,
    candidate?.moved && `It was moved: ${movedWords(candidate)}.`,
    missing && `${missing}.`,
    reason !== 'no_vector' && short.lacksVector && 'It has no vector yet, so only its words can be found.',
  )
}

function beneathWords({ under }: Pick<Told, 'under'>): string {
  return under === undefined ? '' : reasonWords({ under })
}

function causeWords({ reason, under, short = {}, filters = [], frame, ...block }: Told): string {
  switch (reason) {
    case 'archived': {
      const by = block.supersededBy === undefined ? '' : `, superseded by ${shortId(block.supersededBy)}`
      return `it is archived${by || (block.archiveReason ? `, ${block.archiveReason}` : '')}`
    }
    case 'scope':
      return block.scope === undefined
        ? 'it belongs to no scope, and this one alone was asked'
        : `it belongs to the scope ${block.scope}, which was not asked`
    case 'filtered':
      return filters.map((each) => filterWords(each, frame)).join('; ')
    case 'no_vector':
      return 'it waits and has no vector yet, so only its words can be found'
    case 'pool':
      if (short.leastRank === undefined) return 'nothing in it matches'
      return 'it was never weighed, since enough others match better'
    case 'top_k':
      return [beyondWords(block.places), beneathWords({ under })].filter(Boolean).join(', ')
    default:
      return reasonWords({ reason, under })
  }
}

function beyondWords(places = 0): string {
  return places === 1 ? 'the answer has one place' : `beyond the first ${places}`
}

function filterWords({ name, values }: Unmet, frame: string): string {
  const named = values.join(' or ')
  switch (name) {
    case 'include':
      return `the frame ${frame} shows only what has a tag ${named}`
    case 'exclude':
      return `the frame ${frame} leaves out what has a tag ${named}`
    case 'classes':
      return `the frame ${frame} shows only what ${named} says`
    case 'sessionOnly':
      return `the frame ${frame} shows only what this session took in or used`
    case 'tags':
      return `the call asks for the tag ${named}`
    case 'category':
      return `the call asks for the category ${named}`
    case 'session':
      return `the call asks for the session ${named}`
  }
}

function missingWords(reason: Told['reason'], short: CandidatePlace['short']): string {
  switch (reason) {
    case 'nothing':
      return neededWords('The strength of the best match is', short.strength, short.leastStrength)
    case 'pool':
    case 'no_vector':
      return neededWords('Its match ranks', short.rank, short.leastRank)
    default:
      return ''
  }
}

function neededWords(what: string, has: number | undefined, needs: number | undefined): string {
  if (has === undefined) return ''
  return `${what} ${has.toFixed(2)}${needs === undefined ? '' : `, and ${needs.toFixed(2)} is needed`}`
}

/** The calls that would bring a block that is not shown; empty of one that is. */
export function bringingWords(told: Told): string {
  const { reason, shown } = told
  if (shown === 'entry' || reason === undefined) return ''
  return `To bring it: ${WAYS[reason](told)}.`
}

const IN_OTHER_WORDS =
  'ask in its words, or say with edit() in its cue when it should come; connect() joins it to one that comes'
const inOtherWords = ({ short }: Told) => (short?.lacksVector ? 'dream() gives it a vector' : IN_OTHER_WORDS)

const WAYS: Readonly<Record<NonNullable<Told['reason']>, (told: Told) => string>> = {
  top_k: ({ short }) => `recall({ limit: ${short?.limit ?? 'n'} }), or outcome() with it in helped`,
  token_budget: () => 'a larger tokenBudget, or a smaller limit',
  version: (told) => `ask what was before, or name what only it says${orBoth(told)}`,
  nothing: inOtherWords,
  pool: inOtherWords,
  without: () => 'leave its id out of without',
  class: ({ candidate }) => `add its class${candidate ? `, ${candidate.sourceClass},` : ''} to classes`,
  archived: ({ id }) => `restore() ${shortId(id)}`,
  scope: ({ scope }) =>
    scope === undefined ? 'ask without a scope' : `recall({ scope: '${scope}' }), or ask without a scope`,
  filtered: () => 'ask without the filter, or in another frame',
  no_vector: () => 'dream() gives it a vector',
}

function orBoth({ id, under }: Told): string {
  return under === undefined ? '' : `; if both hold, resolve() ${shortId(id)} ${shortId(under.id)} both`
}

/** Rounds to four decimals: more of them say nothing. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}

/** Returns the terms and the match of a candidate. */
export function explanationOf({ terms, match }: Candidate): z.output<typeof explanation> {
  const told = terms.map((each) => ({ ...each }))
  if (match === undefined) return { terms: told }
  const { rank, cosine, lexical, source, asks, when, standing, chances, coverage, name = 0 } = match
  return {
    terms: told,
    match: { rank, cosine, lexical, source, asks, when, standing, chances, coverage, name },
  }
}
