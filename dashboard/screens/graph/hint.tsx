import { dates, number, plural } from '../../format.ts'
import { Button, Segmented } from '../../parts/button.tsx'
import { Words } from '../../parts/chip.tsx'
import { setQuery } from '../../router.tsx'
import type { Picture } from './scenes/picture.ts'
import type { MapState } from './state.ts'
import type { OnMap } from './use-scene.ts'

interface HintProps {
  readonly state: MapState
  readonly onMap: OnMap
  readonly picture: Picture
  readonly isWide: boolean
  readonly hasDrawer: boolean
  readonly isPast: boolean
}

/** Says which part of the graph is shown, and leads back. */
export function Hint({ state, onMap, picture, isWide, hasDrawer, isPast }: HintProps) {
  const part = partOf({ state, onMap, picture, isWide, hasDrawer })
  if (part === undefined && !isPast) return null
  const place = isWide
    ? { left: hasDrawer ? 'calc((100% - 480px) / 2)' : onMap.kind === 'near' ? '50%' : 'calc(50% + 140px)' }
    : {}
  return (
    <div class="card map-hint" style={place} aria-live="polite">
      {part}
      {isPast && state.at !== undefined && (
        <>
          <span class="small">As it was known on {dates.date(state.at)}</span>
          <Button size="small" onClick={() => setQuery({ at: undefined })}>
            Now
          </Button>
        </>
      )}
    </div>
  )
}

function textOf({ ids, texts }: Picture, id: string | undefined): string {
  return texts[ids.indexOf(id ?? '')] ?? ''
}

function partOf({ state, onMap, picture, isWide, hasDrawer }: Omit<HintProps, 'isPast'>) {
  if (onMap.kind === 'near')
    return (
      <>
        <span class="small only-wide">Its neighbourhood</span>
        <Segmented
          label="Steps"
          value={state.steps === 2 ? '2' : '1'}
          options={[
            ['1', '1 step'],
            ['2', '2 steps'],
          ]}
          onChange={(steps) => setQuery({ steps: steps === '2' ? '2' : undefined })}
        />
        {!hasDrawer && <Words class="map-middle small" text={textOf(picture, state.near)} />}
        {!hasDrawer && (
          <Button size="small" onClick={() => setQuery({ block: state.near }, 'push')}>
            {isWide ? 'Open it' : 'Open'}
          </Button>
        )}
        <Button
          size="small"
          onClick={() => setQuery({ block: undefined, near: undefined, steps: undefined }, 'push')}
        >
          Whole graph
        </Button>
      </>
    )
  if (state.near !== undefined)
    return <span class="small">That block has no edge, or is not on the map: the whole graph is shown.</span>
  if (state.group !== undefined)
    return (
      <>
        <Words
          class="strong small clip"
          text={onMap.names.find(({ group }) => group === state.group)?.name ?? ''}
        />
        <Button size="small" onClick={() => setQuery({ group: undefined }, 'push')}>
          {picture.joined > 5_000 ? 'All groups' : 'Whole graph'}
        </Button>
      </>
    )
  if (onMap.kind === 'folded')
    return (
      <>
        <span class="small">{plural(picture.joined, 'block')} as their groups</span>
        <Button size="small" onClick={() => setQuery({ every: '1' }, 'push')}>
          Every block
        </Button>
      </>
    )
  if (state.every)
    return (
      <>
        <span class="small">{number(onMap.fitting.blockCount)} blocks one by one</span>
        <Button size="small" onClick={() => setQuery({ every: undefined }, 'push')}>
          Groups
        </Button>
      </>
    )
  return undefined
}
