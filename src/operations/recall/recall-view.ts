import * as z from 'zod'
import { count, defined, preview, shortened } from '../../block/text.ts'
import { endOf, hasEnded } from '../../block/validity.ts'
import { shownLine } from '../../block/visible.ts'
import { confidenceOf } from '../../outcome/formulas.ts'
import { type Counterpoint, wordsServed } from '../../recall/choose.ts'
import type { ExplainedCandidate, Shortfall } from '../../recall/explain.ts'
import type { Candidate, Entry } from '../../recall/match.ts'
import type { RecallAnswer, SuggestedConnection } from '../../recall/recall.ts'
import * as schemas from '../schemas.ts'
import { restsOnOutdated, toRestsOnOutdated, validityOfBlock } from '../schemas.ts'
import { shortId } from '../wording.ts'

const term = z.object({
  name: z.string(),
  value: z.number().describe('The signal itself'),
  amount: z.number().describe('Its share of the score'),
})

/** The terms, match and edge behind the score of a candidate. */
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

/** The edge that brought a block. */
const path = z
  .object({ seed: z.string(), relation: z.string(), weight: z.number() })
  .optional()
  .describe('The block whose edge brought it, and the edge')

const unit = z.number()

/** The most characters of a suggested block in a terminal. */
const PREVIEW = 60

/** A block of an answer. */
export const recalledBlock = z.object({
  id: z.string(),
  content: z
    .string()
    .describe("The agent's own words, exactly; of a long block the passage that matches best"),
  passage: z
    .object({ from: z.int(), to: z.int(), of: z.int() })
    .optional()
    .describe(
      'Where content stands in the whole block, in UTF-16 units, and how long that is; show has the whole',
    ),
  summary: z.string().optional(),
  cue: z.string().optional(),
  tags: z.array(z.string()),
  category: z.string(),
  sourceClass: schemas.sourceClass.describe('Who speaks in it; only user and agent are your own words'),
  source: z.string().optional().describe('Its own label; what counts is sourceClass'),
  occurredAt: z.string(),
  ...schemas.saidAgain,
  session: z.string(),
  scope: z.string().optional().describe('The scope it belongs to, if any'),
  score: unit.describe('Orders this answer; comparable within it only'),
  strength: unit
    .optional()
    .describe('How well it matches the question, 0..1, comparable only within a store'),
  confidence: unit.describe('Its confidence by outcomes, 0..1'),
  guaranteed: z.boolean().describe('The frame always shows it'),
  wasExpanded: z.boolean().describe('An edge brought it, not its own words'),
  path,
  foundByNote: z
    .literal(true)
    .optional()
    .describe('The note of an edge of it has words of the question; show has the note'),
  foundByName: z
    .object({ name: z.string(), block: z.string() })
    .optional()
    .describe('A name that it shares with this better match, and that the question does not give'),
  ...validityOfBlock,
  ended: z.literal(true).optional().describe('It holds no more, and nothing in the answer took its place'),
  restsOnOutdated: restsOnOutdated.optional(),
  waiting: z.literal(true).optional().describe('It waits for a dream: found, and not yet linked or judged'),
  cut: z.boolean().describe('Its text was cut to fit the budget; show gives the whole'),
  versions: z
    .array(
      z.object({
        id: z.string(),
        content: z.string(),
        sourceClass: schemas.sourceClass,
        occurredAt: z.string(),
        why: z
          .enum(['superseded', 'proposed', 'earlier', 'later'])
          .describe(
            'proposed: to replace what is trusted more, and nobody accepted it; earlier, later: a judge took it for another word about the same, said before or after',
          ),
      }),
    )
    .optional()
    .describe('Told versions of it and proposals that nobody accepted, newest first'),
  perhapsNewerThan: z
    .array(z.string())
    .optional()
    .describe('Blocks of the answer that it may be a later word about; a guess, and all are kept'),
  contradicts: z.array(z.string()).optional().describe('Blocks that contradict it, as somebody stated'),
  moreVersions: z.number().int().optional().describe('Number of further versions'),
  explanation: explanation.optional(),
})

