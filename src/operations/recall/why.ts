import * as z from 'zod'
import { type Block, firstId, otherIds } from '../../block/block.ts'
import {
  defined,
  normaliseContent,
  preview,
  shortened,
  shortName,
  shownEntry,
  shownLine,
} from '../../block/text.ts'
import type { Engine } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { inPast, type Looking, requireThen } from '../../history/past.ts'
import { ID_PREFIX_MIN, notFound, resolveIds } from '../../intake/check-input.ts'
import { HOLDERS_MOST } from '../../intake/supersede.ts'
import { absenceOf, explain } from '../../recall/explain.ts'
import { type RecallAnswer, recall as runRecall } from '../../recall/recall.ts'
import { readBlocks } from '../../store/blocks.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import { defineOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { shortId } from '../wording.ts'
import {
  bringingWords,
  type CandidateView,
  candidate,
  candidateLines,
  rounded,
  scoreWords,
  type Told,
  toCandidates,
  whyWords,
} from './candidates.ts'
import { recall } from './recall.ts'

/** The most code points of the block in a text. */
const WORDS_MOST = 1_000

const asked = recall.input.shape

const output = z.object({
  block: schemas.wholeBlock.optional().describe('The block asked about'),
  shown: candidate.shape.shown,
  reason: z
    .enum([...candidate.shape.reason.unwrap().options, 'pool', 'archived', 'scope', 'filtered', 'no_vector'])
    .optional()
    .describe('Why it is no entry; the last five of what is no candidate at all; pool: never weighed'),
  under: candidate.shape.under,
  candidate: candidate.optional().describe('Absent of what is no candidate'),
  short: candidate.shape.short.optional(),
  filters: z
    .array(
      z.object({
        name: z
          .enum(['include', 'exclude', 'classes', 'sessionOnly', 'tags', 'category', 'session'])
          .describe('The first four are conditions of the frame'),
        values: z.array(z.string()).readonly().describe('What it asks for, or leaves out'),
      }),
    )
    .readonly()
    .optional()
    .describe('Conditions that it does not meet, of the frame first'),
  candidates: z.array(candidate).optional().describe('All of them; only without a block'),
  candidatesTotal: z.int().describe('Candidates of the question'),
  match: recall.output.shape.match,
  probability: recall.output.shape.probability,
  suggestion: z.string().optional().describe('What would bring it'),
  summary: schemas.summary,
})

type Why = z.output<typeof output>

/** Explains the place of one block in the answer to a question, or of every candidate. Changes nothing. */
export const why = defineOperation({
  name: 'why',
  summary: 'Explain why a question brings a block or does not, and what would.',
  guide: {
    when: 'recall did not bring what you expected, or brought what you did not.',
    whenNot: 'You want the answer: recall(). What is known of a block whatever is asked: show().',
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
    block: schemas.question
      .trim()
      .min(1)
      .optional()
      .describe('An id, a beginning of one, or words of the block that no other has; all when left out'),
    ...{ frame: asked.frame, limit: asked.limit, tags: asked.tags, category: asked.category },
    ...{ session: asked.session, minStrength: asked.minStrength, tokenBudget: asked.tokenBudget },
    ...{ without: asked.without, classes: asked.classes, asOf: asked.asOf, knownAt: asked.knownAt },
    scope: schemas.scope.optional(),
  }),
  output,
  positionals: ['query', 'block'],
  run: (engine, { block: given, scope, asOf, knownAt, limit: topK, ...question }, context) => {
    const within = scope === undefined ? engine : engine.within(scope)
    return inPast(within, { asOf, knownAt }, async (looking) => {
      const { engine: then, at } = looking
      const request = { ...question, topK, ...(at === undefined ? {} : { at }) }
      const look = { reinforce: false, suggest: false } as const
      const answer = await runRecall(then, { ...request, ...look }, context)
      const candidates = toCandidates(await explain(then, answer))
      const known = {
        candidatesTotal: candidates.length,
        match: answer.quality,
        ...(answer.asked && { probability: rounded(answer.asked.probability) }),
      }
      if (given === undefined) return { ...known, ...listed(question.frame, candidates) }
      const block = await meant(given, looking, engine)
      return {
        ...known,
        ...(await explained(block, { then, answer, candidates, frame: question.frame })),
      }
    })
  },
  render: (answer) => (answer.block === undefined ? listText(answer) : blockText(answer, answer.block)),
})

/** The block where it was looked for, or else in all that the caller sees; throws `NOT_FOUND`, also of what was not there then. */
async function meant(given: string, looking: Looking, whole: Engine): Promise<Block> {
  const { engine: then, at } = looking
  for (const engine of new Set([then, whole])) {
    const found = await engine.store.read(async (tx) => {
      await engine.index.refresh(tx)
      return blockMeant(engine, tx, given, engine.scope ?? then.scope)
    })
    if (found === undefined) continue
    const mayBeThere = then.scope === undefined || then.scope === found.scope
    return engine !== then && at !== undefined && mayBeThere ? requireThen(looking, found.id) : found
  }
  throw notFound([given])
}

interface Looked {
  readonly then: Engine
  readonly answer: RecallAnswer
  readonly candidates: readonly CandidateView[]
  readonly frame: string
}

