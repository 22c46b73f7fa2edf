import type { Block } from '../../src/domain/block/block.ts'
import type { Edge } from '../../src/domain/graph/edge.ts'
import type { Store } from '../../src/ports/store/store.ts'

/** What was true at a moment by the words of docs/time.md, over plain lists: ids of blocks, and ends of edges. */
export async function trueNaively(store: Store, at: string): Promise<{ blocks: string[]; edges: string[] }> {
  return store.read(async (tx) => {
    const ids = (await tx.datedPage('', 1_000)).map(({ id }) => id)
    const blocks = (await tx.blocks(ids)).filter((block) => wasTrue(block, at)).map(({ id }) => id)
    const { edges } = await tx.links(blocks)
    const joined = edges.filter((edge) => [edge.from, edge.to].every((id) => blocks.includes(id)))
    return {
      blocks: blocks.sort(),
      edges: joined
        .filter((edge) => held(edge, at))
        .map(endsOf)
        .sort(),
    }
  })
}

function wasTrue(block: Block, at: string): boolean {
  if (block.status === 'archived' && block.archiveReason !== 'superseded') return false
  const ends = [block.validUntil, block.supersededAt].filter((end) => end !== undefined).sort()
  const said = block.occurredAt < block.createdAt ? block.occurredAt : block.createdAt
  if (ends[0] !== undefined && at >= ends[0]) return false
  if (block.validFrom !== undefined) return at >= block.validFrom
  return at >= said || (ends[0] !== undefined && ends[0] < said)
}

function held({ validFrom, validUntil }: Edge, at: string): boolean {
  return (validFrom === undefined || at >= validFrom) && (validUntil === undefined || at < validUntil)
}

function endsOf({ from, to }: Edge): string {
  return `${from} ${to}`
}
