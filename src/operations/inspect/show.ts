import * as z from 'zod'
import type { Block } from '../../domain/block/block.ts'
import { validityWords } from '../../domain/block/validity.ts'
import { shownEntry, shownLine } from '../../domain/safety/visible.ts'
import { confidenceOf } from '../../domain/score/experience.ts'
import { count, defined, preview } from '../../domain/text/text.ts'
import type { Engine } from '../../flow/engine/engine.ts'
import { inPast, type Looking, momentsOf, pastNote, requireThen } from '../../flow/past/in-past.ts'
import { told, undoneBy } from '../../flow/undo/undone.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { pastArguments, pastFields, validityOfEdge, validitySentence } from '../validity.ts'
import { sentences, shortId } from '../wording.ts'
import { aside, minuteOf, PREVIEW, section, withShortIds } from './show-text.ts'

const OUTCOMES_SHOWN = 10
const EDGES_SHOWN = 20
const QUESTIONS_SHOWN = 10
const OPERATIONS_SHOWN = 20

/** Another block, and the beginning of its content. */
const joined = { other: z.string(), preview: z.string() }

const output = z.object({
  block: schemas.wholeBlock,
  belief: z
    .number()
    .describe('What ranking believes of it whatever is asked, 0..1; .5 when nothing was reported'),
  questions: z
    .array(
      z.object({
        question: z.string().optional().describe('Absent for reports of which no question is known'),
        helped: z.number().describe('Sum of reports that it helped'),
        misled: z.number().describe('That it was wrong or out of date, in whole or in part'),
        beside: z.number().describe('That it was not about this question'),
      }),
    )
    .readonly()
    .describe('For which questions it helped or misled, the newest first, at most 10'),
  trust: schemas.trust,
  edges: z
    .array(
      z.object({
        ...joined,
        relation: z.string(),
        origin: z.string(),
        weight: z.number(),
        reinforcementCount: z.int(),
        note: z.string().optional(),
        ...validityOfEdge,
      }),
    )
    .readonly()
    .describe('The strongest, at most 20'),
  edgesTotal: z.int(),
  openPairs: z
    .array(
      z.object({
        ...joined,
        kind: z.string().describe('near_duplicate, supersession or contradiction'),
        score: z.number(),
        foundBy: z
          .string()
          .optional()
          .describe('similarity, model, host, agent, owner, hint (remember with supersedes) or a rule'),
      }),
    )
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
        id: z.int().describe('What undo takes'),
        operation: z.string(),
        at: z.string(),
        actor: schemas.actor,
        summary: z.string(),
        reason: z.string().optional(),
        undoable: z.boolean().describe('Whether undo may take it back'),
        undoneBy: z.int().optional().describe('The undo that took it back'),
      }),
    )
    .readonly()
    .describe('Its life: the last 20 operations on it, newest first; history({ blockId }) has all'),
  ...pastFields,
  summary: schemas.summary,
})

export const show = defineScopedOperation({
  name: 'show',
  summary: 'Show everything known about one block.',
  guide: {
    when: 'You want to know why a block ranks as it does, what it is joined to, or what was done to it.',
    whenNot: 'To read many blocks: ls or recall.',
    next: 'edit, forget, resolve or connect, if something is wrong.',
    example: "const { block, edges, openPairs } = await memory.show({ blockId: '3f2a9c1e' })",
  },
  needs: 'reader',
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  input: z.object({ blockId: schemas.blockId, ...pastArguments }),
  output,
  positionals: ['blockId'],
  run: (engine, { blockId, ...moments }) =>
    inPast(engine, { ...moments, extent: 'graph' }, (past) => lookAt(engine, past, blockId)),
  render: renderShown,
})

type Shown = z.output<typeof output>

/** Everything known about one block, what was done to it up to now. Changes nothing; eight statements. */
async function lookAt(present: Engine, looking: Looking, blockId: string): Promise<Shown> {
  const { engine, knownAt } = looking
  const { experience } = engine
  const block = await requireThen(present, looking, blockId)
  const life = await present.store.read(async (tx) => {
    const undone = await undoneBy(tx)
    const until = knownAt === undefined ? {} : { until: justAfter(knownAt) }
    return (await tx.operations({ blockId: block.id, limit: OPERATIONS_SHOWN, ...until })).map((record) =>
      told(record, undone),
    )
  })
  return engine.store.read(async (tx) => {
    const { edges, pairs } = await tx.links([block.id])
    const open = pairs.filter(({ resolved }) => !resolved)
    const shown = edges.slice(0, EDGES_SHOWN)
    const otherOf = (one: string, two: string) => (one === block.id ? two : one)
    const previews = await previewsOf(tx, [
      ...shown.map(({ from, to }) => otherOf(from, to)),
      ...open.map(({ a, b }) => otherOf(a, b)),
    ])
    const joinedTo = (other: string) => ({ other, preview: previews.get(other) ?? '' })
    const outcomes = await tx.outcomes(block.id, OUTCOMES_SHOWN)
    await experience.refresh(tx, engine.index.generation)
    const found = {
      block: schemas.toWholeBlock(block),
      belief: (1 + experience.general(block.id)) / 2,
      questions: questionsAbout(experience, block.id),
      trust: experience.trust,
      edges: shown.map(({ from, to, relation, origin, weight, reinforcementCount, ...edge }) => ({
        ...joinedTo(otherOf(from, to)),
        ...{ relation, origin, weight, reinforcementCount },
        ...defined({ note: edge.note, validFrom: edge.validFrom, validUntil: edge.validUntil }),
      })),
      edgesTotal: edges.length,
      openPairs: open.map(({ a, b, kind, score, foundBy }) => ({
        ...joinedTo(otherOf(a, b)),
        ...{ kind, score },
        ...defined({ foundBy }),
      })),
      outcomes: outcomes.map(({ blockId: _blockId, ...outcome }) => outcome),
      history: life.map(({ id, operation, at, actor, summary, reason, undoable, undoneBy: by }) => ({
        ...{ id, operation, at, actor, summary, ...defined({ reason }) },
        ...{ undoable, ...defined({ undoneBy: by }) },
      })),
    }
    const summary = sentences(summaryOf(block, found), pastNote(looking))
    return { ...found, ...momentsOf(looking), summary }
  })
}

