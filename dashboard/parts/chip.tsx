import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { dates, percent, shortId, speakerWords } from '../format.ts'
import { shown } from '../shown.ts'
import { Icon, type IconName } from './icon.tsx'

/** What a colour says. */
export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'accent'

interface ChipProps {
  readonly tone?: Tone | undefined
  readonly icon?: IconName
  readonly title?: string
  readonly children: ComponentChildren
}

/** A word on a soft ground. */
export function Chip({ tone, icon, title, children }: ChipProps) {
  return (
    <span class={tone === undefined ? 'chip' : `chip ${tone}`} title={title}>
      {icon && <Icon name={icon} size={13} />}
      <span class="clip">{children}</span>
    </span>
  )
}

const SPEAKERS: Readonly<Record<string, readonly [IconName, Tone?]>> = {
  user: ['person', 'accent'],
  agent: ['spark'],
  model: ['model'],
  tool: ['tool'],
  document: ['document'],
  peer: ['peer'],
  import: ['incoming', 'warn'],
}

interface WhoProps {
  readonly sourceClass: string
  readonly source?: string | undefined
}

/** Who speaks in a block. */
export function Who({ sourceClass, source }: WhoProps) {
  const [icon, tone] = SPEAKERS[sourceClass] ?? (['document'] as const)
  const words = speakerWords(sourceClass)
  const isNamed = source !== undefined && ![words, sourceClass].includes(source.toLowerCase())
  const label = isNamed ? `${words}: ${shown(source)}` : words
  return (
    <Chip icon={icon} tone={tone} title={`Who speaks: ${label}`}>
      <span dir="auto">{label}</span>
    </Chip>
  )
}

interface MeterProps {
  /** 0..1 */
  readonly value: number
  readonly label: string
  readonly kind: 'confidence' | 'freshness'
}

/** A share as a bar and a number. */
export function Meter({ value, label, kind }: MeterProps) {
  const isLow = kind === 'confidence' ? value < 0.4 : value < 0.2
  const isEven = kind === 'confidence' && Math.abs(value - 0.5) < 0.005
  return (
    <span
      class={`meter ${kind}${isLow ? ' low' : ''}${isEven ? ' even' : ''}`}
      title={`${label} ${percent(value)} %`}
    >
      <i>
        <u style={{ width: `${Math.max(2, Math.min(100, value * 100))}%` }} />
      </i>
      <span>
        <span class="unseen">{label} </span>
        {percent(value)}
      </span>
    </span>
  )
}

/** An id as eight characters that a click copies. */
export function Id({ id }: { readonly id: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = () => {
    void navigator.clipboard.writeText(id).then(
      () => {
        setCopied(true)
        setTimeout(() => setCopied(false), 1_500)
      },
      () => undefined,
    )
  }
  return (
    <button type="button" class="id" title={`Copy ${id}`} onClick={copy}>
      {shortId(id)}
      <span class="unseen">, copy the id</span>
      <span class="copied" aria-live="polite">
        {isCopied ? 'copied' : ''}
      </span>
    </button>
  )
}

/** A date, with the time where the pointer rests. */
export function When({ at, time = false }: { readonly at: string; readonly time?: boolean }) {
  return (
    <time dateTime={at} title={`${dates.day(at)}, ${dates.time(at)}`}>
      {dates.date(at)}
      {time && `, ${dates.time(at)}`}
    </time>
  )
}

/** Remembered words: escaped, their direction found out, what cannot be seen written out. */
export function Words({ text, class: name = '' }: { readonly text: string; readonly class?: string }) {
  return (
    <span class={name} dir="auto">
      {shown(text)}
    </span>
  )
}
