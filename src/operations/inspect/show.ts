import * as z from 'zod'
import type { Block } from '../../block/block.ts'
import { count, defined, preview, shownLine } from '../../block/text.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Edge } from '../../graph/edge.ts'
import { inPast, type Looking, momentsOf, pastNote, requireThen } from '../../history/past.ts'
import { toldOperations } from '../../history/undo.ts'
import { readOutdated } from '../../intake/supersede.ts'
import { confidenceOf, fadeRule } from '../../outcome/formulas.ts'
import { predictionWords } from '../../outcome/predictions.ts'
import { readBlocks, readGroundsOf } from '../../store/blocks.ts'
import { readLinks } from '../../store/graph.ts'
import { readOutcomes } from '../../store/log.ts'
import { readPredictions } from '../../store/predictions.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import { toFading } from '../list/details.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import {
  outdatedSentence,
  pastArguments,
  toGrounds,
  toRestsOnOutdated,
  validitySentence,
} from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'
import { PREVIEW, renderShown } from './show-text.ts'
import { type Shown, shown, toPrediction } from './shown.ts'

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
  edgeOffset: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(0)
    .describe('So many of the strongest are passed over, for the next page')
    .meta({ unlisted: true }),
  ...pastArguments,
})

/** Returns one block with a page of its edges, its open pairs, and the last reports and operations on it. */
export const show = defineScopedOperation({
  name: 'show',
  summary: 'Show everything known about one block.',
  guide: {
    when: 'You wonder why a block ranks as it does, what it is joined to, or what was done to it.',
    whenNot: 'To read many blocks: ls() or recall().',
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
  output: shown,
  positionals: ['blockId'],
  run: (engine, { asOf, knownAt, ...asked }) =>
    inPast(engine, { asOf, knownAt }, (past) => lookAt(engine, past, asked)),
  render: renderShown,
})

/** Reads everything known about a block and what was done to it. Changes nothing; ten statements at most. */
async function lookAt(
  present: Engine,
  looking: Looking,
  { blockId, edgeLimit, edgeOffset }: Omit<z.output<typeof input>, keyof typeof pastArguments>,
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
    const shown = edges.slice(edgeOffset, edgeOffset + edgeLimit)
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
      ...(prediction && { prediction: toPrediction(prediction) }),
      questions: questionsAbout(experience, block.id),
      trust: experience.trust,
      edges: shown.map((edge) => ({ ...joinedTo(otherOf(edge.from, edge.to)), ...toShownEdge(edge) })),
      ...{ edgesTotal: edges.length, edgeOffset },
      openPairs: open.map(({ a, b, kind, score, foundBy }) => ({
        ...joinedTo(otherOf(a, b)),
        ...{ kind, score },
        ...defined({ foundBy }),
      })),
      ...toGrounds({ own, others }, (id) => previews.get(id) ?? ''),
      ...toRestsOnOutdated(outdated.get(block.id)),
      outcomes: outcomes.map(({ blockId: _blockId, ...outcome }) => outcome),
      history: life.map(({ id, operation, at, actor, summary, reason, undoable, undoneBy: by }) => ({
        ...{ id, operation, at, actor, summary, ...defined({ reason }) },
        ...{ undoable, ...defined({ undoneBy: by }) },
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

/** The fields of an edge, without its ends. */
function toShownEdge({ relation, origin, weight, reinforcementCount, createdAt, ...edge }: Edge) {
  const { note, declaredBy, validFrom, validUntil } = edge
  return {
    ...{ relation, origin, weight, reinforcementCount, createdAt },
    ...defined({ note, declaredBy, validFrom, validUntil }),
  }
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

/** Returns who speaks: `agent`, or `tool (grep)`. */
function sourceWords({ sourceClass, source }: Block): string {
  return source === undefined || source === sourceClass
    ? sourceClass
    : `${sourceClass} (${shownLine(source)})`
}

function summaryOf(
  block: Block,
  { edgesTotal, openPairs, outcomes }: Pick<Shown, 'edgesTotal' | 'openPairs' | 'outcomes'>,
): string {
  return sentences(
    `${shortId(block.id)} (${block.status}${block.archiveReason ? `, ${block.archiveReason}` : ''}, ${block.category}${block.scope === undefined ? '' : `, scope ${block.scope}`}):`,
    `said ${block.occurrences === undefined ? '' : `${block.occurrences.length + 1} times, first `}by ${sourceWords(block)}, confidence ${confidenceOf(block).toFixed(2)}, ${count(edgesTotal, 'edge')}, ${count(outcomes.length, 'recent outcome')}.`,
    validitySentence(schemas.toWholeBlock(block)),
    openPairs.length > 0 && `${count(openPairs.length, 'open pair')}: decide with resolve().`,
    block.tags.length > 0 && `Tags: ${preview(block.tags.join(', '), 80)}.`,
  )
}
