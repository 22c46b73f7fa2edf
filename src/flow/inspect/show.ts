import type { Block } from '../../domain/block/block.ts'
import type { BlockPair, Edge } from '../../domain/graph/edge.ts'
import { belief, confidenceOf } from '../../domain/score/experience.ts'
import { preview } from '../../domain/text/text.ts'
import type { OutcomeRecord, StoreReader } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'
import { requireBlock } from '../guard/resolve-ids.ts'
import { type ToldOperation, told, undoneBy } from '../undo/undone.ts'

const LAST = 10
const EDGES_SHOWN = 20
const OPERATIONS_SHOWN = 20
const PREVIEW = 80

/** An edge as one of its ends sees it. */
interface SeenEdge {
  readonly other: string
  readonly preview: string
  readonly edge: Edge
}

interface SeenPair {
  readonly other: string
  readonly preview: string
  readonly pair: BlockPair
}

export interface ShowResult {
  readonly block: Block
  /** Confidence in it as status and the self frame use it, 0..1. */
  readonly confidence: number
  /** Belief in it as ranking uses it, 0..1. */
  readonly belief: number
  /** Strongest first, at most 20. */
  readonly edges: readonly SeenEdge[]
  readonly edgesTotal: number
  readonly openPairs: readonly SeenPair[]
  /** Newest first, at most 10. */
  readonly outcomes: readonly OutcomeRecord[]
  /** Log entries about it, newest first, at most 20. */
  readonly history: readonly ToldOperation[]
}

/** Everything known about one block. Changes nothing; seven statements. */
export function show(engine: Engine, { blockId }: { readonly blockId: string }): Promise<ShowResult> {
  return engine.store.read(async (tx) => {
    const block = await requireBlock(tx, blockId)
    const { edges, pairs } = await tx.links([block.id])
    const open = pairs.filter(({ resolved }) => !resolved)
    const shown = edges.slice(0, EDGES_SHOWN)
    const previews = await previewsOf(tx, [
      ...shown.map((edge) => other(edge.from, edge.to, block.id)),
      ...open.map((pair) => other(pair.a, pair.b, block.id)),
    ])
    const undone = await undoneBy(tx)
    const done = await tx.operations({ blockId: block.id, limit: OPERATIONS_SHOWN })
    const seen = (id: string) => ({ other: id, preview: previews.get(id) ?? '' })
    return {
      block,
      confidence: confidenceOf(block),
      belief: belief(block),
      edges: shown.map((edge) => ({ ...seen(other(edge.from, edge.to, block.id)), edge })),
      edgesTotal: edges.length,
      openPairs: open.map((pair) => ({ ...seen(other(pair.a, pair.b, block.id)), pair })),
      outcomes: await tx.outcomes(block.id, LAST),
      history: done.map((record) => told(record, undone)),
    }
  })
}

async function previewsOf(tx: StoreReader, ids: readonly string[]): Promise<Map<string, string>> {
  const blocks = ids.length === 0 ? [] : await tx.blocks([...new Set(ids)])
  return new Map(blocks.map(({ id, content }) => [id, preview(content, PREVIEW)]))
}

function other(one: string, two: string, id: string): string {
  return one === id ? two : one
}
