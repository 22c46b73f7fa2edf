import * as z from 'zod'
import { count, defined, preview, shortened, shownLine } from '../../block/text.ts'
import type { ExplainedCandidate, Unmet } from '../../recall/explain.ts'
import type { Candidate, Moved } from '../../recall/match.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'

/** The most code points of a candidate. */
const CONTENT_MOST = 280
/** The most code points of a candidate in a terminal. */
const PREVIEW = 100
/** The most candidates that have a line in a text; the fields of the answer have them all. */
const LINES_MOST = 40

/** The edge that brought a block. */
export const path = z
  .object({ seed: z.string(), relation: z.string(), weight: z.number() })
  .optional()
  .describe('The block whose edge brought it, and the edge')

/** The rules that change what a score says, in the order in which they are applied, with their words. */
const RULES = {
  always: 'the frame always shows it',
  note: 'found by the note of an edge',
  name: 'found by a name that it shares with',
  look_alike: 'behind a look-alike that has more words of the question',
  version: 'in the place of another version,',
  verbatim: 'the question word for word, before',
  holds: 'holds until the beginning of',
  trusted: 'trusted more than',
  believed: 'believed more than',
  newer: 'perhaps newer than',
  past: 'the version asked for, beside',
  proven: 'a strategy that proved good, before',
  passage: 'served by its best passage',
  cut: 'cut to fit the budget',
} as const satisfies Readonly<Record<Moved['why'] | string, string>>

type RuleName = keyof typeof RULES

/** The schema of how a block came by its score and its place. */
export const explanation = z.object({
  terms: z
    .array(
      z.object({
        name: z.string(),
        value: z.number().describe('The signal itself'),
        amount: z.number().describe('Its share of the score'),
      }),
    )
    .describe('Their amounts sum to the score'),
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
      coverage: z.number().describe('For having fewer words of the question than a look-alike'),
      name: z.number().describe('For a name that it shares with a better match'),
    })
    .optional(),
  rules: z
    .array(
      z.object({
        rule: z.enum(Object.keys(RULES) as [RuleName, ...RuleName[]]),
        block: z.string().optional().describe('The other block that it is about'),
      }),
    )
    .optional()
    .describe('All rules that changed its place or its words, in their order'),
})

/** The schema of a candidate of a recall, shown or not. */
export const candidate = z.object({
  number: z.int().describe('Its place in the order of the answer, from 1'),
  id: z.string(),
  content: z.string().describe('Its words, at most 280 characters; show has all'),
  cut: z.boolean().describe('The words go on'),
  sourceClass: schemas.sourceClass.describe('Who speaks in it'),
  source: z.string().optional().describe('Its own label; what counts is sourceClass'),
  occurredAt: z.string(),
  session: z.string(),
  scope: z.string().optional(),
  shown: z
    .enum(['entry', 'version', 'counterpoint'])
    .optional()
    .describe('The part of the text that has its words; absent if none has'),
  reason: z
    .enum(['top_k', 'token_budget', 'version', 'nothing', 'without', 'class'])
    .optional()
    .describe('Why it is no entry. top_k: beyond the limit or not near the best'),
  under: z
    .object({
      id: z.string(),
      why: z.enum(['superseded', 'proposed', 'earlier', 'later', 'objects']),
    })
    .optional()
    .describe('The block that it stands under or objects to'),
  short: z
    .object({
      limit: z.int().describe('The least limit that has a place for it'),
      strength: z.number().describe('Of the best match, where nothing bears on the question'),
      leastStrength: z.number().describe('The minStrength of the call, if that is why'),
      rank: z.number().describe('By its match alone'),
      leastRank: z.number().describe('That of the last match that was weighed'),
      lacksVector: z.literal(true).describe('It waits for a vector: only its words can be found'),
    })
    .partial()
    .describe('Numbers of what kept it from being shown; which it has depends on the reason'),
  score: z.number().describe('As in blocks'),
  strength: z.number().optional().describe('How well it matches the question, 0..1'),
  wasExpanded: z.boolean().describe('An edge brought it, not its own words'),
  path,
  explanation,
})

/** A candidate of a recall, as an answer has it. */
export type CandidateView = z.output<typeof candidate>

/** Returns the fields of candidates, in their order. */
export function toCandidates(explained: readonly ExplainedCandidate[]): CandidateView[] {
  return explained.map(({ block, candidate: found, shown, reason, under, short }, at) => {
    const content = shortened(block.content, CONTENT_MOST)
    return {
      number: at + 1,
      id: block.id,
      content,
      cut: content !== block.content,
      sourceClass: block.sourceClass,
      occurredAt: block.occurredAt,
      session: block.session,
      ...defined({ source: block.source, scope: block.scope, shown, reason, under }),
      short: { ...short, ...defined({ strength: short.strength && rounded(short.strength) }) },
      ...scoreOf(found),
      explanation: explanationOf(found),
    }
  })
}

