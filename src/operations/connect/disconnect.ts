import * as z from 'zod'
import { count } from '../../block/text.ts'
import type { CallContext, Engine } from '../../engine/engine.ts'
import { type Mutation, mutate } from '../../engine/mutate.ts'
import { mustNotBeOwners } from '../../graph/connect.ts'
import { type Edge, type EdgeOrigin, normaliseRelation, orderedPair } from '../../graph/edge.ts'
import { type Displacement, Linker } from '../../graph/linker.ts'
import { checkText, resolveIds } from '../../intake/check-input.ts'
import { removeEdges, removePendingConnections, saveDisconnections } from '../../store/graph.ts'
import { readOperations } from '../../store/log.ts'
import { livingAmong } from '../../store/look-up.ts'
import { resolvePairs } from '../../store/pairs.ts'
import type { OperationRecord } from '../../store/queries.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'

const input = z.object({
  source: schemas.blockId,
  target: schemas.blockId,
  guardRelation: schemas.name.optional().describe('Only when this is the relation of the edge'),
  reason: schemas.reason.optional().describe('For the log'),
})

const output = z.object({
  sourceId: z.string(),
  targetId: z.string(),
  action: z
    .enum(['removed', 'not_found', 'guarded'])
    .describe('guarded: the edge has another relation and stays'),
  removedRelation: z.string().optional().describe('The relation of the edge, also if it guarded itself'),
  removedWeight: z.number().optional(),
  restoredEdges: schemas.edgesAsWere.describe('Edges that had given way to it and are back'),
  pendingRemoved: z.boolean().describe('It only waited for room'),
  summary: schemas.summary,
})

