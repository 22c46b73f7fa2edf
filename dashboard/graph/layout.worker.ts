import { groupsOf, settle } from './layout.ts'
import { type Edges, startPlaces } from './start.ts'

/** A graph to lay out, and places that are known already: NaN where a block is new. */
export interface LayoutTask {
  readonly edges: Edges
  readonly known?: Float32Array
  /** Groups that are known already; they are looked for otherwise. */
  readonly groups?: Int32Array
}

/** Places as they settle; first of all places alone, then groups. */
export interface LayoutNews {
  readonly places?: Float32Array
  readonly groups?: Int32Array
  readonly settled: boolean
}

/** As much of a worker's own scope as is used here. */
interface Scope {
  onmessage: ((event: { readonly data: LayoutTask }) => void) | null
  postMessage(news: LayoutNews): void
}

const scope = globalThis as unknown as Scope

/** So many steps lie between two pictures of what settles. */
const STEPS_A_PICTURE = 10

scope.onmessage = ({ data: { edges, known, groups: old } }) => {
  const start = startPlaces(edges, known)
  scope.postMessage({ places: Float32Array.from(start.places), settled: false })
  const groups = old ?? groupsOf(edges)
  scope.postMessage({ groups, settled: false })
  let last: Float32Array | undefined
  for (const places of settle(edges, { ...start, groups }, STEPS_A_PICTURE)) {
    if (last !== undefined) scope.postMessage({ places: last, settled: false })
    last = places
  }
  scope.postMessage({ ...(last === undefined ? {} : { places: last }), settled: true })
}