/** Returns the score of a candidate and where it is from. */
export function scoreOf({ score, match, path: edge }: Candidate) {
  return {
    score: rounded(score),
    ...defined({ strength: match && rounded(match.strength) }),
    wasExpanded: edge !== undefined,
    ...defined({ path: edge && { ...edge, weight: rounded(edge.weight) } }),
  }
}

/** Returns the terms, the match and the rules of a candidate. */
export function explanationOf(found: Candidate): z.output<typeof explanation> {
  const { terms, match } = found
  const rules = rulesOf(found)
  return {
    terms: terms.map((each) => ({ ...each })),
    ...(match && { match: partsOf(match) }),
    ...(rules.length > 0 && { rules }),
  }
}

function partsOf(match: NonNullable<Candidate['match']>) {
  const { rank, cosine, lexical, source, asks, when, standing, chances, coverage, name = 0 } = match
  return { rank, cosine, lexical, source, asks, when, standing, chances, coverage, name }
}

function rulesOf({ guaranteed, match, through, moves, passage, cut }: Candidate) {
  const rules: { readonly rule: RuleName; readonly block?: string }[] = []
  if (guaranteed) rules.push({ rule: 'always' })
  if (match?.isNoted) rules.push({ rule: 'note' })
  if (through) rules.push({ rule: 'name', block: through.block })
  if (match && match.coverage < 0) rules.push({ rule: 'look_alike' })
  rules.push(...moves.map(({ why: rule, before: block }) => ({ rule, block })))
  if (passage) rules.push({ rule: 'passage' })
  if (cut) rules.push({ rule: 'cut' })
  return rules
}

/** Rounds to four decimals: more of them say nothing. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}

/** The facts about a block in an answer that its sentences need. */
export interface Told extends Partial<Pick<CandidateView, 'shown' | 'under' | 'short'>> {
  readonly id: string
  readonly frame: string
  /** Number of candidates. */
  readonly of: number
  /** Entries that the answer has a place for, besides those that the frame guarantees. */
  readonly places: number
  readonly candidate?: CandidateView | undefined
  readonly reason?:
    | CandidateView['reason']
    | 'archived'
    | 'scope'
    | 'filtered'
    | 'no_vector'
    | 'pool'
    | undefined
  readonly filters?: readonly Unmet[]
  readonly archiveReason?: string | undefined
  readonly supersededBy?: string | undefined
  readonly scope?: string | undefined
}

const UNDER: Readonly<Record<NonNullable<Told['under']>['why'], string>> = {
  superseded: 'replaced by',
  proposed: 'only proposed in the place of',
  earlier: 'an earlier word than',
  later: 'a later word than',
  objects: 'an objection to',
}

const REASONS: Readonly<Record<NonNullable<CandidateView['reason']>, string>> = {
  top_k: 'beyond the limit',
  token_budget: 'no room in the budget',
  version: 'a version of one shown',
  nothing: 'nothing bears on the question',
  without: 'left out, since you have it',
  class: 'left out by its class',
}

/** Returns why a candidate is no entry, in a few words; empty for an entry. */
function reasonWords({ reason, under }: Pick<CandidateView, 'reason' | 'under'>): string {
  const beneath = under && `${UNDER[under.why]} ${shortId(under.id)}`
  const own = reason === 'version' && beneath ? undefined : reason && REASONS[reason]
  return [own, beneath].filter(Boolean).join(', ')
}

/** Returns the rules that changed a candidate's place or words; empty for none. */
function ruleWords({ rules = [] }: z.output<typeof explanation>): string {
  return rules.map(({ rule, block }) => RULES[rule] + (block ? ` ${shortId(block)}` : '')).join('; ')
}

/** Returns the lines of a terminal about candidates: where each stands and why, and the terms of those that are shown. */
export function candidateLines(candidates: readonly CandidateView[] = []): string[] {
  const left = candidates.length - LINES_MOST
  return [
    ...candidates.slice(0, LINES_MOST).flatMap((each) => {
      const isEntry = each.shown === 'entry'
      const told = [isEntry ? '' : reasonWords(each), ruleWords(each.explanation)].filter(Boolean)
      const mark = each.shown === undefined ? '–' : '✓'
      const place = `${mark} ${String(each.number).padEnd(3)}  ${each.score.toFixed(2)}  ${shortId(each.id)}`
      const why = told.length === 0 ? '' : `${told.join('; ')}: `
      const line = `${place}  ${why}${preview(shownLine(each.content), PREVIEW)}`
      return isEntry ? [line, `       ${scoreWords(each)}`] : [line]
    }),
    ...(left > 0 ? [`… and ${count(left, 'more candidate')}.`] : []),
  ]
}

