import * as z from 'zod'
import { type Block, sourceName } from '../../block/block.ts'
import { count, defined, preview, shownEntry, shownLine } from '../../block/text.ts'
import { validityWords } from '../../block/validity.ts'
import type { Engine } from '../../engine/engine.ts'
import { relationFrom } from '../../graph/edge.ts'
import { inPast, type Looking, momentsOf, pastNote, requireThen } from '../../history/past.ts'
import { toldOperations } from '../../history/undo.ts'
import { readOutdated } from '../../intake/supersede.ts'
import { confidenceOf, fadeRule } from '../../outcome/formulas.ts'
import { givenBy, predictionWords } from '../../outcome/predictions.ts'
import { readBlocks, readGroundsOf } from '../../store/blocks.ts'
import { readLinks } from '../../store/graph.ts'
import { readOutcomes } from '../../store/log.ts'
import { readPredictions } from '../../store/predictions.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import { pairFoundBy, pairKind } from '../dream/inbox.ts'
import { archiveFloor, fading, toFading } from '../list/rules.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import {
  outdatedSentence,
  pastArguments,
  pastFields,
  toRestsOnOutdated,
  validitySentence,
} from '../schemas.ts'
import { section, sentences, shortId } from '../wording.ts'
import { edgeFields, toEdgeFields } from './graph.ts'

/** The most code points of another block's text. */
const PREVIEW = 80

const OUTCOMES_SHOWN = 10
const EDGES_SHOWN = 20
const QUESTIONS_SHOWN = 10
const OPERATIONS_SHOWN = 20

const input = z.object({
  blockId: schemas.blockId,
  edgeLimit: z
    .int()
    .min(1)
    .max(500)
    .default(EDGES_SHOWN)
    .describe('At most so many edges, the strongest first')
    .meta({ unlisted: true }),
  ...pastArguments,
})

/** The fields for another block and the beginning of its content. */
const joined = { other: z.string(), preview: z.string() }

/** The schema of a block that another rests on, or that rests on another. */
const ground = z.object({
  ...joined,
  foundBy: z.enum(['given', 'host']).describe('given: said with the text; host: said in a judgement'),
})

/** The schema of everything known about a block. */
const output = z.object({
  block: schemas.wholeBlock,
  ...fading,
  archiveFloor,
  belief: z.number().describe('Its belief for all questions, 0..1; .5 without reports'),
  prediction: z
    .object({
      by: z.string(),
      probability: z.number(),
      settledAt: z.string().optional(),
      cameTrue: z.boolean().optional().describe('Absent until it is settled'),
    })
    .optional()
    .describe('If it was remembered with expect'),
  questions: z
    .array(
      z.object({
        question: z.string().optional().describe('Absent for reports of which no question is known'),
        helped: z.number().describe('Sum of reports that it helped'),
        misled: z.number().describe('Reports that it was wrong or out of date, in whole or in part'),
        beside: z.number().describe('Reports that it was not about this question'),
      }),
    )
    .readonly()
    .describe('For which questions it helped or misled, the newest first, at most 10'),
  trust: schemas.trust,
  edges: z
    .array(z.object({ ...joined, ...edgeFields }))
    .readonly()
    .describe('The edgeLimit strongest, strongest first'),
  edgesTotal: z.int(),
  openPairs: z
    .array(z.object({ ...joined, kind: pairKind, score: z.number(), foundBy: pairFoundBy }))
    .readonly()
    .describe('Near-duplicates, proposed supersessions and contradictions to decide about with resolve'),
  outcomes: z
    .array(
      z.object({
        at: z.string(),
        signal: z.number(),
        weight: z.number(),
        source: z.string(),
        confidenceBefore: z.number(),
        confidenceAfter: z.number(),
      }),
    )
    .readonly()
    .describe('The last 10, newest first'),
  history: z
    .array(
      z.object({
        id: z.int().describe('The number that undo takes'),
        operation: z.string(),
        at: z.string(),
        actor: schemas.actor,
        summary: z.string(),
        reason: z.string().optional(),
        undoable: z.boolean().describe('True if undo may take it back'),
        undoneBy: z.int().optional().describe('The undo that took it back'),
      }),
    )
    .readonly()
    .describe('Its life: the last 20 operations on it, newest first; history({ blockId }) has all'),
  derivedFrom: z.array(ground).readonly().describe('The blocks it rests on'),
  restsOnIt: z.array(ground).readonly().describe('The blocks that rest on it, at most 20'),
  restsOnOutdated: schemas.restsOnOutdated.optional(),
  ...pastFields,
  summary: schemas.summary,
})

