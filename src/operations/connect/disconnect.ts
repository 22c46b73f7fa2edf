import * as z from 'zod'
import { type CallContext, type Engine, type Mutation, mutate } from '../../engine/engine.ts'
import { mustNotBeOwners } from '../../graph/connect.ts'
import { CONTRADICTS, type Edge, normaliseRelation, orderedPair } from '../../graph/edge.ts'
import { Linker } from '../../graph/linker.ts'
import { checkText, resolveIds } from '../../intake/check-input.ts'
import { removeEdges, removePendingConnections, resolvePairs, saveDisconnections } from '../../store/graph.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { shortId } from '../wording.ts'

const input = z.object({
  source: schemas.blockId,
  target: schemas.blockId,
  guardRelation: schemas.name.optional().describe('Only if this is its relation').meta({ unlisted: true }),
  reason: schemas.reason.optional().describe('Why, for the log'),
})

const output = z.object({
  sourceId: z.string(),
  targetId: z.string(),
  action: z
    .enum(['removed', 'not_found', 'guarded'])
    .describe('guarded: the edge has another relation and stays'),
  removedRelation: z.string().optional().describe('The relation of the edge, also if it guarded itself'),
  removedWeight: z.number().optional(),
  pendingRemoved: z.boolean().describe('It only waited for room'),
  summary: schemas.summary,
})

/** Removes an edge, and what waits to become one; unknown ids are no error. */
export const disconnect = defineScopedOperation({
  name: 'disconnect',
  summary: 'Take away the edge between two blocks.',
  guide: {
    when: 'An edge is wrong, whoever made it, or is to wait for room no longer.',
    whenNot: 'To weaken an edge use connect() with ifExists update and a weight.',
    next: 'Nothing. Neither a dream nor use joins the two again for 200 active hours. connect() may at once.',
    example:
      "await memory.disconnect({ source: '3f2a9c1e', target: 'b7d041aa', reason: 'the other ferry was meant' })",
  },
  tools: 'agent',
  needs: 'agent',
  effect: 'destroy',
  cost: 'instant',
  idempotent: true,
  refuses: ['AMBIGUOUS_ID', 'OWNER_ONLY'],
  input,
  output,
  positionals: ['source', 'target'],
  run: async (engine, input, context) => {
    const done = await takeApart(engine, context, input)
    return { ...done, summary: summaryOf(done) }
  },
})

type Asked = z.output<typeof input>

type Done = Omit<z.output<typeof output>, 'summary'>

/**
 * Takes an edge away, and what only waited to become one. Neither dream nor use joins the two again for
 * 200 active hours; an agent may at once. `OWNER_ONLY` for what the owner asserted, unless the owner calls.
 * Unknown ids are no error: what is not joined is not joined. A few statements.
 */
function takeApart(engine: Engine, context: CallContext, input: Asked): Promise<Done> {
  if (input.reason !== undefined) checkText('reason', input.reason)
  return mutate(engine, context, async (mutation) => {
    const { byGiven } = await resolveIds(mutation.tx, [input.source, input.target])
    const [sourceId = input.source, targetId = input.target] = [input.source, input.target].map((given) =>
      byGiven.get(given.trim()),
    )
    const nothing = { sourceId, targetId, pendingRemoved: false } as const
    if (byGiven.size < 2 || sourceId === targetId) return { ...nothing, action: 'not_found' }
    const linker = await Linker.open(engine, mutation, [sourceId, targetId], { heedDisconnections: false })
    const edge = linker.between(sourceId, targetId)
    const guard = input.guardRelation === undefined ? undefined : normaliseRelation(input.guardRelation)
    if (edge && guard !== undefined && edge.relation !== guard)
      return { ...nothing, action: 'guarded', removedRelation: edge.relation, removedWeight: edge.weight }
    if (edge) await mustNotBeOwners(engine, context, { tx: mutation.tx, edge, done: 'taken back' })
    return remove(mutation, { input, sourceId, targetId, edge })
  })
}

interface Apart {
  readonly input: Asked
  readonly sourceId: string
  readonly targetId: string
  readonly edge: Edge | undefined
}

async function remove(
  { tx, moment, log }: Mutation,
  { input, sourceId, targetId, edge }: Apart,
): Promise<Done> {
  const ends = orderedPair(sourceId, targetId)
  const pending = await removePendingConnections(tx, [ends])
  const pendingRemoved = pending.length > 0
  if (edge === undefined && !pendingRemoved)
    return { sourceId, targetId, action: 'not_found', pendingRemoved }
  const reason = input.reason ? { reason: input.reason } : {}
  await saveDisconnections(tx, [{ from: ends[0], to: ends[1], at: moment.hours, ...reason }])
  if (edge !== undefined) await removeEdges(tx, [ends])
  if (edge?.relation === CONTRADICTS) await resolvePairs(tx, [ends])
  const relation = edge?.relation ?? pending[0]?.relation ?? ''
  await log({
    operation: 'disconnect',
    blockIds: [sourceId, targetId],
    summary: `removed ${edge ? '' : 'waiting '}"${relation}"`,
    ...reason,
    before: { edges: edge ? [edge] : [], pending },
  })
  return {
    sourceId,
    targetId,
    action: 'removed',
    removedRelation: relation,
    removedWeight: edge?.weight ?? pending[0]?.weight ?? 0,
    pendingRemoved,
  }
}

function summaryOf({ sourceId, targetId, action, removedRelation, pendingRemoved }: Done): string {
  const both = `${shortId(sourceId)} and ${shortId(targetId)}`
  if (action === 'not_found') return `${both} are not joined; nothing to do.`
  if (action === 'guarded') return `${both} are joined by "${removedRelation}" and stay so.`
  return `Removed ${pendingRemoved ? 'the waiting ' : ''}"${removedRelation}" between ${both}.`
}
