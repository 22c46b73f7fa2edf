import { groupsOf } from './groups.ts'
import { settle } from './layout.ts'
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

/** A task, and a word once its first places are drawn: until then all time of the machine is for that picture. */
export type LayoutMessage = LayoutTask | 'go on'

/** As much of a worker's own scope as is used here. */
interface Scope {
  onmessage: ((event: { readonly data: LayoutMessage }) => void) | null
  postMessage(news: LayoutNews): void
}

const scope = globalThis as unknown as Scope

/** So many steps lie between two pictures of what settles. */
const STEPS_A_PICTURE = 10

let rest: () => void = () => undefined

scope.onmessage = ({ data }) => {
  if (data === 'go on') {
    rest()
    return
  }
  const { edges, known, groups } = data
  const start = startPlaces(edges, known)
  rest = () => layOut(edges, start, groups)
  scope.postMessage({ places: Float32Array.from(start.places), settled: false })
}

function layOut(edges: Edges, start: ReturnType<typeof startPlaces>, old: Int32Array | undefined): void {
  const groups = old ?? groupsOf(edges)
  scope.postMessage({ groups, settled: false })
  let last: Float32Array | undefined
  for (const places of settle(edges, { ...start, groups }, STEPS_A_PICTURE)) {
    if (last !== undefined) scope.postMessage({ places: last, settled: false })
    last = places
  }
  scope.postMessage({ ...(last === undefined ? {} : { places: last }), settled: true })
}
