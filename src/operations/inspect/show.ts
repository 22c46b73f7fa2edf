import * as z from 'zod'
import type { Block } from '../../domain/block/block.ts'
import { count } from '../../domain/text/count.ts'
import { preview } from '../../domain/text/text.ts'
import { show as run, type ShowResult } from '../../flow/inspect/show.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'
import { renderShown } from './show-text.ts'

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
  input: z.object({ blockId: schemas.blockId }),
  output: z.object({
    block: schemas.wholeBlock,
    belief: z.number().describe('What ranking believes of it, 0..1'),
    edges: z
      .array(
        z.object({
          other: z.string(),
          preview: z.string(),
          relation: z.string(),
          origin: z.string(),
          weight: z.number(),
          reinforcementCount: z.int(),
          note: z.string().optional(),
        }),
      )
      .readonly()
      .describe('The strongest, at most 20'),
    edgesTotal: z.int(),
    openPairs: z
      .array(
        z.object({
          other: z.string(),
          preview: z.string(),
          kind: z.string().describe('near_duplicate, supersession or contradiction'),
          score: z.number(),
          foundBy: z
            .string()
            .optional()
            .describe('similarity, model, host, agent, hint (remember with supersedes) or a rule'),
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
          actor: z
            .string()
            .describe(
              'Who asked: library, cli, mcp:<client>, with "as owner" and the like where that is not usual; curate: a dream that found a curation due; auto: nobody, at rest',
            ),
          summary: z.string(),
          reason: z.string().optional(),
          undoable: z.boolean().describe('Whether undo may take it back'),
          undoneBy: z.int().optional().describe('The undo that took it back'),
        }),
      )
      .readonly()
      .describe('Its life: the last 20 operations on it, newest first; history({ blockId }) has all'),
    summary: schemas.summary,
  }),
  positionals: ['blockId'],
  run: async (engine, input) => {
    const result = await run(engine, input)
    return { ...viewOf(result), summary: summaryOf(result) }
  },
  render: renderShown,
})

function viewOf({ block, belief, edges, edgesTotal, openPairs, outcomes, history }: ShowResult) {
  return {
    block: schemas.toWholeBlock(block),
    belief,
    edges: edges.map(({ other, preview, edge: { relation, origin, weight, reinforcementCount, note } }) => ({
      other,
      preview,
      relation,
      origin,
      weight,
      reinforcementCount,
      ...(note === undefined ? {} : { note }),
    })),
    edgesTotal,
    openPairs: openPairs.map(({ other, preview, pair: { kind, score, foundBy } }) => ({
      other,
      preview,
      kind,
      score,
      ...(foundBy === undefined ? {} : { foundBy }),
    })),
    outcomes: outcomes.map(({ blockId: _blockId, ...outcome }) => outcome),
    history: history.map(({ id, operation, at, actor, summary, reason, undoable, undoneBy }) => ({
      id,
      operation,
      at,
      actor,
      summary,
      ...(reason === undefined ? {} : { reason }),
      undoable,
      ...(undoneBy === undefined ? {} : { undoneBy }),
    })),
  }
}

/** Who speaks: `agent`, or `tool (grep)`. */
function sourceWords({ sourceClass, source }: Block): string {
  return source === undefined || source === sourceClass ? sourceClass : `${sourceClass} (${source})`
}

function summaryOf({ block, confidence, edgesTotal, openPairs, outcomes }: ShowResult): string {
  return sentences(
    `${shortId(block.id)} (${block.status}${block.archiveReason ? `, ${block.archiveReason}` : ''}, ${block.category}${block.scope === undefined ? '' : `, scope ${block.scope}`}):`,
    `said by ${sourceWords(block)}, confidence ${confidence.toFixed(2)}, ${count(edgesTotal, 'edge')}, ${count(outcomes.length, 'recent outcome')}.`,
    openPairs.length > 0 && `${count(openPairs.length, 'open pair')}: decide with resolve.`,
    block.tags.length > 0 && `Tags: ${preview(block.tags.join(', '), 80)}.`,
  )
}
