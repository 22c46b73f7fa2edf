import type { Block } from '../../domain/block/block.ts'
import { isNewer } from '../../domain/block/standing.ts'
import type { ConflictReader } from '../../domain/conflict/reader.ts'
import { type BlockPair, orderedPair } from '../../domain/graph/edge.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import type { Newcomer } from './link.ts'

/** Arguments of `conflictsOf`. */
interface Compared {
  readonly newcomers: readonly Newcomer[]
  /** As they will be when this is written; others are looked up. */
  readonly blocks: ReadonlyMap<string, Block>
  readonly reader: ConflictReader
}

/**
 * For each new block the open questions that need no model: the older block it is to replace, as whoever remembered it
 * said, and what rules find between it and its neighbours. One statement when there are hints, none otherwise.
 */
export async function conflictsOf(
  engine: Pick<Engine, 'settings'>,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  { newcomers, blocks, reader }: Compared,
): Promise<BlockPair[][]> {
  const hinted = newcomers.flatMap(({ block }) => block.supersedes ?? []).filter((id) => !blocks.has(id))
  const found = hinted.length === 0 ? [] : await tx.blocks(hinted)
  const known = new Map([...found.map((block) => [block.id, block] as const), ...blocks])
  const ruled = ruledConflicts(engine, { newcomers, reader }, moment.at)
  return newcomers.map(({ block }, i) => {
    const hint = hintOf(block, known, moment.at)
    // What was said of two blocks counts more than what a rule finds between them.
    const isSaid = (pair: BlockPair) => hint.some(({ a, b }) => a === pair.a && b === pair.b)
    return [...hint, ...(ruled[i] ?? []).filter((pair) => !isSaid(pair))]
  })
}

function hintOf(
  { id, supersedes, scope }: Block,
  known: ReadonlyMap<string, Block>,
  createdAt: string,
): BlockPair[] {
  const other = supersedes === undefined ? undefined : known.get(supersedes)
  if (other?.status !== 'active' || other.id === id || other.scope !== scope) return []
  const [a, b] = orderedPair(id, other.id)
  return [{ a, b, kind: 'supersession', score: 1, foundBy: 'hint', resolved: false, createdAt }]
}

/**
 * Contradictions, and newer statements that say that something changed. Only what the same source said is compared: two
 * people may have two ports.
 */
function ruledConflicts(
  { settings: { conflicts } }: Pick<Engine, 'settings'>,
  { newcomers, reader }: Pick<Compared, 'newcomers' | 'reader'>,
  createdAt: string,
): BlockPair[][] {
  if (!conflicts.rules) return []
  const options = { cosineFloor: conflicts.cosineFloor, rules: conflicts.enabledRules }
  return newcomers.map(({ block, neighbours }) =>
    neighbours.flatMap(({ block: other, cosine }): BlockPair[] => {
      if (cosine < options.cosineFloor) return []
      if (block.source !== other.source || block.scope !== other.scope) return []
      const [newer, older] = isNewer(block, other) ? [block, other] : [other, block]
      const found = reader.between(reader.statement(newer), reader.statement(older), { cosine, ...options })
      if (found === undefined) return []
      const [a, b] = orderedPair(block.id, other.id)
      const foundBy = `rule:${found.rule}`
      return [{ a, b, kind: found.kind, score: found.score, foundBy, resolved: false, createdAt }]
    }),
  )
}