type Shown = z.output<typeof output>

/** Returns one block with its strongest edges, its open pairs, and the last reports and operations on it. */
export const show = defineScopedOperation({
  name: 'show',
  summary: 'Show everything known about one block.',
  guide: {
    when: 'You wonder why a block ranks as it does, what it is joined to, or what was done to it.',
    whenNot: 'To read many blocks use ls() or recall().',
    next: 'If something is wrong: edit(), forget(), resolve() or connect().',
    example: "const { block, edges, openPairs } = await memory.show({ blockId: '3f2a9c1e' })",
  },
  tools: 'agent',
  needs: 'reader',
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  refuses: ['NOT_FOUND', 'AMBIGUOUS_ID'],
  input,
  output,
  positionals: ['blockId'],
  run: (engine, { asOf, knownAt, ...asked }) =>
    inPast(engine, { asOf, knownAt }, (past) => lookAt(engine, past, asked)),
  render: renderShown,
})

/** Reads everything known about a block and what was done to it. Changes nothing; ten statements at most. */
async function lookAt(
  present: Engine,
  looking: Looking,
  { blockId, edgeLimit }: Omit<z.output<typeof input>, keyof typeof pastArguments>,
): Promise<Shown> {
  const { engine, knownAt } = looking
  const { experience } = engine
  const block = await requireThen(looking, blockId)
  const life = await present.store.read(async (tx) => {
    const until = knownAt === undefined ? {} : { until: justAfter(knownAt) }
    const records = await tx.queries.operations({ blockId: block.id, limit: OPERATIONS_SHOWN, ...until })
    return toldOperations(tx, records)
  })
  return engine.store.read(async (tx) => {
    const { edges, pairs } = await readLinks(tx, [block.id])
    const open = pairs.filter(({ resolved }) => !resolved)
    const shown = edges.slice(0, edgeLimit)
    const moment = present.session.moment((await tx.state()).clock)
    const otherOf = (one: string, two: string) => (one === block.id ? two : one)
    const own = await readGroundsOf(tx, [block.id])
    const others = (await readGroundsOf(tx, [block.id], 'ground')).slice(0, EDGES_SHOWN)
    const outdated = await readOutdated(tx, [block.id], looking.at ?? moment.at)
    const previews = await previewsOf(tx, [
      ...own.map(({ ground }) => ground),
      ...others.map(({ blockId: id }) => id),
      ...shown.map(({ from, to }) => otherOf(from, to)),
      ...open.map(({ a, b }) => otherOf(a, b)),
    ])
    const joinedTo = (other: string) => ({ other, preview: previews.get(other) ?? '' })
    const outcomes = await readOutcomes(tx, block.id, OUTCOMES_SHOWN)
    const [prediction] = await readPredictions(tx, [block.id])
    await experience.refresh(tx, engine.index.generation)
    const found = {
      block: schemas.toWholeBlock(block),
      ...toFading(engine, block, moment.hours),
      archiveFloor: fadeRule(engine.settings).floor,
      belief: (1 + experience.general(block.id)) / 2,
      ...(prediction && {
        prediction: {
          ...{ by: givenBy(prediction), probability: prediction.probability },
          ...defined({ settledAt: prediction.settledAt, cameTrue: prediction.cameTrue }),
        },
      }),
      questions: questionsAbout(experience, block.id),
      trust: experience.trust,
      edges: shown.map((edge) => ({ ...joinedTo(otherOf(edge.from, edge.to)), ...toEdgeFields(edge) })),
      edgesTotal: edges.length,
      openPairs: open.map(({ a, b, kind, score, foundBy }) => ({
        ...joinedTo(otherOf(a, b)),
        ...{ kind, score },
        ...defined({ foundBy }),
      })),
      derivedFrom: own.map(({ ground: id, foundBy }) => ({ ...joinedTo(id), foundBy })),
      restsOnIt: others.map(({ blockId: id, foundBy }) => ({ ...joinedTo(id), foundBy })),
      ...toRestsOnOutdated(outdated.get(block.id)),
      outcomes: outcomes.map(({ blockId: _blockId, ...outcome }) => outcome),
      history: life.map(({ id, operation, at, actor, summary, undoable, reason, undoneBy }) => ({
        ...{ id, operation, at, actor, summary, undoable, ...defined({ reason, undoneBy }) },
      })),
    }
    const summary = sentences(
      summaryOf(block, found),
      prediction && `It is ${predictionWords(prediction)}.`,
      outdatedSentence(outdated.get(block.id)),
      pastNote(looking),
    )
    return { ...found, ...momentsOf(looking), summary }
  })
}

