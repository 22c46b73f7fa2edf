import { codePointLength } from '../../domain/text/text.ts'
import type { ShadowVector, VectorTotals } from '../../ports/store/vectors.ts'
import type { State, StoredBlock } from './state.ts'

/** What `meta` holds while there is a shadow set of vectors. */
const SPARE_KEY = 'spare_vectors'

/** Where `meta` counts how often the sets of vectors changed places. */
const GENERATION_KEY = 'vector_generation'

/** How often the sets of vectors changed places. */
export function generationOf({ meta }: State): number {
  return Number(meta.get(GENERATION_KEY) ?? 0)
}

/** Blocks with a vector in use and none in the shadow set, by arrival; none when there is no shadow set. */
export function missingInSpare({ blocks, spare, meta }: State): StoredBlock[] {
  return meta.has(SPARE_KEY)
    ? [...blocks.values()].filter(({ block, index }) => index?.vector && !spare.has(block.id))
    : []
}

export function totalsOf(state: State): VectorTotals {
  const embedded = [...state.blocks.values()].filter(({ index }) => index?.vector)
  return {
    blocks: embedded.length,
    characters: embedded.reduce((sum, { block }) => sum + codePointLength(block.content), 0),
    ...(state.meta.has(SPARE_KEY) ? { missing: missingInSpare(state).length } : {}),
  }
}

export function beginShadow({ meta, spare }: State): void {
  spare.clear()
  meta.set(SPARE_KEY, '1')
}

export function keepSpare({ blocks, meta, spare }: State, vectors: readonly ShadowVector[]): void {
  if (!meta.has(SPARE_KEY)) return
  for (const { id, content, vector } of new Map(vectors.map((each) => [each.id, each])).values()) {
    const stored = blocks.get(id)
    if (stored?.index?.vector && stored.block.content === content) spare.set(id, vector.slice())
  }
}

/** False when a block is missing in the shadow set, or there is none. */
export function swapSets(state: State): boolean {
  const { blocks, meta, spare } = state
  if (!meta.has(SPARE_KEY) || missingInSpare(state).length > 0) return false
  for (const [id, stored] of blocks) {
    const [used, other] = [stored.index?.vector, spare.get(id)]
    if (stored.index === undefined || used === undefined || other === undefined) continue
    blocks.set(id, { ...stored, index: { ...stored.index, vector: other } })
    spare.set(id, used)
  }
  beginGeneration(state)
  return true
}

/** Makes readers of changes read everything anew. */
export function beginGeneration(state: State): void {
  state.meta.set(GENERATION_KEY, String(generationOf(state) + 1))
}

export function dropShadow({ meta, spare }: State): void {
  spare.clear()
  meta.delete(SPARE_KEY)
}
