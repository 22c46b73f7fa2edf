import * as z from 'zod'
import { type Block, isConstitutional, sourceName } from '../../block/block.ts'
import { count, defined } from '../../block/text.ts'
import { lastSaidAt } from '../../block/validity.ts'
import {
  addsBlock,
  countDecisions,
  DECISION_KINDS,
  type Decision,
  forPerson,
  readDecisions,
  requireDecision,
  type Side,
} from '../../dream/decisions.ts'
import type { Engine } from '../../engine/engine.ts'
import { PROPOSAL_STATES } from '../../graph/edge.ts'
import { confidenceOf } from '../../outcome/formulas.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, waitingWords, wholeText } from '../wording.ts'
import { decisionSentence, shortDecisionId, toldChoices } from './decision-words.ts'

export { needsPerson } from '../../dream/decisions.ts'

const side = z.object({
  id: z.string(),
  content: z.string(),
  sourceClass: schemas.sourceClass,
  speaker: z.string().describe('The source class with its own label'),
  saidAt: z.string(),
  belief: z.number().describe('0..1; .5 without reports'),
  helped: z.number(),
  misled: z.number(),
  edges: z.int(),
  status: schemas.status,
  isPrinciple: z.literal(true).optional(),
  isShown: z.boolean().describe('Recall shows it as an entry until somebody decides'),
})

const choice = z.object({
  key: z.string().describe('The key of elfmem review'),
  choice: z.string().describe('For decide'),
  label: z.string(),
  does: z.string().describe('What it changes'),
  takes: z.enum(['words', 'reason']).optional().describe('words: it needs them; reason: it may have one'),
})

const change = z.object({
  blockId: z.string().optional().describe('Absent for a new block'),
  field: z.enum(['content', 'sourceClass']).meta({ namesFields: true }),
  before: z.string().optional(),
  after: z.string(),
})

const decision = z.object({
  id: z.string().describe('The same until it is decided'),
  kind: z.enum(DECISION_KINDS).describe('Why it is to be decided'),
  at: z.string().optional().describe('When it was found or asked'),
  by: z.string().optional().describe('Who found it or asked'),
  sentence: z.string().describe('What is to be decided, in our own words'),
  first: side.optional().describe('The older of two, the one to give way, or the one it is about'),
  second: side.optional().describe('The newer of two, or what ended, on which the first rests'),
  change: change.optional().describe('Of a proposal with words: what it changes or changed'),
  reason: z.string().optional().describe('Why, in the words of whoever proposed it'),
  state: z.enum(PROPOSAL_STATES).optional().describe('Of a proposal'),
  answer: z.string().optional().describe('Why the owner refused it'),
  choices: z.array(choice).readonly().describe('The ways to decide; none is the usual one'),
  mark: z.string().describe('For decide: it refuses if the words are others by then'),
})

/** A decision that waits, in the names of the library. */
export type DecisionView = z.output<typeof decision>

const limit = z.int().min(1).max(100)
const kind = z.enum(DECISION_KINDS)

const input = z.object({
  id: z.string().max(200).optional().describe('One decision; its ids may be beginnings of ids'),
  kind: kind.optional().describe('Only these; all of them otherwise, those that only a person settles first'),
  state: z
    .enum(PROPOSAL_STATES)
    .default('open')
    .describe('accepted, refused: proposals that the owner decided about, with the answer'),
  limit: limit.default(20).describe('At most so many'),
  cursor: schemas.cursor.optional(),
})

/** Returns a page of what waits for somebody to decide, and how much there is. Changes nothing. */
export const decisions = defineScopedOperation({
  name: 'decisions',
  summary: 'List what waits for a person to decide: proposals, pairs, outdated blocks, predictions.',
  guide: {
    when: 'status() says that decisions wait, or you want to know what became of a proposal of yours: state refused has the answer.',
    whenNot: 'To judge blocks and pairs as the mind of a memory without a model use inbox().',
    next: 'The owner decides with decide(), or in a terminal with elfmem review. An agent asks its person to look.',
    example: "const { decisions } = await memory.decisions({ kind: 'contradiction' })",
  },
  tools: 'all',
  needs: 'reader',
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  refuses: ['NOT_FOUND', 'AMBIGUOUS_ID'],
  input,
  output: z.object({
    decisions: z.array(decision).readonly().describe('What is to be decided, kind after kind'),
    cursor: z.string().optional().describe('Pass it to get those behind these'),
    counts: z.record(z.string(), z.int()).optional().describe('By kind; with the first page'),
    total: z.int().optional().describe('How many only a person settles: all but guesses'),
    summary: schemas.summary,
  }),
  page: 'limit',
  run: async (engine, asked) => {
    const { found, cursor, counts } = await look(engine, asked)
    const total = counts && forPerson(counts)
    return {
      decisions: found.map(toDecision),
      ...defined({ cursor, counts, total }),
      summary: summaryOf(found.length, counts),
    }
  },
  render: ({ decisions: found, summary }) => [...found.map(decisionLines), summary].join('\n'),
})

type Asked = z.output<typeof input>
type Counts = Readonly<Record<z.output<typeof kind>, number>>

function look(engine: Engine, { id, ...asked }: Asked) {
  return engine.store.read(async (tx) => {
    const { at } = engine.session.moment((await tx.state()).clock)
    if (id !== undefined) return { found: [await requireDecision(engine, tx, id, at)] }
    const { decisions: found, cursor } = await readDecisions(engine, tx, { ...asked, at })
    const counts = asked.cursor === undefined ? await countDecisions(tx, at) : undefined
    return { found, cursor, counts }
  })
}

function summaryOf(shown: number, counts: Counts | undefined): string {
  if (counts === undefined) return `${count(shown, 'decision')}.`
  const total = forPerson(counts)
  return sentences(
    total === 0 ? 'No decision waits for the owner.' : `${waitingWords(total)}: decide() settles each.`,
    counts.perhaps_newer > 0 && `${count(counts.perhaps_newer, 'note')} may replace an older one.`,
  )
}

function toDecision(found: Decision): DecisionView {
  const { id, kind, at, by, first, second, proposal, mark } = found
  return {
    ...{ id, kind, sentence: decisionSentence(found), mark },
    ...defined({ at, by, first: first && toSide(first), second: second && toSide(second) }),
    ...(proposal && ofProposal(proposal, first?.block, found.before)),
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

/** Returns the change of a proposal; `replaced` are the words that it replaced when it was accepted. */
function ofProposal(
  { kind, target, content, sourceClass = 'user', reason, state, answer }: NonNullable<Decision['proposal']>,
  block: Block | undefined,
  replaced: string | undefined,
) {
  const [field, after] =
    kind === 'class' ? (['sourceClass', sourceClass] as const) : (['content', content] as const)
  const before = addsBlock(kind) || state !== 'open' ? replaced : block?.[field]
  return {
    ...(after !== undefined && { change: { field, after, ...defined({ blockId: target, before }) } }),
    ...{ state, ...defined({ reason, answer }) },
  }
}

/** A decision as lines of a list, with the whole of its texts. */
function decisionLines({
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