/** The end of a stretch that holds a moment. */
function justAfter(at: string): string {
  return new Date(Date.parse(at) + 1).toISOString()
}

/** For which questions a block helped or misled, the newest first. */
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

async function previewsOf(tx: StoreReader, ids: readonly string[]): Promise<Map<string, string>> {
  const blocks = ids.length === 0 ? [] : await tx.blocks([...new Set(ids)])
  return new Map(blocks.map(({ id, content }) => [id, preview(content, PREVIEW)]))
}

/** Who speaks: `agent`, or `tool (grep)`. */
function sourceWords({ sourceClass, source }: Block): string {
  return source === undefined || source === sourceClass ? sourceClass : `${sourceClass} (${source})`
}

function summaryOf(
  block: Block,
  { edgesTotal, openPairs, outcomes }: Pick<Shown, 'edgesTotal' | 'openPairs' | 'outcomes'>,
): string {
  return sentences(
    `${shortId(block.id)} (${block.status}${block.archiveReason ? `, ${block.archiveReason}` : ''}, ${block.category}${block.scope === undefined ? '' : `, scope ${block.scope}`}):`,
    `said by ${sourceWords(block)}, confidence ${confidenceOf(block).toFixed(2)}, ${count(edgesTotal, 'edge')}, ${count(outcomes.length, 'recent outcome')}.`,
    validitySentence(schemas.toWholeBlock(block)),
    openPairs.length > 0 && `${count(openPairs.length, 'open pair')}: decide with resolve.`,
    block.tags.length > 0 && `Tags: ${preview(block.tags.join(', '), 80)}.`,
  )
}

/** The block, then what it is joined to, what was reported and what was done to it, each in columns under a heading. */
function renderShown({
  block,
  edges,
  edgesTotal,
  openPairs,
  outcomes,
  questions,
  trust,
  history,
  summary,
}: Shown): string {
  const more = edgesTotal > edges.length ? ` (the strongest ${edges.length} of ${edgesTotal})` : ''
  return [
    shownEntry(block.content),
    '',
    summary,
    ...(block.cue === undefined ? [] : [`Cue: ${block.cue}`]),
    ...section(
      `Joined to${more}:`,
      edges.map(({ relation, weight, other, preview: text, note, validFrom, validUntil }) => [
        relation,
        weight.toFixed(2),
        shortId(other),
        `${text}${aside(note)}${aside(validityWords({ validFrom, validUntil }))}`,
      ]),
    ),
    ...section(
      'To decide with resolve:',
      openPairs.map(({ kind, score, foundBy, other, preview: text }) => [
        kind.replaceAll('_', ' '),
        score.toFixed(2),
        shortId(other),
        `${text}${aside(foundBy && `found by ${foundBy}`)}`,
      ]),
    ),
    ...section(
      `Asked (${schemas.trustWords(trust)}):`,
      questions.map(({ question = '(no question known)', helped, misled, beside }) => [
        `helped ${helped.toFixed(1)}`,
        `misled ${misled.toFixed(1)}`,
        `beside ${beside.toFixed(1)}`,
        preview(shownLine(question), PREVIEW),
      ]),
    ),
    ...section(
      'Reported:',
      outcomes.map(({ at, signal, source, confidenceBefore, confidenceAfter }) => [
        minuteOf(at),
        // Of what misled the confidence falls.
        signal === 0 && confidenceAfter === confidenceBefore
          ? 'beside the point'
          : `signal ${signal.toFixed(2)}`,
        `confidence ${confidenceBefore.toFixed(2)} to ${confidenceAfter.toFixed(2)}`,
        preview(source, PREVIEW),
      ]),
    ),
    ...section(
      'Done to it, newest first (undo takes the number of what has a *):',
      history.map(({ id, at, actor, operation, summary: what, reason, undoable, undoneBy }) => [
        `${undoable ? '*' : ' '}${id}`,
        minuteOf(at),
        actor,
        operation,
        `${withShortIds(what)}${aside(reason)}${undoneBy === undefined ? '' : ` [undone by ${undoneBy}]`}`,
      ]),
    ),
  ].join('\n')
}
