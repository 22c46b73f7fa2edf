import type { Block } from '../../domain/block/block.ts'
import { LEARNING } from '../../domain/score/experience.ts'
import { defined, namesIn } from '../../domain/text/text.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'

/** Blocks near one that are looked at; the nearest tell. */
const NEAREST = 4

/**
 * Of blocks that misled those that a newer one near them probably replaced: nothing that the question gives tells the two apart, so the
 * older is out of date and not only wrong here. Two statements, none without a block that misled.
 */
export async function probablyReplaced(
  { index }: Engine,
  tx: StoreReader,
  misled: readonly Block[],
  question: string,
): Promise<ReadonlySet<string>> {
  if (misled.length === 0) return new Set()
  const vectors = await tx.vectors(misled.map(({ id }) => id))
  const known = misled.flatMap((block) => {
    const vector = vectors.get(block.id)?.vector
    return vector === undefined ? [] : [{ block, vector, scope: block.scope }]
  })
  const near = known.map(({ vector, scope }) =>
    index
      .nearest([{ vector, ...defined({ scope }) }], { count: NEAREST, floor: LEARNING.replacedCosine })
      .flat(),
  )
  const others = await tx.blocks([...new Set(near.flatMap((each) => each.map(({ id }) => id)))])
  const byId = new Map(others.map((block) => [block.id, block]))
  const names = namesIn(question)
  const isReplaced = (block: Block, i: number): boolean =>
    (near[i] ?? []).some(({ id }) => {
      const other = byId.get(id)
      return other !== undefined && lastDate(other) > lastDate(block) && !tellsApart(names, block, other)
    })
  return new Set(known.flatMap(({ block }, i) => (isReplaced(block, i) ? [block.id] : [])))
}

/** True if a name of the question stands in one of two texts alone. */
function tellsApart(names: readonly string[], one: Block, other: Block): boolean {
  const [a, b] = [one, other].map(({ content }) => content.toLowerCase()) as [string, string]
  return names.some((name) => a.includes(name) !== b.includes(name))
}

/** The date of the newest occurrence of a block. */
function lastDate({ occurredAt, lastAt = occurredAt }: Block): string {
  return lastAt
}