/** Removes an edge and brings back those it had evicted, where there is room; unknown ids are no error. */
export const disconnect = defineScopedOperation({
  name: 'disconnect',
  summary: 'Take away the edge between two blocks.',
  guide: {
    when: 'An edge is wrong: yours, or one that similarity or use has made. It also calls off one that waits for room.',
    whenNot: 'To weaken an edge: connect() with ifExists update and a weight. To drop a block: forget().',
    next: 'Nothing. Neither a dream nor use joins the two again for 200 active hours. connect() may at once.',
    example:
      "await memory.disconnect({ source: '3f2a9c1e', target: 'b7d041aa', reason: 'the other ferry was meant' })",
  },
  tools: 'all',
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
 * 200 active hours; an agent may at once. `OWNER_ONLY` for what the owner asserted, unless the owner calls. Edges it evicted come
 * back as far as the degree cap allows. Unknown ids are no error: what is not joined is not joined. At most twelve statements.
 */
function takeApart(engine: Engine, context: CallContext, input: Asked): Promise<Done> {
  if (input.reason !== undefined) checkText('reason', input.reason)
  return mutate(engine, context, async (mutation) => {
    const { byGiven } = await resolveIds(mutation.tx, [input.source, input.target])
    const [sourceId = input.source, targetId = input.target] = [input.source, input.target].map((given) =>
      byGiven.get(given.trim()),
    )
    const nothing = { sourceId, targetId, restoredEdges: [], pendingRemoved: false } as const
    if (byGiven.size < 2 || sourceId === targetId) return { ...nothing, action: 'not_found' }
    const linker = await Linker.open(engine, mutation, [sourceId, targetId], { heedDisconnections: false })
    const edge = linker.between(sourceId, targetId)
    const guard = input.guardRelation === undefined ? undefined : normaliseRelation(input.guardRelation)
    if (edge && guard !== undefined && edge.relation !== guard)
      return { ...nothing, action: 'guarded', removedRelation: edge.relation, removedWeight: edge.weight }
    if (edge)
      await mustNotBeOwners(engine, context, {
        ...{ tx: mutation.tx, edge, done: 'taken back' },
        call: context.asOwner?.({}),
      })
    return remove(engine, mutation, { input, sourceId, targetId, edge })
  })
}

interface Apart {
  readonly input: Asked
  readonly sourceId: string
  readonly targetId: string
  readonly edge: Edge | undefined
}

async function remove(
  engine: Engine,
  mutation: Mutation,
  { input, sourceId, targetId, edge }: Apart,
): Promise<Done> {
  const { tx, moment, log } = mutation
  const ends = orderedPair(sourceId, targetId)
  const pending = await removePendingConnections(tx, [ends])
  const pendingRemoved = pending.length > 0
  if (edge === undefined && !pendingRemoved)
    return { sourceId, targetId, action: 'not_found', restoredEdges: [], pendingRemoved }
  const reason = input.reason ? { reason: input.reason } : {}
  await saveDisconnections(tx, [{ from: ends[0], to: ends[1], at: moment.hours, ...reason }])
  const restored = edge === undefined ? [] : await removeEdge(engine, mutation, edge)
  const relation = edge?.relation ?? pending[0]?.relation ?? ''
  await log({
    operation: 'disconnect',
    blockIds: [sourceId, targetId],
    summary: `removed ${edge ? '' : 'waiting '}"${relation}"${restored.length > 0 ? `, ${count(restored.length, 'edge')} back` : ''}`,
    ...reason,
    before: { edges: edge ? [edge] : [], pending, restored },
  })
  return {
    sourceId,
    targetId,
    action: 'removed',
    removedRelation: relation,
    removedWeight: edge?.weight ?? pending[0]?.weight ?? 0,
    restoredEdges: schemas.toEdgesAsWere(restored),
    pendingRemoved,
  }
}

async function removeEdge(engine: Engine, { tx, moment }: Mutation, edge: Edge): Promise<readonly Edge[]> {
  await removeEdges(tx, [[edge.from, edge.to]])
  if (edge.relation === 'contradicts') await resolvePairs(tx, [[edge.from, edge.to]])
  const displaced = await displacedBy(tx, edge)
  if (displaced.length === 0) return []
  const ids = displaced.flatMap(({ from, to }) => [from, to])
  const living = await livingAmong(tx, ids)
  const linker = await Linker.open(engine, { tx, moment }, ids, { heedDisconnections: true })
  for (const each of displaced) {
    const isFree = linker.between(each.from, each.to) === undefined
    if (isFree && living.has(each.from) && living.has(each.to) && linker.isBelowCap(each)) linker.add(each)
  }
  return (await linker.save(tx)).added
}

/** The number of a block's connections that are searched for the one that evicted others. */
const LOOKED_BACK = 20

/** The names of operations that the log has for each origin of an edge. */
const MAKERS: Readonly<Record<EdgeOrigin, readonly string[]>> = {
  agent: ['connect'],
  outcome: ['outcome'],
  co_retrieval: ['recall', 'promote_pairs'],
  similarity: ['promote'],
  llm_inferred: [],
}

/** Returns the edges this very edge evicted, not an earlier one of the pair; as far as the log goes back. */
async function displacedBy(tx: ReadTransaction, edge: Edge): Promise<readonly Edge[]> {
  const { from, to, createdAt, origin, previousOrigin = origin } = edge
  const found: Edge[] = []
  // A promotion is logged under the new block alone, which may be either end.
  for (const operation of MAKERS[previousOrigin])
    for (const blockId of operation === 'promote' ? [from, to] : [from]) {
      const log = await readOperations(tx, { operation, blockId, limit: LOOKED_BACK })
      const made = log.filter(({ at }) => at === createdAt).flatMap(displacementsOf)
      found.push(...made.filter(({ by }) => by[0] === from && by[1] === to).map(({ edge }) => edge))
    }
  return found
}

/** Returns the evicted edges of an entry, as every operation that makes edges logs them. */
function displacementsOf({ before }: OperationRecord): readonly Displacement[] {
  return ((before ?? {}) as { readonly displacements?: readonly Displacement[] }).displacements ?? []
}

function summaryOf({
  sourceId,
  targetId,
  action,
  removedRelation,
  restoredEdges,
  pendingRemoved,
}: Done): string {
  const both = `${shortId(sourceId)} and ${shortId(targetId)}`
  if (action === 'not_found') return `${both} are not joined; nothing to do.`
  if (action === 'guarded') return `${both} are joined by "${removedRelation}" and stay so.`
  return sentences(
    `Removed ${pendingRemoved ? 'the waiting ' : ''}"${removedRelation}" between ${both}.`,
    restoredEdges.length > 0 && `${count(restoredEdges.length, 'edge')} that gave way to it came back.`,
  )
}
