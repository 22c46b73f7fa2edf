import { useState } from 'preact/hooks'
import { type Answer, call, type Output, type Failure as Why } from '../../api.ts'
import { change } from '../../change.ts'
import { plural } from '../../format.ts'
import { changed, progress } from '../../live.ts'
import { pageWords } from '../../page-words.ts'
import { Button } from '../../parts/button.tsx'
import { Chip, Words } from '../../parts/chip.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { Failure, Notice, Skeleton } from '../../parts/states.tsx'
import { Link } from '../../router.tsx'

/** What the doctor answers. */
export type Diagnosis = Output<'doctor'>
type Check = Diagnosis['checks'][number]

const SHOWN: Readonly<Record<Check['outcome'], readonly [IconName, string, string]>> = {
  fail: ['close', 'bad', 'broken'],
  warn: ['alert', 'warn', 'wants a look'],
  ok: ['check', 'accent', 'fine'],
  skipped: ['minus', '', 'not asked'],
}
/** The order of outcomes: what needs somebody comes first. */
const ORDER: readonly Check['outcome'][] = ['fail', 'warn', 'ok', 'skipped']
/** Checks that name what Review decides. */
const IN_REVIEW: readonly Check['name'][] = ['pairs', 'labels', 'inbox']

const TITLES = {
  ok: 'Everything it needs is there',
  warn: 'Something wants a look',
  fail: 'Something is broken',
} as const

/** The title of the screen: what the checks found. */
export function titleOf(diagnosis: Diagnosis | undefined): string {
  return diagnosis === undefined ? 'Doctor' : TITLES[diagnosis.outcome]
}

/** How a long check runs and ends. */
interface Running {
  readonly isBusy: boolean
  readonly failure?: Why | undefined
  readonly run: (input: { readonly resolve?: boolean; readonly fix?: boolean }) => void
  readonly cancel: () => void
  readonly call: string
}

/** Runs the doctor and tells how far it is; what was found before stays meanwhile. */
export function useDoctor(onDone: (diagnosis: Diagnosis) => void): Running {
  const [state, setState] = useState<{ ending?: AbortController; failure?: Why | undefined }>({})
  const name = 'doctor'
  const run = async (input: { readonly resolve?: boolean; readonly fix?: boolean }) => {
    const ending = new AbortController()
    setState({ ending })
    const options = { signal: ending.signal, call: name }
    const answer: Answer<Diagnosis> = input.fix
      ? await change('doctor', input, { ...options, said: 'What is safe was repaired.' })
      : await call('doctor', input, options)
    if (answer.ok) onDone(answer.value)
    if (answer.ok && input.fix) changed()
    setState(answer.ok || ending.signal.aborted ? {} : { failure: answer.failure })
  }
  return {
    isBusy: state.ending !== undefined,
    failure: state.failure,
    run: (input) => void run(input),
    cancel: () => state.ending?.abort(),
    call: name,
  }
}

interface ChecksProps {
  readonly diagnosis: Diagnosis | undefined
  readonly isLoading: boolean
  readonly failure: Why | undefined
  readonly running: Running
}

/** The checks, bad ones first with what to do. */
export function Checks({ diagnosis, isLoading, failure, running }: ChecksProps) {
  const why = running.failure ?? failure
  const checks = [...(diagnosis?.checks ?? [])].sort(
    (one, other) => ORDER.indexOf(one.outcome) - ORDER.indexOf(other.outcome),
  )
  const bad = checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'warn')
  const rest = checks.filter((check) => !bad.includes(check))
  return (
    <>
      {why && <Failure why={why} again={() => running.run({})} />}
      {running.isBusy && <Going running={running} />}
      {diagnosis === undefined && isLoading && <Skeleton lines={14} />}
      {bad.length > 0 && (
        <section
          class={
            bad.some(({ outcome }) => outcome === 'fail') ? 'card doctor-bad is-broken' : 'card doctor-bad'
          }
          aria-label="What wants a look"
        >
          <ul class="card-body lines">
            {bad.map((check) => (
              <Line key={check.name} check={check} />
            ))}
          </ul>
        </section>
      )}
      {rest.length > 0 && (
        <details class="card doctor-fine" open={bad.length === 0}>
          <summary>
            <h2>{plural(rest.length, 'check')} without a finding</h2>
          </summary>
          <ul class="card-body lines">
            {rest.map((check) => (
              <Line key={check.name} check={check} />
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function Going({ running }: { readonly running: Running }) {
  const now = progress.value?.call === running.call ? progress.value : undefined
  return (
    <Notice
      tone="info"
      icon="clock"
      title="It is being checked"
      action={
        <Button size="small" onClick={running.cancel}>
          Cancel
        </Button>
      }
    >
      {now ? `${now.stage}: ${now.done} of ${now.total}` : 'A large memory takes some seconds.'}
    </Notice>
  )
}

function Line({ check }: { readonly check: Check }) {
  const { name, title, outcome, message, recovery, seconds } = check
  const [icon, tone, words] = SHOWN[outcome]
  // Its recovery names calls of the library; here a screen does the same.
  const isInReview = IN_REVIEW.includes(name) && outcome !== 'ok'
  return (
    <li class="doctor-check">
      <span class={`badge ${tone}`} title={words}>
        <Icon name={icon} size={14} />
      </span>
      <div class="grow">
        <b>{title}</b>
        {outcome === 'fail' ? (
          <>
            {' '}
            <Chip tone="bad">{words}</Chip>
          </>
        ) : (
          <span class="unseen">: {words}</span>
        )}
        <Words class="second small doctor-said" text={pageWords(message)} />
        {recovery && !isInReview && <Words class="small doctor-said" text={pageWords(recovery)} />}
        {isInReview && (
          <Link class="link small" to="review">
            Decide about them
          </Link>
        )}
      </div>
      {seconds !== undefined && <span class="quiet-text small number">{Math.round(seconds * 1_000)} ms</span>}
    </li>
  )
}