/** The end of a stretch that holds a time. */
function justAfter(at: string): string {
  return new Date(Date.parse(at) + 1).toISOString()
}

/** Returns the questions for which a block helped or misled, the newest first. */
function questionsAbout(experience: Engine['experience'], blockId: string): Shown['questions'] {
  return [...experience.evidenceOf(blockId)]
    .map(([id, evidence]) => ({ asked: experience.question(id), evidence }))
    .sort((one, other) => (other.asked?.hours ?? -1) - (one.asked?.hours ?? -1))
    .slice(0, QUESTIONS_SHOWN)
    .map(({ asked, evidence: { helped, misled, graded, beside } }) => ({
      ...defined({ question: asked?.text }),
      ...{ helped, misled: misled + graded, beside },
    }))
}

async function previewsOf(tx: ReadTransaction, ids: readonly string[]): Promise<Map<string, string>> {
  const blocks = ids.length === 0 ? [] : await readBlocks(tx, [...new Set(ids)])
  return new Map(blocks.map(({ id, content }) => [id, preview(content, PREVIEW)]))
}

function summaryOf(
  block: Block,
  { edgesTotal, openPairs, outcomes }: Pick<Shown, 'edgesTotal' | 'openPairs' | 'outcomes'>,
): string {
  return sentences(
    `${shortId(block.id)} (${block.status}${block.archiveReason ? `, ${block.archiveReason}` : ''}, ${block.category}${block.scope === undefined ? '' : `, scope ${block.scope}`}):`,
    `said ${block.occurrences === undefined ? '' : `${block.occurrences.length + 1} times, first `}by ${shownLine(sourceName(block) ?? block.sourceClass)}, confidence ${confidenceOf(block).toFixed(2)}, ${count(edgesTotal, 'edge')}, ${count(outcomes.length, 'recent outcome')}.`,
    validitySentence(block),
    openPairs.length > 0 && `${count(openPairs.length, 'open pair')}: decide with resolve().`,
    block.tags.length > 0 && `Tags: ${preview(block.tags.join(', '), 80)}.`,
  )
}

/** Returns the cells of a ground in a table. */
function groundCells({ other, preview: text, foundBy }: z.output<typeof ground>): readonly string[] {
  return [foundBy, shortId(other), text]
}

/** Returns words in brackets; '' for no words. */
function aside(text: string | undefined): string {
  return text ? ` (${preview(shownLine(text), PREVIEW)})` : ''
}

