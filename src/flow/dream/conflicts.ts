import type { Block } from '../../domain/block.ts'
import { type BlockPair, orderedPair } from '../../domain/edge.ts'
import type { Engine } from '../engine.ts'
import type { Mutation } from '../mutate.ts'
import type { Newcomer } from './link.ts'

/**
 * For each new block the open questions that need no model: the older block it is to replace, as whoever remembered it
 * said, and what rules find between it and its neighbours. One statement when there are hints, none otherwise.
 */
export async function conflictsOf(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  newcomers: readonly Newcomer[],
): Promise<BlockPair[][]> {
  const hinted = newcomers.flatMap(({ block }) => block.supersedes ?? [])
  const older = new Map(
    (hinted.length === 0 ? [] : await tx.blocks(hinted)).map((block) => [block.id, block]),
  )
  return newcomers.map(({ block }) => hintOf(block, older, moment.at))
}

function hintOf(
  { id, supersedes, scope }: Block,
  older: ReadonlyMap<string, Block>,
  createdAt: string,
): BlockPair[] {
  const other = supersedes === undefined ? undefined : older.get(supersedes)
  if (other?.status !== 'active' || other.id === id || other.scope !== scope) return []
  const [a, b] = orderedPair(id, other.id)
  return [{ a, b, kind: 'supersession', score: 1, foundBy: 'hint', resolved: false, createdAt }]
}
