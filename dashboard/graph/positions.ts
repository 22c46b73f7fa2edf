/** The map of a memory as it was seen last. */
export interface KeptMap {
  readonly ids: readonly string[]
  /** Two numbers a block. */
  readonly places: Float32Array
  readonly groups: Int32Array
  /** Edges it was made of: with others the groups are looked for anew. */
  readonly edges: number
}

/** Returns the places of blocks as a kept map has them, NaN for blocks it does not know. */
export function knownPlaces(ids: readonly string[], kept: KeptMap): Float32Array {
  const at = new Map(kept.ids.map((id, i) => [id, i]))
  const places = new Float32Array(2 * ids.length).fill(Number.NaN)
  ids.forEach((id, i) => {
    const known = at.get(id)
    if (known === undefined) return
    places[2 * i] = kept.places[2 * known] ?? Number.NaN
    places[2 * i + 1] = kept.places[2 * known + 1] ?? Number.NaN
  })
  return places
}

/** Returns the groups of blocks if the graph is the kept one; undefined if anything came or went. */
export function knownGroups(ids: readonly string[], edges: number, kept: KeptMap): Int32Array | undefined {
  if (edges !== kept.edges || ids.length !== kept.ids.length) return undefined
  const at = new Map(kept.ids.map((id, i) => [id, i]))
  const groups = new Int32Array(ids.length)
  for (const [i, id] of ids.entries()) {
    const known = at.get(id)
    if (known === undefined) return undefined
    groups[i] = kept.groups[known] ?? 0
  }
  return groups
}

const DATABASE = 'elfmem'
const STORE = 'maps'

/** Returns the kept map of a memory; undefined where there is none or the browser keeps nothing. */
export async function keptMap(mark: string): Promise<KeptMap | undefined> {
  return inStore('readonly', (store) => store.get(mark)) as Promise<KeptMap | undefined>
}

/** Keeps the map of a memory. A browser that keeps nothing, as in a private window, is no failure. */
export async function keepMap(mark: string, map: KeptMap): Promise<void> {
  await inStore('readwrite', (store) => store.put(map, mark))
}

function inStore(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  return new Promise((resolve) => {
    const none = () => resolve(undefined)
    try {
      const opening = indexedDB.open(DATABASE, 1)
      opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
      opening.onerror = none
      opening.onsuccess = () => {
        const asked = ask(opening.result.transaction(STORE, mode).objectStore(STORE))
        asked.onerror = none
        asked.onsuccess = () => {
          opening.result.close()
          resolve(asked.result)
        }
      }
    } catch {
      none()
    }
  })
}