/** A block that contradicts one of the answer. */
export const counterpoint = z.object({
  id: z.string(),
  content: z.string(),
  sourceClass: schemas.sourceClass,
  relation: z.literal('contradicts'),
  contradicts: z.string().describe('The block of the answer it contradicts'),
  confidence: unit.describe('Its confidence by outcomes, 0..1'),
  contradictedConfidence: unit.describe('The same of the block it contradicts'),
})

/** The schema of two blocks that an agent may want to join. */
export const suggestedConnection = z.object({
  source: z.object({ id: z.string(), content: z.string() }),
  target: z.object({ id: z.string(), content: z.string() }),
  reason: z.string(),
  relation: z.string(),
  confidence: unit,
  connect: z
    .object({ source: z.string(), target: z.string(), relation: z.string() })
    .describe('Pass it to connect, with the relation you see'),
})

/** The fields of `recalledBlock`. */
export function toRecalledBlock(
  entry: Entry,
  { explain, at }: { readonly explain: boolean; readonly at: string },
): z.output<typeof recalledBlock> {
  const { block, match, guaranteed, cut, passage, versions, moreVersions, through, outdated, marks } = entry
  return {
    id: block.id,
    content: wordsServed(block, passage),
    ...(passage && { passage }),
    ...(block.summary === undefined ? {} : { summary: block.summary }),
    ...(block.cue === undefined ? {} : { cue: block.cue }),
    tags: [...block.tags],
    category: block.category,
    sourceClass: block.sourceClass,
    ...(block.source === undefined ? {} : { source: block.source }),
    occurredAt: block.occurredAt,
    ...schemas.toSaidAgain(block),
    session: block.session,
    ...(block.scope === undefined ? {} : { scope: block.scope }),
    ...scoreOf(entry),
    confidence: rounded(confidenceOf(block)),
    guaranteed,
    ...(match?.isNoted ? { foundByNote: true as const } : {}),
    ...(through ? { foundByName: through } : {}),
    ...validityOf(block, at),
    ...toRestsOnOutdated(outdated),
    ...(block.status === 'inbox' ? { waiting: true } : {}),
    cut,
    ...(versions.length === 0 ? {} : { versions: versions.map(toVersion) }),
    ...(moreVersions === 0 ? {} : { moreVersions }),
    ...defined({
      perhapsNewerThan: markedBy(marks, 'newer'),
      contradicts: markedBy(marks, 'contradicts'),
    }),
    ...(explain ? { explanation: explanationOf(entry) } : {}),
  }
}

/** Returns the ids of blocks that marks of a kind name; undefined for none. */
function markedBy(marks: Entry['marks'], kind: Entry['marks'][number]['kind']) {
  const ids = marks.filter((mark) => mark.kind === kind).map(({ of }) => of)
  return ids.length === 0 ? undefined : ids
}

function validityOf(block: Entry['block'], at: string) {
  const validUntil = endOf(block)
  return {
    ...defined({ validFrom: block.validFrom, validUntil }),
    ...(hasEnded(block, at) ? { ended: true as const } : {}),
  }
}

function toVersion({ block, why }: Entry['versions'][number]) {
  const { id, content, sourceClass, occurredAt } = block
  return { id, content, sourceClass, occurredAt, why }
}

/** The fields of `counterpoint`. */
export function toCounterpoint({ block, to }: Counterpoint): z.output<typeof counterpoint> {
  return {
    id: block.id,
    content: block.content,
    sourceClass: block.sourceClass,
    relation: 'contradicts',
    contradicts: to.id,
    confidence: rounded(confidenceOf(block)),
    contradictedConfidence: rounded(confidenceOf(to)),
  }
}

/** The fields of `suggestedConnection`. */
export function toSuggestedConnection({
  blocks,
  reason,
  relation,
  confidence,
}: SuggestedConnection): z.output<typeof suggestedConnection> {
  const [source, target] = blocks.map(({ id, content }) => ({ id, content })) as [
    { id: string; content: string },
    { id: string; content: string },
  ]
  const call = { source: source.id, target: target.id, relation }
  return { source, target, reason, relation, confidence: rounded(confidence), connect: call }
}