const PARTS: Readonly<Record<string, string>> = { cosine: 'meaning', lexical: 'words' }

/** Returns the terms that sum to a score, and the parts of the match. */
export function scoreWords({ score, explanation: { terms, match } }: CandidateView): string {
  const parts = Object.entries(match ?? {}).filter(([name, value]) => name !== 'rank' && value !== 0)
  const matched = parts.map(([name, value]) => `${PARTS[name] ?? name} ${value.toFixed(2)}`)
  return [
    `score ${score.toFixed(4)} = ${terms.map(({ name, amount }) => `${name} ${amount.toFixed(4)}`).join(' + ')}`,
    ...(match ? [`match ${match.rank.toFixed(2)}: ${matched.join(', ')}`] : []),
  ].join('; ')
}

const SHOWN = {
  entry: 'is shown',
  version: 'is shown under another',
  counterpoint: 'is shown as an objection',
}

/** Returns one sentence on whether a block is shown, its place, why, and by how much it fell short. */
export function whyWords(told: Told): string {
  const { id, candidate: found, of, reason, shown, under, short = {} } = told
  const place = found === undefined ? '' : `, number ${found.number} of ${of} candidates`
  const isTold = reason === undefined || shown === 'counterpoint'
  const why = isTold ? reasonWords({ reason: undefined, under }) : causeWords(told)
  const rules = found && ruleWords(found.explanation)
  return sentences(
    `${shortId(id)} ${shown === undefined ? 'is not shown' : SHOWN[shown]}${place}${why && `: ${why}`}.`,
    rules && `Rules: ${rules}.`,
    reason === 'nothing' &&
      neededWords('The strength of the best match is', short.strength, short.leastStrength),
    (reason === 'pool' || reason === 'no_vector') &&
      neededWords('Its match ranks', short.rank, short.leastRank),
    reason !== 'no_vector' && short.lacksVector && 'It has no vector yet, so only its words can be found.',
  )
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
      return filters.map(({ name, values }) => FILTERS[name](values.join(' or '), frame)).join('; ')
    case 'no_vector':
      return 'it waits and has no vector yet, so only its words can be found'
    case 'pool':
      if (short.leastRank === undefined) return 'nothing in it matches'
      return 'it was never weighed, since enough others match better'
    case 'top_k': {
      const beyond = block.places === 1 ? 'the answer has one place' : `beyond the first ${block.places}`
      return [beyond, reasonWords({ reason: undefined, under })].filter(Boolean).join(', ')
    }
    default:
      return reasonWords({ reason, under })
  }
}

const FILTERS: Readonly<Record<Unmet['name'], (named: string, frame: string) => string>> = {
  include: (named, frame) => `the frame ${frame} shows only what has a tag ${named}`,
  exclude: (named, frame) => `the frame ${frame} leaves out what has a tag ${named}`,
  classes: (named, frame) => `the frame ${frame} shows only what ${named} says`,
  sessionOnly: (_, frame) => `the frame ${frame} shows only what this session took in or used`,
  tags: (named) => `the call asks for the tag ${named}`,
  category: (named) => `the call asks for the category ${named}`,
  session: (named) => `the call asks for the session ${named}`,
}

function neededWords(what: string, has: number | undefined, needs: number | undefined): string {
  if (has === undefined) return ''
  return `${what} ${has.toFixed(2)}${needs === undefined ? '' : `, and ${needs.toFixed(2)} is needed`}.`
}

/** Returns the calls that would bring a block that is not shown; empty for one that is. */
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
  version: ({ id, under }) =>
    `ask what was before, or name what only it says${
      under === undefined ? '' : `; if both hold, resolve() ${shortId(id)} ${shortId(under.id)} both`
    }`,
  nothing: inOtherWords,
  pool: inOtherWords,
  without: () => 'leave its id out of without',
  class: ({ candidate: found }) => `add its class${found ? `, ${found.sourceClass},` : ''} to classes`,
  archived: ({ id }) => `restore() ${shortId(id)}`,
  scope: ({ scope }) =>
    scope === undefined ? 'ask without a scope' : `recall({ scope: '${scope}' }), or ask without a scope`,
  filtered: () => 'ask without the filter, or in another frame',
  no_vector: () => 'dream() gives it a vector',
}
