import { useEffect, useRef, useState } from 'preact/hooks'
import type { LayoutMessage, LayoutNews } from '../../graph/layout.worker.ts'
import layoutUrl from '../../graph/layout.worker.ts?worker&url'
import { type KeptMap, keepMap, keptMap, knownGroups, knownPlaces } from '../../graph/positions.ts'
import { session } from '../../session.ts'
import type { Columns } from './scenes/picture.ts'

/** Places and groups of the joined blocks, as far as they are known. */
export interface Laid {
  readonly columns: Columns
  readonly places: Float32Array
  readonly groups?: Int32Array
  readonly isSettled: boolean
}

/** As much of the browser's Trusted Types as is used here. */
interface PolicyFactory {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ): { readonly createScriptURL: (url: string) => unknown }
}

/** The one policy of the page: it lets the address of this worker through and nothing else. */
const policy = (globalThis as { readonly trustedTypes?: PolicyFactory }).trustedTypes?.createPolicy(
  'elfmem',
  {
    createScriptURL: (url) => {
      if (url !== layoutUrl) throw new TypeError(`${url} is no worker of this page`)
      return url
    },
  },
)

/**
 * Lays a graph out in a worker. Blocks that were on the map before stay where they were. `past` is a graph of former times:
 * its blocks stand where those of today do, and nothing of it is kept.
 */
export function useLayout(
  columns: Columns | undefined,
  past?: { readonly of: Laid | undefined },
): Laid | undefined {
  const [laid, setLaid] = useState<Laid>()
  const last = useRef<Laid>(undefined)
  const isPast = past !== undefined
  const base = past?.of
  useEffect(() => {
    if (columns === undefined) {
      last.current = undefined
      setLaid(undefined)
      return
    }
    const ending = new AbortController()
    const take = (next: Laid) => {
      last.current = next
      setLaid(next)
    }
    void (async () => {
      const before = isPast ? keptOf(base) : (keptOf(last.current) ?? (await keptMap(mark())))
      if (!ending.signal.aborted) run(columns, before, { take, signal: ending.signal, isKept: !isPast })
    })()
    return () => ending.abort()
  }, [columns])
  return columns === undefined ? undefined : laid
}

/** Under which the map of this memory is kept. */
function mark(): string {
  return session.peek().location ?? 'memory'
}

function keptOf(laid: Laid | undefined): KeptMap | undefined {
  if (laid?.groups === undefined) return undefined
  const { columns, places, groups } = laid
  return { ids: columns.nodes.id, edges: columns.edges.a.length, places, groups }
}

interface Running {
  readonly take: (laid: Laid) => void
  readonly signal: AbortSignal
  readonly isKept: boolean
}

function run(columns: Columns, before: KeptMap | undefined, { take, signal, isKept }: Running): void {
  const { nodes, edges } = columns
  const known = before && knownPlaces(nodes.id, before)
  const oldGroups = before && knownGroups(nodes.id, edges.a.length, before)
  if (known !== undefined && oldGroups !== undefined) {
    take({ columns, places: known, groups: oldGroups, isSettled: true })
    return
  }
  const worker = new Worker((policy?.createScriptURL(layoutUrl) ?? layoutUrl) as string, { type: 'module' })
  signal.addEventListener('abort', () => worker.terminate())
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
  let isBegun = false
  let now: Laid = { columns, places: new Float32Array(0), isSettled: false }
  worker.onmessage = ({ data }: MessageEvent<LayoutNews>) => {
    const isFirst = now.places.length === 0
    now = {
      ...now,
      // Who wants no motion sees the first picture and the last.
      ...(data.places !== undefined && (!isStill || isFirst || data.settled) ? { places: data.places } : {}),
      ...(data.groups === undefined ? {} : { groups: data.groups }),
      isSettled: data.settled,
    }
    take(now)
    if (!isBegun) onceDrawn(() => send('go on'))
    isBegun = true
    if (!data.settled) return
    worker.terminate()
    const whole = keptOf(now)
    if (isKept && whole !== undefined) void keepMap(mark(), whole)
  }
  const send = (message: LayoutMessage) => worker.postMessage(message)
  send({
    edges: {
      count: nodes.id.length,
      a: Int32Array.from(edges.a),
      b: Int32Array.from(edges.b),
      weight: Float32Array.from(edges.weight, (weight) => weight / 100),
    },
    ...(known === undefined ? {} : { known }),
  })
}

/** Frames until new places are drawn: the screen is made, the map gets its scene, and draws it. */
const FRAMES = 4
/** A page that nobody looks at has no frames; then it goes on after so many milliseconds. */
const UNSEEN = 500

/** Calls once, when what was just set has been drawn. */
function onceDrawn(work: () => void): void {
  let left = FRAMES
  const done = () => {
    left = 0
    clearTimeout(timer)
    work()
  }
  const timer = setTimeout(done, UNSEEN)
  const frame = () => {
    if (left === 0) return
    left--
    if (left === 0) done()
    else requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}