/** Returns one line about a suggestion for a terminal, with the call. */
export function suggestionLine({
  source,
  target,
  reason,
  connect,
}: z.output<typeof suggestedConnection>): string {
  const ends = [source, target].map(({ id, content }) => `"${preview(content, PREVIEW)}" (${shortId(id)})`)
  return `suggested: ${ends.join(' and ')} ${reason}: connect ${shortId(connect.source)} ${shortId(connect.target)} ${connect.relation}`
}

/** Returns one line on how a block came by its score, if that was asked for. */
export function explanationLines({
  id,
  score,
  explanation,
  foundByNote,
  foundByName,
}: z.output<typeof recalledBlock>): string[] {
  if (explanation === undefined) return []
  const { match } = explanation
  const terms = explanation.terms.map(({ name, amount }) => `${name} ${amount.toFixed(2)}`)
  const parts = match ? `; meaning ${match.cosine.toFixed(2)}, words ${match.lexical.toFixed(2)}` : ''
  const note = foundByNote ? '; the note of an edge has words of the question' : ''
  const name = foundByName ? `; through ${foundByName.name} of ${shortId(foundByName.block)}` : ''
  return [`${shortId(id)} scores ${score.toFixed(2)}: ${terms.join(', ')}${parts}${note}${name}`]
}

type Shown = Pick<RecallAnswer['blocks'][number], 'versions' | 'moreVersions' | 'told'>

/**
 * Returns one line about blocks that are no entry of an answer, and why: versions whose words stand under an entry are set apart,
 * the rest is left out. Empty when there is nothing to say.
 */
export function leftOutLine(blocks: readonly Shown[], dropped: RecallAnswer['dropped']): string {
  const versions = blocks.flatMap(({ versions: each, told }) =>
    each.map(({ block, why }) => ({ why, isTold: told.includes(block.id) })),
  )
  const told = versions.filter(({ isTold }) => isTold)
  const untold = versions.filter(({ isTold }) => !isTold)
  const further = blocks.reduce((sum, { moreVersions }) => sum + moreVersions, 0)
  const number = (reason: RecallAnswer['dropped'][number]['reason']) =>
    dropped.filter((each) => each.reason === reason).length
  const leftOut = {
    ...byReason(untold),
    further,
    token_budget: number('token_budget'),
    top_k: number('top_k'),
    ...{ without: number('without'), class: number('class') },
  }
  return [notShownNote('told', byReason(told)), notShownNote('untold', leftOut)].filter(Boolean).join(' ')
}

function byReason(versions: readonly Pick<Shown['versions'][number], 'why'>[]): NotShown {
  const number = (reason: Shown['versions'][number]['why']) =>
    versions.filter(({ why }) => why === reason).length
  return {
    older: number('superseded') + number('earlier'),
    later: number('later'),
    proposed: number('proposed'),
  }
}

/** Says which filters of a call nothing passes, and how many blocks the frame has without them; empty for none. */
export function unmatchedLine(frame: string, unmatched: RecallAnswer['unmatched']): string {
  if (unmatched === undefined) return ''
  const missing = unmatched.filters.map(({ tags = [], category, session }) => {
    const parts = [
      ...(tags.length > 0 ? [`the tag ${tags.join(' or ')}`] : []),
      ...(category === undefined ? [] : [`the category ${category}`]),
      ...(session === undefined ? [] : [`the session ${session}`]),
    ]
    return parts.join(' and ')
  })
  return `No block of the frame ${frame} has ${missing.join(', none ')}; ${unmatched.without} without.`
}

/** The score of a candidate and where it is from; the fields of `explanation` and `path` are below it. */
function scoreOf({ score, match, path: edge }: Candidate) {
  return {
    score: rounded(score),
    ...(match ? { strength: rounded(match.strength) } : {}),
    wasExpanded: edge !== undefined,
    ...(edge === undefined ? {} : { path: { ...edge, weight: rounded(edge.weight) } }),
  }
}

