import * as z from 'zod'
import { isConstitutional, sourceName } from '../../block/block.ts'
import { defined } from '../../block/text.ts'
import { lastSaidAt } from '../../block/validity.ts'
import { addsBlock, DECISION_KINDS, type Decision, type Side } from '../../dream/decisions.ts'
import { PROPOSAL_STATES } from '../../graph/edge.ts'
import { confidenceOf } from '../../outcome/formulas.ts'
import * as schemas from '../schemas.ts'
import { shortId, wholeText } from '../wording.ts'
import { decisionSentence, toldChoices } from './decision-words.ts'

export { needsPerson } from '../../dream/decisions.ts'

const side = z.object({
  id: z.string(),
  content: z.string().describe('All of its words'),
  sourceClass: schemas.sourceClass.describe('Who speaks in it'),
  speaker: z.string().describe('The same with its own label'),
  saidAt: z.string().describe('When it was said'),
  belief: z.number().describe('0..1; .5 without reports'),
  helped: z.number().describe('Sum of reports that it helped'),
  misled: z.number().describe('Sum of reports that it misled'),
  edges: z.int().describe('Number of its edges'),
  status: schemas.status.describe('inbox: it waits for a dream'),
  isPrinciple: z.literal(true).optional().describe('It is a principle of the constitution'),
  isShown: z.boolean().describe('Recall shows it as an entry until somebody decides'),
})

const choice = z.object({
  key: z.string().describe('The key of elfmem review'),
  choice: z.string().describe('For decide'),
  label: z.string().describe('As a button says it'),
  does: z.string().describe('What it changes'),
  owner: z
    .literal(true)
    .optional()
    .describe('It changes who the agent is, raises trust, or overrules the owner’s words'),
  takes: z.enum(['words', 'reason']).optional().describe('words: it needs them; reason: it may have one'),
})

const change = z.object({
  blockId: z.string().optional().describe('Absent for a new block'),
  field: z.enum(['content', 'sourceClass']).describe('What would be other').meta({ namesFields: true }),
  before: z.string().optional().describe('As it is; of an accepted one as it was'),
  after: z.string().describe('As it would be; of an accepted one as accepted'),
})

/** The schema of a decision that waits. */
export const decision = z.object({
  id: z.string().describe('Its kind and the ids of what it is about; the same until it is decided'),
  kind: z.enum(DECISION_KINDS).describe('Why it is to be decided'),
  at: z.string().optional().describe('When it was found or asked'),
  by: z.string().optional().describe('Who found it or asked'),
  sentence: z.string().describe('What is to be decided, in our own words'),
  first: side.optional().describe('The older of two, the one to give way, or the one it is about'),
  second: side.optional().describe('The newer of two, or what ended, on which the first rests'),
  change: change
    .optional()
    .describe('Of a proposal: what would be other, or became so; absent until somebody gives words'),
  reason: z.string().optional().describe('Why, in the words of whoever proposed it'),
  state: z.enum(PROPOSAL_STATES).optional().describe('Of a proposal'),
  decidedAt: z.string().optional().describe('When the owner decided'),
  answer: z.string().optional().describe('Why the owner refused it'),
  choices: z.array(choice).readonly().describe('The ways to decide; none is the usual one'),
  mark: z.string().describe('For decide: it refuses if the words are others by then'),
})

/** A decision that waits, in the names of the library. */
export type DecisionView = z.output<typeof decision>

/** The fields of `decision`. */
export function toDecision(found: Decision): DecisionView {
  const { id, kind, at, by, first, second, proposal, mark, before } = found
  return {
    ...{ id, kind, sentence: decisionSentence(found), mark },
    ...defined({ at, by, first: first && toSide(first), second: second && toSide(second) }),
    ...(proposal === undefined ? {} : ofProposal(proposal, before ?? first?.block.content, first)),
    choices: toldChoices(found),
  }
}

function toSide({ block, edges, isShown }: Side): z.output<typeof side> {
  const { id, content, sourceClass, status } = block
  return {
    ...{ id, content, sourceClass, speaker: sourceName(block) ?? sourceClass, saidAt: lastSaidAt(block) },
    ...{ belief: confidenceOf(block), helped: block.successes, misled: block.failures },
    ...{ edges, status, isShown },
    ...(isConstitutional(block.tags) ? { isPrinciple: true as const } : {}),
  }
}

function ofProposal(
  {
    kind,
    target,
    content,
    sourceClass = 'user',
    reason,
    state,
    decidedAt,
    answer,
  }: NonNullable<Decision['proposal']>,
  words: string | undefined,
  first: Side | undefined,
) {
  const ofClass = kind === 'class'
  const before = ofClass ? first?.block.sourceClass : addsBlock(kind) ? undefined : words
  const after = ofClass ? sourceClass : content
  const field = ofClass ? ('sourceClass' as const) : ('content' as const)
  return {
    ...(after !== undefined && { change: { field, after, ...defined({ blockId: target, before }) } }),
    state,
    ...defined({ reason, decidedAt, answer }),
  }
}

/** The id of a decision with short ids of blocks, which `decide` takes. */
export function shortDecisionId(id: string): string {
  const [kind, ...keys] = id.split(':')
  if (kind === 'proposal') return id
  return [kind, ...keys.map(shortId)].join(':')
}

/** A decision as lines of a list, with the whole of its texts. */
export function decisionLines({
  id,
  sentence,
  first,
  second,
  change,
  reason,
  state,
  answer,
  choices,
}: DecisionView): string {
  const asWas = change?.field === 'content' ? change.before : undefined
  const meanwhile = (each: typeof first) =>
    second && !each?.isShown ? ['     (under the other meanwhile)'] : []
  return [
    `${shortDecisionId(id)}${state === undefined || state === 'open' ? '' : `  ${state}`}`,
    `  ${sentence}`,
    ...(first ? [wholeText('  1  ', asWas ?? first.content), ...meanwhile(first)] : []),
    ...(second ? [wholeText('  2  ', second.content), ...meanwhile(second)] : []),
    ...(change?.field === 'content' ? [wholeText('  →  ', change.after)] : []),
    ...(reason === undefined ? [] : [wholeText('  because: ', reason)]),
    ...(answer === undefined ? [] : [wholeText('  answer: ', answer)]),
    ...(choices.length === 0 ? [] : [`  --choice ${choices.map(({ choice: name }) => name).join(', ')}`]),
  ].join('\n')
}
