import type { Block } from '../../src/domain/block/block.ts'
import { type Removal, withRemoval } from '../../src/domain/block/removals.ts'
import { codePointLength } from '../../src/domain/text/text.ts'
import type { ContentVector, VectorTotals } from '../../src/ports/store/vectors.ts'
import { newestSequence, type State, type StoredBlock } from './state.ts'

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

export function keepSpare({ blocks, meta, spare }: State, vectors: readonly ContentVector[]): void {
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
function beginGeneration(state: State): void {
  state.meta.set(GENERATION_KEY, String(generationOf(state) + 1))
}

/** Where `meta` keeps what was removed, as JSON. */
const REMOVED_KEY = 'removed_blocks'

export function removalsIn({ meta }: State): Removal[] {
  return JSON.parse(meta.get(REMOVED_KEY) ?? '[]')
}

/** Tells readers of changes which blocks they may have seen are no more among those that stay. */
export function noteRemoval(state: State, staying: State['blocks']): void {
  const [kept, gone] = [new Map(state.blocks), [] as string[]]
  for (const [id, { sequence }] of state.blocks) {
    if (staying.has(id)) continue
    kept.delete(id)
    if (sequence > 0) gone.push(id)
  }
  if (gone.length === 0) return
  beginGeneration(state)
  const removal = { generation: generationOf(state), sequence: newestSequence(kept), ids: gone }
  state.meta.set(REMOVED_KEY, JSON.stringify(withRemoval(removalsIn(state), removal)))
}

export function dropShadow({ meta, spare }: State): void {
  spare.clear()
  meta.delete(SPARE_KEY)
}

/** Bit for bit, as a store of bytes sees it. */
export function sameVector(one: Float32Array | undefined, other: Float32Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.length === other.length && one.every((value, i) => Object.is(value, other[i]))
}

/** True if a block that waits gives up its vector by this change. */
export function losesVector(before: Block, after: Block): boolean {
  return before.status === 'inbox' && (after.status === 'archived' || after.content !== before.content)
}

/** The stored block with other fields, without the vector that goes with its words. */
export function changedTo({ index, ...stored }: StoredBlock, block: Block): StoredBlock {
  return { ...stored, block, ...(index === undefined || losesVector(stored.block, block) ? {} : { index }) }
}

/** Keeps vectors as index entries without words, which nobody reads while a block waits. */
export function saveWaiting({ blocks, spare }: State, vectors: readonly ContentVector[]): void {
  const sequence = newestSequence(blocks) + 1
  for (const { id, content, vector } of new Map(vectors.map((each) => [each.id, each])).values()) {
    const stored = blocks.get(id)
    if (stored?.block.status !== 'inbox' || stored.block.content !== content) continue
    const held = stored.index?.vector
    if (sameVector(held, vector)) continue
    const words = stored.index ?? { id, terms: '', asks: false, timed: false }
    spare.delete(id)
    blocks.set(id, { ...stored, index: { ...words, vector: vector.slice() }, sequence })
  }
}

/** False when a block that does not wait has a vector. */
export function dropWaiting(state: State): boolean {
  const { blocks, spare } = state
  const embedded = [...blocks.values()].filter(({ index }) => index?.vector !== undefined)
  if (embedded.some(({ block }) => block.status !== 'inbox')) return false
  for (const { index: _index, ...stored } of embedded) {
    spare.delete(stored.block.id)
    blocks.set(stored.block.id, stored)
  }
  beginGeneration(state)
  return true
}