/** The fields of `explanation`. */
export function explanationOf({ terms, match }: Candidate): z.output<typeof explanation> {
  const told = terms.map((each) => ({ ...each }))
  if (match === undefined) return { terms: told }
  const {
    facts: _facts,
    strength: _strength,
    ownCosine: _ownCosine,
    passage: _passage,
    isNoted: _isNoted,
    through: _through,
    name = 0,
    ...parts
  } = match
  return { terms: told, match: { ...parts, name } }
}

/** Rounds to four decimals: more of them say nothing. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}

/** The most code points of a candidate. */
const CONTENT_MOST = 280
/** The most code points of a candidate in a terminal. */
const CANDIDATE_PREVIEW = 100

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

/** Returns why a candidate is no entry, in a few words; empty for an entry. */
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

/** Returns why a candidate does not stand where its score would put it; empty where scores decide. */
export function movedWords({ moved }: Pick<CandidateView, 'moved'>): string {
  if (moved === undefined) return ''
  const other = moved.before === undefined ? '' : ` ${shortId(moved.before)}`
  return moved.why === 'version' ? `${MOVED.version},${other}` : `${MOVED[moved.why]}${other}`
}

/** Largest number of lines for candidates that are no entry; the fields of the result have all of them. */
const LEFT_OUT_MOST = 20

/** Returns a line for each candidate that is no entry of the answer, at most `LEFT_OUT_MOST`. */
export function leftOutLines(candidates: readonly CandidateView[] = []): string[] {
  return candidateLines(
    candidates.filter(({ shown }) => shown !== 'entry'),
    LEFT_OUT_MOST,
  )
}

/**
 * Returns one line of a terminal for each candidate, at most `most`: a mark, number, score, id, why it is not shown, and its
 * words.
 */
export function candidateLines(candidates: readonly CandidateView[], most: number): string[] {
  const rows = candidates.slice(0, most).map((each) => {
    const told = [each.shown === 'entry' ? '' : reasonWords(each), movedWords(each)]
      .filter(Boolean)
      .join('; ')
    const why = told === '' ? '' : `${told}: `
    const mark = each.shown === undefined ? '–' : '✓'
    const left = `${mark} ${String(each.number).padEnd(3)}  ${each.score.toFixed(2)}  ${shortId(each.id)}`
    return `${left}  ${why}${preview(shownLine(each.content), CANDIDATE_PREVIEW)}`
  })
  const left = candidates.length - rows.length
  return [...rows, ...(left > 0 ? [`… and ${count(left, 'more candidate')}.`] : [])]
}

/** Returns one sentence on how sure an answer is that matches. `probability`: 0..1. */
export function matchNote(probability: number): string {
  return `Match (probability ${probability.toFixed(2)}).`
}

/** The words for one, and for many. */
const COUNTED = {
  older: ['older version', 'older versions'],
  later: ['later version', 'later versions'],
  proposed: ['proposed', 'proposed'],
  further: ['further version', 'further versions'],
  token_budget: ['beyond the budget', 'beyond the budget'],
  top_k: ['beyond the limit', 'beyond the limit'],
  without: ['known to you', 'known to you'],
  class: ['of another class', 'of other classes'],
} as const
const TITLES = { told: 'Set apart', untold: 'Left out' } as const

/** Number of blocks that are no entry of an answer, by the reason. */
type NotShown = Partial<Readonly<Record<keyof typeof COUNTED, number>>>

/** Returns one sentence on blocks that are no entry of an answer, mentioned in it or not; empty for none. */
function notShownNote(title: keyof typeof TITLES, numbers: NotShown): string {
  const parts = Object.entries(COUNTED).flatMap(([reason, [one, many]]) => {
    const number = numbers[reason as keyof typeof COUNTED] ?? 0
    return number > 0 ? [`${number} ${number === 1 ? one : many}`] : []
  })
  return parts.length === 0 ? '' : `${TITLES[title]}: ${parts.join(', ')}.`
}

/** Returns one sentence on blocks that wait and have no vector yet. */
export function waitingNote(number: number): string {
  return `${count(number, 'waiting block')} found by words alone as yet.`
}

/** The note of an answer whose first block did not fit the token budget as a whole. */
export const CUT_NOTE = 'The first block was cut to fit the budget; show gives the whole.'
