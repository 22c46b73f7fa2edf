import * as z from 'zod'
import type { Block } from '../../block/block.ts'
import { count } from '../../block/text.ts'
import { type CallContext, callerOf, type Engine, type Mutation, mayDo, mutate } from '../../engine/engine.ts'
import { bringBack, type Restored } from '../../graph/carry.ts'
import {
  capabilityOf,
  isOwner,
  mustNotBeAbove,
  ownerOnly,
  refusePrinciple,
  requireBlock,
} from '../../intake/check-input.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'

/** Operations that put a block away because somebody wanted it. */
const PUTS_AWAY: ReadonlySet<string> = new Set(['forget', 'resolve', 'undo'])
/** Entries of the log about one block that are looked at. */
const ENTRIES = 100

/** Makes an archived block active again, or puts it back into the inbox; one not archived is no error. */
export const restore = defineScopedOperation({
  name: 'restore',
  summary: 'Bring an archived block back with its tags and edges.',
  guide: {
    when: 'A block was forgotten, replaced or faded, and is wanted again.',
    whenNot: 'To take back an edit, or a forget of just now, use undo().',
    next: 'Nothing. If another block says the same: forget() one of them.',
    example: "await memory.restore({ blockId: '3f2a9c1e' })",
  },
  tools: 'all',
  needs: 'agent',
  effect: 'write',
  cost: 'instant',
  idempotent: true,
  refuses: ['NOT_FOUND', 'AMBIGUOUS_ID', 'OWNER_ONLY'],
  input: z.object({ blockId: schemas.blockId }),
  output: z.object({
    blockId: z.string(),
    status: z.enum(['active', 'inbox']),
    restored: z.boolean().describe('False when it was not archived'),
    edgesRestored: z.int(),
    edgesLost: z
      .int()
      .describe('Edges that stay away: the other end is full, or archived and brings them back itself'),
    evictedEdges: schemas.evictedEdges,
    sameAs: z.string().optional().describe('Another block that says the same'),
    summary: schemas.summary,
  }),
  positionals: ['blockId'],
  run: async (engine, input, context) => {
    const { displaced, ...result } = await bringOneBack(engine, context, input)
    return {
      ...result,
      evictedEdges: schemas.toEvictedEdges(displaced),
      summary: summaryOf({ displaced, ...result }),
    }
  },
})

/**
 * Brings a block back. Throws `OWNER_ONLY` if it did not merely fade and it, or the caller that put it away, is trusted more than
 * this caller.
 */
function bringOneBack(engine: Engine, context: CallContext, { blockId }: { readonly blockId: string }) {
  return mutate(engine, context, async (mutation) => {
    const block = await requireBlock(mutation.tx, blockId)
    refusePrinciple(engine, context, block)
    if (block.status === 'archived' && block.archiveReason !== 'decayed')
      await mustHavePutAway(engine, context, mutation, block)
    if (block.status === 'archived') return { ...(await bringBack(engine, mutation, block)), restored: true }
    const summary = `was ${block.status} already`
    await mutation.log({ operation: 'restore', blockIds: [block.id], summary })
    const nothing: Restored = {
      blockId: block.id,
      status: block.status,
      edgesRestored: 0,
      edgesLost: 0,
      displaced: [],
    }
    return { ...nothing, restored: false }
  })
}

/** Throws `OWNER_ONLY` if a block is trusted more than the caller, or somebody put it away who is. */
async function mustHavePutAway(
  engine: Engine,
  context: CallContext,
  { tx }: Mutation,
  block: Block,
): Promise<void> {
  mustNotBeAbove(engine, context, { block, done: 'brought back' })
  if (isOwner(engine, context)) return
  const entries = await tx.queries.operations({ blockId: block.id, limit: ENTRIES })
  const last = entries.find(({ operation }) => PUTS_AWAY.has(operation))
  if (last === undefined || !mayDo({ capability: capabilityOf(last.actor) }, 'owner')) return
  throw ownerOnly(callerOf(engine, context), {
    what: `The owner put block ${block.id} away (${last.operation}, operation ${last.id}) and alone brings it back`,
    details: { blockId: block.id, operationId: last.id },
  })
}

function summaryOf(result: Restored & { readonly restored: boolean }): string {
  const { status, restored, edgesRestored, edgesLost, sameAs } = result
  const id = shortId(result.blockId)
  if (!restored) return `${id} is not archived (${status}); nothing changed.`
  return sentences(
    `${id} is back (${status}) with ${count(edgesRestored, 'edge')}.`,
    edgesLost > 0 &&
      `${count(edgesLost, 'edge')} stayed away: the other end is full, or archived and brings them back itself.`,
    result.displaced.length > 0 && `${count(result.displaced.length, 'weaker edge')} gave way.`,
    sameAs !== undefined && `${shortId(sameAs)} says the same: forget() one of them.`,
    status === 'inbox' && 'It waits for the next dream.',
  )
}
