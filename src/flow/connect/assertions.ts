import type { Block } from '../../domain/block/block.ts'
import type { SourceClass } from '../../domain/block/source-class.ts'
import { type Edge, type Ends, orderedPair } from '../../domain/graph/edge.ts'
import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import { type CallContext, callerOf, type Engine, type OwnersCall } from '../engine/engine.ts'
import { highestFor, isAbove, ownerOnly } from '../guard/caller.ts'

/** Entries of the log read at a time. */
const PAGE = 200

/** Of whoever asserts connections, as they are logged: for the check of who may take them back. */
interface Assertion {
  /** The highest class that the caller could claim. */
  readonly by: SourceClass
  /** The pairs that were joined or changed. */
  readonly ends: readonly Ends[]
}

/** An edge that a caller is about to change. */
interface Claimed {
  readonly tx: StoreReader
  readonly edge: Edge
  /** The act on it, as a participle. */
  readonly done: string
  /** The call that the owner makes. */
  readonly call: OwnersCall | undefined
}

/**
 * Throws `OWNER_ONLY` if an edge was asserted by somebody trusted more than the caller. What the log does not tell any
 * more is the owner's if both blocks are. No statement for the owner, nor for an edge that nobody asserted.
 */
export async function mustNotBeOwners(
  engine: Engine,
  context: CallContext,
  { tx, edge, done, call }: Claimed,
): Promise<void> {
  if (edge.origin !== 'agent' || highestFor(engine, context) === 'user') return
  const [from, to] = [edge.from, edge.to]
  const by = await asserterOf(tx, edge)
  const isOwners =
    by === undefined ? await areAbove(engine, context, tx, [from, to]) : isAbove(engine, context, by)
  if (!isOwners) return
  throw ownerOnly(callerOf(engine, context), {
    what: `That ${from} and ${to} are joined by "${edge.relation}" is the owner's word and is ${done} by the owner alone`,
    call,
    details: { fromId: from, toId: to, relation: edge.relation },
  })
}

/** Who asserted an edge last, as far as the log goes back. */
async function asserterOf(
  tx: StoreReader,
  { from, to, createdAt }: Edge,
): Promise<Pick<Block, 'sourceClass'> | undefined> {
  for (let before: number | undefined; ; ) {
    const page: readonly OperationRecord[] = await tx.operations({
      ...{ operation: 'connect', blockId: from, since: createdAt, limit: PAGE },
      ...(before === undefined ? {} : { before }),
    })
    for (const entry of page) {
      const said = entry.before as Partial<Assertion> | undefined
      const names = said?.ends?.some(([one, other]) => one === from && other === to)
      if (names && said?.by !== undefined) return { sourceClass: said.by }
    }
    if (page.length < PAGE) return undefined
    before = page.at(-1)?.id
  }
}

async function areAbove(
  engine: Engine,
  context: CallContext,
  tx: StoreReader,
  ids: readonly string[],
): Promise<boolean> {
  const blocks = await tx.blocks(ids)
  return blocks.length === ids.length && blocks.every((block) => isAbove(engine, context, block))
}

/** Ends of connections in canonical order. */
export function endsOfAll(made: readonly { readonly sourceId: string; readonly targetId: string }[]): Ends[] {
  return made.map(({ sourceId, targetId }) => orderedPair(sourceId, targetId))
}
