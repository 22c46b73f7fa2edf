import * as z from 'zod'
import { count, defined } from '../../block/text.ts'
import {
  countDecisions,
  DECISION_KINDS,
  forPerson,
  readDecisions,
  requireDecision,
} from '../../dream/decisions.ts'
import type { Engine } from '../../engine/engine.ts'
import { PROPOSAL_STATES } from '../../graph/edge.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, waitingWords } from '../wording.ts'
import { decision, decisionLines, toDecision } from './decision-view.ts'

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
    whenNot: 'To judge blocks and pairs as the mind of a memory without a model: inbox().',
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