/** Returns a time as `2026-03-01 09:30`, UTC. */
function minuteOf(at: string): string {
  return at.slice(0, 16).replace('T', ' ')
}

/** Returns a text with each id shortened. */
function withShortIds(text: string): string {
  return text.replaceAll(/\b[0-9a-f]{16}\b/g, shortId)
}

/** Returns when the block will be archived because it fades. */
function whenArchived({ archivedAfterHours: hours, archiveFloor }: Omit<Shown, 'block'>): string {
  if (hours === undefined) return 'it is not archived for fading'
  const when = hours === 0 ? 'at the next curation' : `after ${Math.ceil(hours)} active hours without use`
  return `archived ${when}, when less than ${archiveFloor} is left, unless it holds the graph together`
}

/** The block, then what it is joined to, what was reported and what was done to it, each in columns under a heading. */
function renderShown({ block, ...told }: Shown): string {
  const { edges, edgesTotal, summary } = told
  const more = edgesTotal > edges.length ? ` (the strongest ${edges.length} of ${edgesTotal})` : ''
  return [
    shownEntry(block.content),
    '',
    summary,
    `Fresh ${told.freshness.toFixed(2)}, ${told.tier}: ${whenArchived(told)}.`,
    ...(block.cue === undefined ? [] : [`Cue: ${shownLine(block.cue)}`]),
    ...section(
      'Said again:',
      (block.occurrences ?? []).map(({ at, sourceClass, source, session }) => [
        minuteOf(at),
        shownLine(sourceName({ sourceClass, ...defined({ source }) }) ?? sourceClass),
        shownLine(session),
      ]),
    ),
    ...section(
      `Joined to${more}:`,
      edges.map(({ relation, declaredBy, weight, other, preview: text, note, validFrom, validUntil }) => [
        relationFrom(block.id, { relation, ...defined({ declaredBy }) }),
        weight.toFixed(2),
        shortId(other),
        `${text}${aside(note)}${aside(validityWords({ validFrom, validUntil }))}`,
      ]),
    ),
    ...section(
      'To decide with resolve:',
      told.openPairs.map(({ kind, score, foundBy, other, preview: text }) => [
        kind.replaceAll('_', ' '),
        score.toFixed(2),
        shortId(other),
        `${text}${aside(foundBy && `found by ${foundBy}`)}`,
      ]),
    ),
    ...section('Rests on:', told.derivedFrom.map(groundCells)),
    ...section('Resting on it:', told.restsOnIt.map(groundCells)),
    ...section(
      `Asked (feedback weight ${told.trust.toFixed(2)}):`,
      told.questions.map(({ question = '(no question known)', helped, misled, beside }) => [
        `helped ${helped.toFixed(1)}`,
        `misled ${misled.toFixed(1)}`,
        `beside ${beside.toFixed(1)}`,
        preview(shownLine(question), PREVIEW),
      ]),
    ),
    ...section(
      'Reported:',
      told.outcomes.map(({ at, signal, weight, source, confidenceBefore, confidenceAfter }) => [
        minuteOf(at),
        // A block that misled loses confidence. A principle keeps it, and the report has no weight.
        signal === 0 && weight > 0 && confidenceAfter === confidenceBefore
          ? 'beside the point'
          : `signal ${signal.toFixed(2)}`,
        `confidence ${confidenceBefore.toFixed(2)} to ${confidenceAfter.toFixed(2)}`,
        preview(shownLine(source), PREVIEW),
      ]),
    ),
    ...section(
      'Done to it, newest first (undo takes the number of what has a *):',
      told.history.map(({ id, at, actor, operation, summary: what, reason, undoable, undoneBy }) => [
        `${undoable ? '*' : ' '}${id}`,
        minuteOf(at),
        actor,
        operation,
        `${withShortIds(what)}${aside(reason)}${undoneBy === undefined ? '' : ` [undone by ${undoneBy}]`}`,
      ]),
    ),
  ].join('\n')
}
