import { useEffect, useState } from 'preact/hooks'
import { dates, number } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { setQuery } from '../../router.tsx'
import { hoursUntil, momentAfter } from './state.ts'

const MS_PER_HOUR = 3_600_000
/** The memory grows in so many steps, each so many milliseconds long: 12 seconds in all. */
const GROWING = { steps: 150, each: 80 }

interface TimeBarProps {
  readonly begin: number
  /** Hours from the beginning to the last thing that came. */
  readonly span: number
  /** The time the address names. */
  readonly at: string | undefined
  /** Hours that are shown while the hand moves; undefined when it rests. */
  readonly draft: number | undefined
  readonly onDraft: (hours: number | undefined) => void
  /** How many blocks and edges are shown, and what is to be said of them. */
  readonly told: string
}

/** A slider over time, with a button that lets the memory grow before one's eyes. */
export function TimeBar({ begin, span, at, draft, onDraft, told }: TimeBarProps) {
  const [isPlaying, setPlaying] = useState(false)
  const resting = at === undefined ? span : Math.min(span, Math.max(0, hoursUntil(at, begin)))
  const hours = draft ?? resting
  usePlaying(isPlaying, { hours, span, onDraft, onEnd: () => setPlaying(false) })
  const rest = (value: number) => {
    onDraft(undefined)
    setQuery({ at: value >= span ? undefined : momentAfter(value, begin, Date.now()) })
  }
  const isNow = hours >= span
  const words = isNow ? 'now' : dates.date(begin + hours * MS_PER_HOUR)
  return (
    <div class="card map-time">
      <Button
        size="small"
        icon={isPlaying ? 'pause' : 'play'}
        label={isPlaying ? 'Stop' : 'Watch it grow'}
        onClick={() => {
          if (!isPlaying) onDraft(isNow ? 0 : hours)
          else rest(hours)
          setPlaying(!isPlaying)
        }}
      />
      <input
        type="range"
        class="grow"
        min={0}
        max={span}
        step={Math.max(1, Math.round(span / 500))}
        value={hours}
        aria-label="As it was on"
        aria-valuetext={words}
        onInput={({ currentTarget }) => {
          setPlaying(false)
          onDraft(Number(currentTarget.value))
        }}
        onChange={({ currentTarget }) => rest(Number(currentTarget.value))}
      />
      <span class="map-date number">{words}</span>
      <span class="quiet-text small number map-told">{told}</span>
    </div>
  )
}

/** A number of blocks and edges in words. */
export function toldOf(blocks: number, edges: number, drawn: number): string {
  const all = `${number(blocks)} blocks · ${number(edges)} edges`
  return drawn < edges ? `${all}, the firmest ${number(drawn)} drawn` : all
}

interface Playing {
  readonly hours: number
  readonly span: number
  readonly onDraft: (hours: number | undefined) => void
  readonly onEnd: () => void
}

function usePlaying(isPlaying: boolean, { hours, span, onDraft, onEnd }: Playing): void {
  useEffect(() => {
    if (!isPlaying) return
    const timer = setTimeout(() => {
      const next = hours + span / GROWING.steps
      if (next < span) return onDraft(next)
      onDraft(undefined)
      setQuery({ at: undefined })
      onEnd()
    }, GROWING.each)
    return () => clearTimeout(timer)
  })
}
