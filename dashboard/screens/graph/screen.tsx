import './graph.css'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Query } from '../../address.ts'
import { type Answer, call } from '../../api.ts'
import type { Insets } from '../../graph/camera.ts'
import type { BlockMap } from '../../graph/map.ts'
import { changes } from '../../live.ts'
import { useLoad, useOperation } from '../../load.ts'
import { Button } from '../../parts/button.tsx'
import { Empty, Failure, Skeleton } from '../../parts/states.tsx'
import { Link, setQuery } from '../../router.tsx'
import { Hint } from './hint.tsx'
import { MapView } from './map-view.tsx'
import { Panel } from './panel.tsx'
import { type Look, readLook } from './scenes/look.ts'
import { type Columns, type LoneBlock, pictureOf } from './scenes/picture.ts'
import { hoursUntil, type MapState, stateOf } from './state.ts'
import { TimeBar, toldOf } from './time-bar.tsx'
import { type Laid, useLayout } from './use-layout.ts'
import { useScene } from './use-scene.ts'

/** Characters of each text: as much as stands beside a block. */
const TEXT_LENGTH = 64
/** All edges: the page itself chooses those that are drawn. */
const ALL_EDGES = 1_000_000
/** Changes that come in quick succession, as in a dream, load the graph once, in milliseconds. */
const REST = 1_200
/** Blocks without edges that are read at most, a page at a time. */
const LONE = { most: 2_000, page: 200 }
/** Widths in CSS pixels: below, the panel lies over the map; the drawer and the panel take their room above. */
const NARROW = 760
const DRAWER = 480
const PANEL = 280

/** The screen of the graph. */
export function Screen({ query }: { readonly query: Query }) {
  const state = useMemo(() => stateOf(query), [query])
  const version = useRested(changes.value)
  const now = useLoad((signal) => readColumns({}, signal), [version])
  const then = useLoad((signal) => readPast(state.at, signal), [state.at, version])
  const lone = useLoad((signal) => readLone(state.lone, signal), [state.lone, version]).data ?? NONE
  const laid = useLayout(now.data)
  const past = useLayout(state.at === undefined ? undefined : then.data, { of: laid })
  if (now.failure && now.data === undefined)
    return (
      <div class="map-wait">
        <Failure why={now.failure} again={now.again} />
      </div>
    )
  if (now.data?.nodes.id.length === 0 && lone.length === 0) return <Nothing isAll={state.lone} />
  if (laid === undefined || !isPlaced(laid))
    return (
      <div class="map-wait">
        <h1 class="unseen">Graph</h1>
        <Skeleton lines={3} />
      </div>
    )
  return <GraphMap {...{ state, laid, past, lone }} hasDrawer={query.block !== undefined} />
}

/** Whether every block has a place; a map of none has groups, of which there are none. */
function isPlaced({ columns, places, groups }: Laid): boolean {
  const count = columns.nodes.id.length
  return places.length >= 2 * count && (count > 0 || groups !== undefined)
}

const NONE: readonly LoneBlock[] = []

function Nothing({ isAll }: { readonly isAll: boolean }) {
  const { data: status } = useOperation('status', {})
  if (status?.activeCount === 0)
    return (
      <Empty icon="graph" title="No graph yet">
        <h1 class="unseen">Graph</h1>
        <p>
          {status.inboxCount > 0
            ? 'What waits for a dream has no place in it yet. '
            : 'Nothing is remembered yet. '}
          <Link class="link" to={status.inboxCount > 0 ? 'health' : 'overview'}>
            {status.inboxCount > 0 ? 'Dream now' : 'See how to begin'}
          </Link>
        </p>
      </Empty>
    )
  return (
    <Empty icon="graph" title="No graph yet">
      <h1 class="unseen">Graph</h1>
      <p>
        Edges come from what agents connect, from what helped together, and from what a dream finds alike.
      </p>
      {!isAll && (
        <p class="map-nothing">
          <Button onClick={() => setQuery({ lone: '1' })}>Show blocks without edges</Button>
        </p>
      )}
    </Empty>
  )
}

interface GraphMapProps {
  readonly state: MapState
  readonly laid: Laid
  /** The graph as it was known at the time of the address, once that is read. */
  readonly past: Laid | undefined
  readonly lone: readonly LoneBlock[]
  readonly hasDrawer: boolean
}

