import * as z from 'zod'
import type { Block } from '../../block/block.ts'
import { defined, shortened, shownEntry } from '../../block/text.ts'
import type { Engine } from '../../engine/engine.ts'
import { inPast, type Looking, requireThen } from '../../history/past.ts'
import { requireBlock } from '../../intake/check-input.ts'
import { absenceOf, explain } from '../../recall/explain.ts'
import { type RecallAnswer, recall as runRecall } from '../../recall/recall.ts'
import { defineOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'
import {
  candidate,
  REASONS,
  type Reason,
  reasonWords,
  rounded,
  ruleWords,
  scoreWords,
  toCandidates,
} from './candidates.ts'
import { recall } from './recall.ts'

/** The most code points of the block in a text. */
const WORDS_MOST = 1_000

const asked = recall.input.shape

const output = z.object({
  block: schemas.wholeBlock.describe('The block asked about'),
  shown: candidate.shape.shown,
  reason: z
    .enum(Object.keys(REASONS) as [Reason, ...Reason[]])
    .optional()
    .describe('Why it is no entry; pool: never weighed, since others match better'),
  under: candidate.shape.under,
  candidate: candidate.optional().describe('Absent of what is no candidate'),
  limit: candidate.shape.limit,
  filters: z.array(z.string()).readonly().optional().describe('Conditions that it does not meet'),
  candidatesTotal: z.int().describe('Candidates of the question'),
  match: recall.output.shape.match,
  probability: recall.output.shape.probability,
  suggestion: z.string().optional().describe('What would bring it'),
  summary: schemas.summary,
})

type Why = z.output<typeof output>

/** Explains the place of one block in the answer to a question. Changes nothing. */
export const why = defineOperation({
  name: 'why',
  summary: 'Explain why a question brings a block or does not, and what would.',
  guide: {
    when: 'recall did not bring the block that you expected, or brought one that you did not.',
    whenNot:
      'For all candidates at once use recall() with explain. For all that is known of a block use show().',
    next: 'What the suggestion says: recall() with another limit, edit() for its cue, outcome(), resolve() or restore().',
    example: "await memory.why({ query: 'which port does staging use', block: '3f2a9c1e' })",
  },
  tools: 'all',
  needs: 'reader',
  effect: 'read',
  cost: 'embedding',
  idempotent: true,
  refuses: ['NOT_FOUND', 'AMBIGUOUS_ID'],
  input: z.object({
    query: schemas.question.describe('The question as recall gets it'),
    block: schemas.blockId.describe('The block, by its id; ls() with words finds it'),
    ...{ frame: asked.frame, limit: asked.limit, tags: asked.tags, category: asked.category },
    ...{ session: asked.session, minStrength: asked.minStrength, tokenBudget: asked.tokenBudget },
    ...{ without: asked.without, classes: asked.classes, asOf: asked.asOf, knownAt: asked.knownAt },
    scope: schemas.scope.optional(),
  }),
  output,
  positionals: ['query', 'block'],
  run: (engine, { block: id, scope, asOf, knownAt, limit: topK, ...question }, context) => {
    const within = scope === undefined ? engine : engine.within(scope)
    return inPast(within, { asOf, knownAt }, async (looking) => {
      const { engine: then, at } = looking
      const look = { topK, ...defined({ at }), reinforce: false, suggest: false } as const
      const answer = await runRecall(then, { ...question, ...look }, context)
      const candidates = toCandidates(await explain(then, answer))
      const block = await meant(engine, looking, id)
      const found = candidates.find((each) => each.id === block.id)
      const { shown, reason, under, limit, filters }: Place = found ?? absent(block, then, answer)
      const place = defined({ shown, reason, under, limit, filters })
      return {
        block: schemas.toWholeBlock(block),
        ...place,
        ...defined({ candidate: found, suggestion: reason && `To bring it: ${REASONS[reason][1]}.` }),
        candidatesTotal: candidates.length,
        match: answer.quality,
        ...(answer.asked && { probability: rounded(answer.asked.probability) }),
        summary: summaryOf(block, { ...place, candidate: found }, candidates.length),
      }
    })
  },
  render: ({ block, summary, suggestion, candidate: found }) =>
    [
      shownEntry(shortened(block.content, WORDS_MOST)),
      '',
      summary,
      ...(suggestion === undefined ? [] : [suggestion]),
      ...(found === undefined ? [] : [scoreWords(found)]),
    ].join('\n'),
})

/** Returns a block, also one outside of the scope that was asked; throws `NOT_FOUND` if it was not there then. */
async function meant(engine: Engine, looking: Looking, id: string): Promise<Block> {
  const block = await engine.store.read((tx) => requireBlock(tx, id))
  const { scope } = looking.engine
  const isElsewhere = scope !== undefined && scope !== block.scope
  return isElsewhere || looking.at === undefined ? block : requireThen(looking, block.id)
}

type Place = Pick<Why, 'shown' | 'reason' | 'under' | 'limit' | 'filters'>

/** Returns the place of a block that is no candidate: a version of an entry, an objection to one, or none at all. */
function absent(block: Block, then: Engine, answer: RecallAnswer): Place {
  if (then.scope !== undefined && block.scope !== then.scope) return { reason: 'scope' }
  for (const entry of answer.shown) {
    const version = entry.versions.find((each) => each.block.id === block.id)
    if (version)
      return { shown: 'version', reason: 'version', under: { id: entry.block.id, why: version.why } }
  }
  const objection = answer.counterpoints.find((each) => each.block.id === block.id)
  if (objection) return { shown: 'counterpoint', under: { id: objection.to.id, why: 'objects' } }
  return absenceOf(then, block, answer)
}

const SHOWN = {
  entry: 'is shown',
  version: 'is shown under another',
  counterpoint: 'is shown as an objection',
}

/** Returns whether a block is shown, its place, the reason, and the rules that moved it. */
function summaryOf(
  { id, supersededBy }: Block,
  { shown, reason, under, filters, limit, candidate: found }: Place & Pick<Why, 'candidate'>,
  of: number,
): string {
  const by = supersededBy === undefined ? undefined : ({ id: supersededBy, why: 'superseded' } as const)
  const why = reasonWords({ reason, under: under ?? (reason === 'archived' ? by : undefined) })
  const rules = found && ruleWords(found)
  return sentences(
    `${shortId(id)} ${shown === undefined ? 'is not shown' : SHOWN[shown]}${found ? `, number ${found.number} of ${of} candidates` : ''}${why && `: ${why}`}.`,
    filters && `Filters: ${filters.join('; ')}.`,
    rules && `Rules: ${rules}.`,
    limit !== undefined && `A limit of ${limit} has a place for it.`,
  )
}
