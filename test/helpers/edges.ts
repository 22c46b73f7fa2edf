import type { Edge, Ends } from '../../src/graph/edge.ts'
import { saveEdges } from '../../src/store/graph.ts'
import { anEdge } from '../store/harness.ts'
import type { TestMemory } from './memory.ts'

/** Puts an edge into the store that no operation would make at once. A field that is undefined is left out. */
export async function join(
  { store }: Pick<TestMemory, 'store'>,
  [one, other]: Ends,
  edge: { readonly [Key in keyof Edge]?: Edge[Key] | undefined } = {},
): Promise<void> {
  const fields = Object.entries({ ...anEdge(one, other), ...edge }).filter(([, value]) => value !== undefined)
  await store.write((tx) => saveEdges(tx, [Object.fromEntries(fields) as unknown as Edge]))
}