function GraphMap({ state, laid, past, lone, hasDrawer }: GraphMapProps) {
  const [draft, setDraft] = useState<number>()
  const [isOpen, setOpen] = useState(false)
  const handle = useRef<BlockMap>(undefined)
  const look = useLook()
  const width = useWidth()
  const today = useMemo(() => pictureOf(laid.columns, lone), [laid.columns, lone])
  const isPast = draft === undefined && past !== undefined && isPlaced(past)
  const used = isPast ? past : laid
  const picture = useMemo(
    () => (isPast ? pictureOf(past.columns, NONE) : today),
    [isPast, past?.columns, today],
  )
  const resting = state.at === undefined ? Number.POSITIVE_INFINITY : hoursUntil(state.at, today.begin)
  const until = isPast ? Number.POSITIVE_INFINITY : (draft ?? resting)
  const isWide = width > NARROW
  const insets = useMemo(
    () => insetsOf({ isWide, hasDrawer, isNear: state.near !== undefined }),
    [isWide, hasDrawer, state.near === undefined],
  )
  const room = useMemo(
    () => ({
      width: width - insets.left - insets.right - (isWide ? 224 : 0),
      height: innerHeight - 56 - insets.top - insets.bottom,
    }),
    [width, insets, isWide],
  )
  const onMap = useScene({ picture, laid: used, state, until, look, room })
  const toBlock = (block: number) => openNear(picture.ids[block], isWide)
  const onSelect = (point: number | undefined) => {
    if (point === undefined) return
    const meaning = onMap.meaningOf(point)
    if (onMap.kind === 'folded') setQuery({ group: String(meaning) }, 'push')
    else toBlock(meaning)
  }
  useFollowDrawer(state, hasDrawer)
  const { blockCount, edges, drawn } = onMap.fitting
  const told = toldOf(blockCount, edges.length, onMap.kind === 'whole' ? drawn.length : edges.length)
  return (
    <div class="map-screen">
      <h1 class="unseen">Graph</h1>
      <MapView
        {...{ onMap, insets, onSelect, handle }}
        isSettled={used.isSettled}
        label={`Map of ${told}. The list of groups beside it names their best joined blocks.`}
      />
      {onMap.kind !== 'near' && (
        <section class={isOpen ? 'card map-panel is-open' : 'card map-panel'} aria-label="What is shown">
          <Panel {...{ picture, onMap, state }} groups={used.groups} onBlock={toBlock} />
        </section>
      )}
      <Hint {...{ state, onMap, isWide, hasDrawer, picture }} isPast={isPast} />
      <div class="map-zoom" style={hasDrawer && isWide ? { right: `${DRAWER + 16}px` } : undefined}>
        {onMap.kind !== 'near' && (
          <span class="only-narrow">
            <Button
              icon="filter"
              label="What is shown"
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            />
          </span>
        )}
        <Button icon="plus" label="Nearer" onClick={() => handle.current?.zoom(1.5)} />
        <Button icon="minus" label="Farther" onClick={() => handle.current?.zoom(1 / 1.5)} />
        <Button icon="fit" label="All of it" onClick={() => handle.current?.fit()} />
      </div>
      <div class="map-foot" style={hasDrawer && isWide ? { right: `${DRAWER + 16}px` } : undefined}>
        <TimeBar
          begin={today.begin}
          span={today.span}
          at={state.at}
          draft={draft}
          onDraft={setDraft}
          told={used.isSettled ? told : `${told} · settling`}
        />
      </div>
    </div>
  )
}

/** Shows the neighbourhood of a block; where there is room its drawer opens beside it. */
function openNear(id: string | undefined, isWide: boolean): void {
  setQuery({ near: id, block: isWide ? id : undefined }, 'push')
}

/** Another block in the drawer is the next middle, and stays it when the drawer is closed. */
function useFollowDrawer({ near }: MapState, hasDrawer: boolean): void {
  useEffect(() => {
    if (hasDrawer && near !== undefined) setQuery({ near })
  }, [near, hasDrawer])
}

function insetsOf({
  isWide,
  hasDrawer,
  isNear,
}: {
  readonly isWide: boolean
  readonly hasDrawer: boolean
  readonly isNear: boolean
}): Insets {
  if (!isWide) return { top: isNear ? 132 : 36, right: 16, bottom: 104, left: 16 }
  const right = hasDrawer ? DRAWER + 64 : 64
  return isNear ? { top: 76, right, bottom: 88, left: 24 } : { top: 40, right, bottom: 104, left: PANEL + 24 }
}

async function readColumns(
  past: { readonly knownAt?: string },
  signal: AbortSignal,
): Promise<Answer<Columns | undefined>> {
  const input = { columns: true, limit: ALL_EDGES, textLength: TEXT_LENGTH, ...past }
  const answer = await call('graph', input, { signal })
  return answer.ok ? { ok: true, value: answer.value.columns } : answer
}

async function readPast(at: string | undefined, signal: AbortSignal): Promise<Answer<Columns | undefined>> {
  return at === undefined ? { ok: true, value: undefined } : readColumns({ knownAt: at }, signal)
}

async function readLone(isWanted: boolean, signal: AbortSignal): Promise<Answer<readonly LoneBlock[]>> {
  const found: LoneBlock[] = []
  for (let offset = 0; isWanted && offset < LONE.most; offset += LONE.page) {
    const input = { isolated: true, details: true, limit: LONE.page, offset } as const
    const answer = await call('ls', input, { signal })
    if (!answer.ok) return answer
    found.push(...answer.value.blocks.map((block) => ({ ...block, belief: block.details?.belief })))
    if (answer.value.blocks.length < LONE.page) break
  }
  return { ok: true, value: found }
}

/** The value once it has rested. */
function useRested(value: number): number {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST)
    return () => clearTimeout(timer)
  }, [value])
  return rested
}

/** The colours of the theme, read anew when it changes. */
function useLook(): Look {
  const [look, setLook] = useState(readLook)
  useEffect(() => {
    const observer = new MutationObserver(() => setLook(readLook()))
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => observer.disconnect()
  }, [])
  return look
}

function useWidth(): number {
  const [width, setWidth] = useState(innerWidth)
  useEffect(() => {
    const read = () => setWidth(innerWidth)
    addEventListener('resize', read)
    return () => removeEventListener('resize', read)
  }, [])
  return width
}
