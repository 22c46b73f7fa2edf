import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RecallCandidate, WhyResult } from '../../../src/operations/methods.generated.ts'
import type { Query } from '../../address.ts'
import { type Answer, call } from '../../api.ts'
import { useLoad } from '../../load.ts'
import { Button } from '../../parts/button.tsx'
import { Chip, Who, Words } from '../../parts/chip.tsx'
import { Failure, Skeleton } from '../../parts/states.tsx'
import { Link, openBlock, setQuery } from '../../router.tsx'
import { shown } from '../../shown.ts'
import { type Asked, lookOf } from './rules/asked.ts'
import { numberWords } from './rules/numbers.ts'
import type { Room } from './rules/reasons.ts'
import { Bar, Explained } from './terms-view.tsx'
import { Ways } from './ways.tsx'

/** The beginning of an id. */
const ID_BEGINNING = /^[0-9a-f]{4,64}$/
/** Blocks that are named where several have the words. */
const NAMED_MOST = 8

interface WhyNotProps {
  readonly asked: Asked
  readonly query: Query
  readonly scale: number
  readonly room: Room
  readonly candidates: readonly RecallCandidate[]
  readonly ask: (change: Partial<Asked>) => void
  readonly again: () => void
}

/** What was found for the words: one block explained, or several to choose from, all of them archived or not. */
type Found =
  | { readonly why: WhyResult }
  | {
      readonly several: readonly { readonly id: string; readonly content: string }[]
      readonly areArchived: boolean
    }
  | { readonly unknown: string }

/** Why a block that was expected is not in the answer: by its words or its id. */
export function WhyNot(props: WhyNotProps) {
  const { asked, query } = props
  const said = query.why?.trim() ?? ''
  const [text, setText] = useState(said)
  const loaded = useLoad((signal) => find(said, asked, signal), [said, JSON.stringify(asked)])
  const { data, failure, isLoading, again } = loaded
  const box = useRef<HTMLDivElement>(null)
  const follow = useBroughtIntoView(box, isLoading)
  const close = () => {
    setText('')
    setQuery({ why: undefined })
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (text.trim() !== '') follow()
    if (text.trim() === said) again()
    setQuery({ why: text.trim() || undefined })
  }
  return (
    <div class="why-not" ref={box}>
      <form class="row small" onSubmit={submit}>
        <label class="row grow">
          <span class="second nowrap">Why not…</span>
          <input
            class="field grow"
            placeholder="words or id of a block you expected"
            dir="auto"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <Button type="submit" size="small">
          Explain
        </Button>
        {said !== '' && <Button tone="quiet" size="small" icon="close" label="Close" onClick={close} />}
      </form>
      {/* Always there: a reader announces only changes of what it knows. */}
      <div class={said === '' ? undefined : 'why-not-answer'} aria-live="polite">
        {said !== '' && (
          <>
            {failure && <Failure why={failure} />}
            {data === undefined && isLoading && <Skeleton lines={3} />}
            {failure === undefined && data && <FoundView {...props} found={data} onChoose={follow} />}
          </>
        )}
      </div>
    </div>
  )
}

/** Once it is asked to, brings a box into view as soon as its next answer stands in it. The focus stays where it is. */
function useBroughtIntoView(box: RefObject<HTMLElement | null>, isLoading: boolean): () => void {
  const step = useRef<'asked' | 'loading'>(undefined)
  useEffect(() => {
    if (step.current === 'asked' && isLoading) step.current = 'loading'
    else if (step.current === 'loading' && !isLoading) {
      step.current = undefined
      const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
      box.current?.scrollIntoView({ block: 'nearest', behavior: isStill ? 'auto' : 'smooth' })
    }
  }, [isLoading])
  return () => {
    step.current = 'asked'
  }
}

async function find(said: string, lab: Asked, signal: AbortSignal): Promise<Answer<Found | undefined>> {
  if (said === '') return { ok: true, value: undefined }
  const { query = '', frame, limit, tokenBudget, minStrength, asOf, knownAt } = lookOf(lab)
  const question = { query, frame, limit, tokenBudget, minStrength, asOf, knownAt }
  const explain = async (block: string): Promise<Answer<Found>> => {
    const answer = await call('why', { ...question, block }, { signal })
    return answer.ok ? { ok: true, value: { why: answer.value } } : answer
  }
  if (ID_BEGINNING.test(said)) {
    const answer = await explain(said)
    if (answer.ok || answer.failure.code !== 'NOT_FOUND') return answer
  }
  // Active blocks come before waiting ones, and waiting blocks before archived ones.
  for (const status of ['active', 'inbox', 'archived'] as const) {
    const words = { words: said.slice(0, 200), limit: NAMED_MOST, sort: 'used', status } as const
    const named = await call('ls', words, { signal })
    if (!named.ok) return named
    const [first, ...more] = named.value.blocks
    if (more.length > 0)
      return { ok: true, value: { several: named.value.blocks, areArchived: status === 'archived' } }
    if (first !== undefined) return explain(first.id)
  }
  return { ok: true, value: { unknown: said } }
}

interface FoundViewProps extends WhyNotProps {
  readonly found: Found
  readonly onChoose: () => void
}

function FoundView({ found, onChoose, ...props }: FoundViewProps) {
  if ('why' in found) return <One {...props} why={found.why} />
  if ('unknown' in found) return <Unknown said={found.unknown} />
  return (
    <>
      <p class="small second">
        {found.areArchived
          ? 'Only archived blocks have these words. Which one?'
          : 'Several blocks have these words. Which one?'}
      </p>
      <ul class="lines">
        {found.several.map(({ id, content }) => (
          <li key={id}>
            <button
              type="button"
              class="line"
              onClick={() => {
                onChoose()
                setQuery({ why: id })
              }}
            >
              <Words class="main clip-2" text={content} />
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

interface OneProps extends Omit<WhyNotProps, 'query'> {
  readonly why: WhyResult
}

function One({ why, candidates, scale, room, ask, again }: OneProps) {
  const { block, candidate } = why
  const { id, content, sourceClass, source, status } = block
  return (
    <>
      <button type="button" class="plain" onClick={() => openBlock(id)}>
        <Words class="words clip-4" text={content} />
      </button>
      <span class="row wrap chips">
        <Who sourceClass={sourceClass} source={source} />
        {status !== 'active' && <Chip tone="warn">{status === 'inbox' ? 'waiting' : 'archived'}</Chip>}
        {why.shown === 'entry' && candidate && <Chip tone="good">shown</Chip>}
        <span class="small quiet-text">{placeWords(why, numberWords(id, candidates))}</span>
      </span>
      {why.shown !== 'entry' && <Ways placed={{ ...why, id }} {...{ room, ask, again }} />}
      {candidate && (
        <>
          <Bar terms={candidate.explanation.terms} scale={scale} />
          <Explained explanation={candidate.explanation} score={candidate.score} />
        </>
      )}
    </>
  )
}

function placeWords({ candidate, candidatesTotal }: WhyResult, number: string | undefined): string {
  if (candidate === undefined) return `none of the ${candidatesTotal} candidates`
  return `${number ?? 'one'} of the ${candidatesTotal} candidates`
}

function Unknown({ said }: { readonly said: string }) {
  return (
    <p class="small">
      <b>No block has these words.</b>{' '}
      <span class="second" dir="auto">
        Nothing is remembered that says “{shown(said)}”, and nothing archived either. Try fewer words, or look
        through
      </span>{' '}
      <Link class="link" to="memory">
        Memory
      </Link>
      .
    </p>
  )
}
