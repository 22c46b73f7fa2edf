import * as z from 'zod'
import { count, defined, preview, shortened, shownLine } from '../../block/text.ts'
import type { ExplainedCandidate } from '../../recall/explain.ts'
import type { Candidate, Moved } from '../../recall/match.ts'
import * as schemas from '../schemas.ts'
import { shortId } from '../wording.ts'

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
  edge: 'brought by an edge of',
  note: "found through a link's note",
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
    .record(z.string(), z.number())
    .optional()
    .describe('Its rank by the match alone, and the parts of that: cosine, lexical, source and more'),
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
  limit: z.int().optional().describe('The least limit that has a place for it, if it is beyond the limit'),
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
  return explained.map(({ block, candidate: found, shown, reason, under, limit }, at) => {
    const content = shortened(block.content, CONTENT_MOST)
    return {
      number: at + 1,
      id: block.id,
      content,
      cut: content !== block.content,
      sourceClass: block.sourceClass,
      ...defined({ source: block.source, shown, reason, under, limit }),
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

function rulesOf({ guaranteed, path: edge, match, moves, passage, cut }: Candidate) {
  const rules: { readonly rule: RuleName; readonly block?: string }[] = []
  if (guaranteed) rules.push({ rule: 'always' })
  if (edge) rules.push({ rule: 'edge', block: edge.seed })
  if (match?.isNoted) rules.push({ rule: 'note' })
  if (match?.through) rules.push({ rule: 'name', block: match.through })
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

/** The reasons why a block is no entry of an answer, with their words and what would bring it. */
export const REASONS = {
  top_k: ['beyond the limit', 'recall() with a larger limit, or outcome() with it in helped'],
  token_budget: ['no room in the budget', 'a larger tokenBudget, or a smaller limit'],
  version: ['a version of one shown', 'ask what was before; if both hold, resolve() with keep both'],
  nothing: [
    'nothing bears on the question',
    'ask in its words, or name in its cue, with edit(), when it should come',
  ],
  without: ['left out, since you have it', 'leave its id out of without'],
  class: ['left out by its class', 'add its class to classes'],
  pool: ['others match better', 'ask in its words, or connect() it to a block that comes'],
  archived: ['archived', 'restore()'],
  scope: ['of another scope', 'ask in its scope, or without a scope'],
  filtered: ['left out by a filter', 'ask without the filter, or in another frame'],
  no_vector: ['waiting for a vector, so that only words find it', 'dream()'],
} as const

export type Reason = keyof typeof REASONS

const UNDER: Readonly<Record<NonNullable<CandidateView['under']>['why'], string>> = {
  superseded: 'replaced by',
  proposed: 'only proposed in the place of',
  earlier: 'an earlier word than',
  later: 'a later word than',
  objects: 'an objection to',
}

/** Returns why a block is no entry, in a few words; empty for an entry. */
export function reasonWords({
  reason,
  under,
}: Pick<CandidateView, 'under'> & { readonly reason?: Reason | undefined }): string {
  const beneath = under && `${UNDER[under.why]} ${shortId(under.id)}`
  const own = reason === 'version' && beneath ? undefined : reason && REASONS[reason][0]
  return [own, beneath].filter(Boolean).join(', ')
}

/** Returns the rules that changed a candidate's place or words; empty for none. */
export function ruleWords({ explanation: { rules = [] } }: CandidateView): string {
  return rules.map(({ rule, block }) => RULES[rule] + (block ? ` ${shortId(block)}` : '')).join('; ')
}

/** Returns the lines of a terminal about candidates: where each stands and why, and the terms of those that are shown. */
export function candidateLines(candidates: readonly CandidateView[] = []): string[] {
  const left = candidates.length - LINES_MOST
  return [
    ...candidates.slice(0, LINES_MOST).flatMap((each) => {
      const isEntry = each.shown === 'entry'
      const told = [isEntry ? '' : reasonWords(each), ruleWords(each)].filter(Boolean)
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
    ...(match ? [`match ${(match.rank ?? 0).toFixed(2)}: ${matched.join(', ')}`] : []),
  ].join('; ')
}