async function explained(
  block: Block,
  { then, answer, candidates, frame }: Looked,
): Promise<Pick<Why, 'block' | 'suggestion' | 'summary'>> {
  const found = candidates.find(({ id }) => id === block.id)
  const isElsewhere = then.scope !== undefined && block.scope !== then.scope
  const fields =
    found !== undefined
      ? { ...placeOf(found), candidate: found }
      : isElsewhere
        ? { reason: 'scope' as const }
        : (standing(block.id, answer) ?? absenceOf(then, block, answer))
  const { archiveReason, supersededBy, scope, id } = block
  const beyond = candidates.flatMap(({ reason, short }) => (reason === 'top_k' ? [short.limit ?? 1] : []))
  const told: Told = {
    ...fields,
    ...{ id, frame, of: candidates.length, places: Math.min(...beyond) - 1 },
    ...{ archiveReason, supersededBy, scope },
  }
  return {
    block: schemas.toWholeBlock(block),
    ...fields,
    ...defined({ suggestion: bringingWords(told) || undefined }),
    summary: whyWords(told),
  }
}

function placeOf({ shown, reason, under, short }: CandidateView) {
  return { ...defined({ shown, reason, under }), short }
}

/** The place of what stands in the text though it was not found: a version of an entry, or an objection to one. */
function standing(id: string, { shown: blocks, counterpoints }: RecallAnswer) {
  for (const { block, versions } of blocks) {
    const version = versions.find((each) => each.block.id === id)
    if (version)
      return {
        ...{ shown: 'version' as const, reason: 'version' as const },
        under: { id: block.id, why: version.why },
      }
  }
  const objection = counterpoints.find(({ block }) => block.id === id)
  return (
    objection && {
      shown: 'counterpoint' as const,
      under: { id: objection.to.id, why: 'objects' as const },
    }
  )
}

function listed(frame: string, candidates: readonly CandidateView[]): Pick<Why, 'candidates' | 'summary'> {
  const shown = candidates.filter((each) => each.shown === 'entry').length
  return {
    candidates: [...candidates],
    summary: `${frame}: ${shown} of ${candidates.length} candidates shown.`,
  }
}

function listText({ candidates = [], summary }: Why): string {
  return [...candidateLines(candidates), '', summary].join('\n').trim()
}

/** The words of the block, why it is shown or not, what would bring it, and the terms of its score. */
function blockText({ summary, suggestion, candidate: found }: Why, block: { readonly content: string }) {
  const path = found?.path
  return [
    shownEntry(shortened(block.content, WORDS_MOST)),
    '',
    summary,
    ...(suggestion === undefined ? [] : [suggestion]),
    ...(path
      ? [`An edge brought it: ${path.relation} ${path.weight.toFixed(2)} of ${shortId(path.seed)}.`]
      : []),
    ...(found === undefined ? [] : [scoreWords(found)]),
  ].join('\n')
}

const ID_BEGINNING = new RegExp(`^[0-9a-f]{${ID_PREFIX_MIN},64}$`)
/** Hexadecimal digits from which a text is surely an id and no word. */
const ID_SURELY = 8
/** Most blocks that are named where words lead to several, and the length of their previews. */
const NAMED_MOST = 5
const PREVIEW = 60

/**
 * The one block that somebody means by its id, a beginning of it, or some of its words in any order; undefined if there is none.
 * Throws `AMBIGUOUS_ID` with the first of several. An archived block is found by its id or its whole text. The index must be
 * refreshed; three statements at most.
 */
async function blockMeant(
  { index, ids }: Pick<Engine, 'index' | 'ids'>,
  tx: ReadTransaction,
  given: string,
  scope?: string,
): Promise<Block | undefined> {
  const said = given.trim()
  if (ID_BEGINNING.test(said)) {
    const known = (await resolveIds(tx, [said])).ids
    if (known.length > 0 || said.length >= ID_SURELY) return (await readBlocks(tx, known))[0]
  }
  const { terms } = index.read(said)
  const holding = terms.length === 0 ? [] : index.holding(terms, HOLDERS_MOST)
  const blocks = await readBlocks(tx, holding ?? [])
  const words = normaliseContent(said)
  const exact = blocks.filter(({ content }) => normaliseContent(content).includes(words))
  const meant = exact.length > 0 ? exact : blocks
  if (holding !== undefined && meant.length === 1) return meant[0]
  if (holding === undefined || meant.length > 1) {
    const named = meant.slice(0, NAMED_MOST)
    const previews = named.map(
      ({ id, content }) => `${id.slice(0, 8)} ("${preview(shownLine(content), PREVIEW)}")`,
    )
    const number = holding === undefined ? `More than ${HOLDERS_MOST}` : String(meant.length)
    throw new ElfmemError(
      'AMBIGUOUS_ID',
      `${number} blocks have the words "${shortName(shownLine(said))}".`,
      {
        recovery: `Give the id of one, or more of its words${named.length > 0 ? `: ${previews.join(', ')}` : ''}.`,
        details: { prefix: said, candidates: named.map(({ id }) => id) },
      },
    )
  }
  const text = { content: given, ...defined({ scope }) }
  const lives = await readBlocks(tx, [firstId(text, ids.sha256), ...otherIds(text, ids.sha256)])
  return lives.find(({ content }) => normaliseContent(content) === words)
}
