import * as z from 'zod'
import { endOf, hasEnded } from '../../domain/block/validity/validity.ts'
import { type NotShown, notShownNote } from '../../domain/safety/frame.ts'
import { confidenceOf } from '../../domain/score/experience.ts'
import { defined, preview } from '../../domain/text/text.ts'
import type { Counterpoint } from '../../flow/recall/choose.ts'
import type { Entry } from '../../flow/recall/match.ts'
import type { RecallAnswer, SuggestedConnection } from '../../flow/recall/recall.ts'
import { restsOnOutdated, toRestsOnOutdated } from '../resting.ts'
import * as schemas from '../schemas.ts'
import { validityOfBlock } from '../validity.ts'
import { shortId } from '../wording.ts'
import { explanation, explanationOf, path, rounded, scoreOf } from './explanation.ts'

const unit = z.number()

/** Longest beginning of a suggested block in a terminal, in characters. */
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

/** Two blocks an agent may want to join. */
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
    content: block.content.slice(passage?.from, passage?.to),
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

/** One line for a terminal, with the call. */
export function suggestionLine({
  source,
  target,
  reason,
  connect,
}: z.output<typeof suggestedConnection>): string {
  const ends = [source, target].map(({ id, content }) => `"${preview(content, PREVIEW)}" (${shortId(id)})`)
  return `suggested: ${ends.join(' and ')} ${reason}: connect ${shortId(connect.source)} ${shortId(connect.target)} ${connect.relation}`
}

/** One line on how a block came by its score, when that was asked for. */
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
 * One line about what is no entry of an answer, and why: versions whose words stand under an entry are set apart, the rest is
 * left out. Empty when there is nothing to say.
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
