import { useId, useState } from 'preact/hooks'
import { momentWords } from '../../format.ts'
import { Button, Segmented } from '../../parts/button.tsx'
import { Chip } from '../../parts/chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Scrolls } from '../../parts/scrolls.tsx'
import { type Asked, BOUNDS, FRAMES, isAsked, refusedIn, share, whole } from './rules/asked.ts'

interface QuestionProps {
  readonly asked: Asked
  readonly onAsk: (change: Partial<Asked>) => void
}

/** The fields of the form as they are typed. */
interface Typed {
  readonly query: string
  readonly limit: string
  readonly budget: string
  readonly floor: string
  readonly asOf: string
  readonly knownAt: string
}

/** The question, the frame and the bounds of an answer. */
export function Question({ asked, onAsk }: QuestionProps) {
  const [typed, setTyped] = useState<Typed>(() => typedOf(asked))
  const [isOpen, setOpen] = useState(hasBounds(asked))
  const frame = FRAMES.find(({ name }) => name === asked.frame)
  const type = (change: Partial<Typed>) => setTyped((before) => ({ ...before, ...change }))
  const refused: Partial<Typed> = refusedIn(typed)
  const isRefused = Object.keys(refused).length > 0
  const field = (name: keyof Typed) => ({
    value: typed[name],
    refused: refused[name],
    onType: (value: string) => type({ [name]: value }),
  })
  const submit = (event: Event) => {
    event.preventDefault()
    if (isRefused) return setOpen(true)
    onAsk(fieldsOf(typed))
  }
  const choose = (name: Asked['frame']) => {
    if (isRefused) return setOpen(true)
    const next = { ...fieldsOf(typed), frame: name }
    onAsk(next)
  }
  return (
    <section class="card">
      <form class="card-body question" onSubmit={submit}>
        <div class="row wrap between">
          <div class="row wrap">
            <h1>Recall lab</h1>
            <Chip icon="eye" title="No clock moves, no edge is made and nothing is logged until you report">
              a look, changes nothing
            </Chip>
          </div>
          <Scrolls chosen={asked.frame}>
            <Segmented
              label="Frame"
              value={asked.frame}
              options={FRAMES.map(({ name, label }) => [name, label] as const)}
              onChange={choose}
            />
          </Scrolls>
        </div>
        {frame && (
          <p class="small second" aria-live="polite">
            <b>Frame {frame.label.toLowerCase()}.</b> {frame.does}
          </p>
        )}
        <div class="row">
          <input
            class="field large grow"
            aria-label="Question"
            placeholder={frame?.hint}
            enterKeyHint="search"
            autocomplete="off"
            dir="auto"
            value={typed.query}
            onInput={(event) => type({ query: event.currentTarget.value })}
          />
          <Button type="submit" tone="primary">
            Recall
          </Button>
        </div>
        <div class="row wrap small second bounds-row">
          <button
            type="button"
            class="link only-narrow-inline"
            aria-expanded={isOpen}
            aria-controls="bounds"
            onClick={() => setOpen(!isOpen)}
          >
            Bounds and dates
          </button>
          <div id="bounds" class={isOpen ? 'bounds is-open' : 'bounds'}>
            <NumberField label="At most" unit="blocks" hint="all near" {...field('limit')} />
            <NumberField label="Budget" unit="tokens" hint="frame’s" {...field('budget')} />
            <NumberField label="Nothing below" hint="0.35" mode="decimal" {...field('floor')} />
            <DateField label="True on" {...field('asOf')} />
            <DateField label="As known on" {...field('knownAt')} />
          </div>
        </div>
        {isAsked(asked) && <PastNote asked={asked} onAsk={onAsk} />}
      </form>
    </section>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onType: (value: string) => void
  readonly unit?: string
  readonly hint?: string
  readonly mode?: 'numeric' | 'decimal'
  /** What is allowed, where what is typed is not. */
  readonly refused?: string | undefined
}

function NumberField({ label, value, onType, unit, hint, mode = 'numeric', refused }: FieldProps) {
  const id = useId()
  return (
    <label class="row bound">
      <span>{label}</span>
      <input
        class="field number small"
        inputMode={mode}
        placeholder={hint}
        value={value}
        aria-invalid={refused === undefined ? undefined : 'true'}
        aria-describedby={refused === undefined ? undefined : id}
        onInput={(event) => onType(event.currentTarget.value)}
      />
      {unit && <span>{unit}</span>}
      {refused && (
        <span id={id} class="bound-refused" aria-live="polite">
          {refused}
        </span>
      )}
    </label>
  )
}

function DateField({ label, value, onType }: FieldProps) {
  return (
    <label class="row bound">
      <span>{label}</span>
      <input
        class="field number"
        type="date"
        value={value}
        onInput={(event) => onType(event.currentTarget.value)}
      />
    </label>
  )
}

/** Says that the answer is of another time, and leads back. */
function PastNote({ asked: { asOf, knownAt }, onAsk }: QuestionProps) {
  if (asOf === undefined && knownAt === undefined) return null
  const parts = [
    ...(asOf === undefined ? [] : [`what was true on ${momentWords(asOf)}`]),
    ...(knownAt === undefined ? [] : [`what the memory knew on ${momentWords(knownAt)}`]),
  ]
  return (
    <p class="row wrap small">
      <Icon name="clock" />
      <span>This is {parts.join(', and ')}.</span>
      <button type="button" class="link" onClick={() => onAsk({ asOf: undefined, knownAt: undefined })}>
        Back to now
      </button>
    </p>
  )
}

function typedOf({ query, limit, budget, floor, asOf, knownAt }: Asked): Typed {
  return {
    query,
    limit: limit?.toString() ?? '',
    budget: budget?.toString() ?? '',
    floor: floor?.toString() ?? '',
    asOf: asOf?.slice(0, 10) ?? '',
    knownAt: knownAt?.slice(0, 10) ?? '',
  }
}

function fieldsOf(typed: Typed): Partial<Asked> {
  return {
    query: typed.query.trim(),
    limit: whole(typed.limit, BOUNDS.limit),
    budget: whole(typed.budget, BOUNDS.budget),
    floor: share(typed.floor),
    asOf: typed.asOf || undefined,
    knownAt: typed.knownAt || undefined,
  }
}

function hasBounds({ limit, budget, floor, asOf, knownAt }: Asked): boolean {
  return [limit, budget, floor, asOf, knownAt].some((each) => each !== undefined)
}
