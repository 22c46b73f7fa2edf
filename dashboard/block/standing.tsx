import { ConfidenceCurve, FadingCurve } from '../charts/block-curves.tsx'
import { hoursOfUse, number, percent, plural, tierWords } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Chip, When, Words } from '../parts/chip.tsx'
import { Link, setQuery } from '../router.tsx'
import { shown as seen } from '../shown.ts'
import type { Shown } from './block-drawer.tsx'

/** Reports from which a block counts as tested. */
const TESTED = 3

const rounded = (value: number) => number(Math.round(value * 10) / 10)

/** Why it stands as it does: confidence with its evidence, freshness with its end, and the facts. */
export function Standing({ shown, mayAct }: { readonly shown: Shown; readonly mayAct: boolean }) {
  const { block, freshness, questions } = shown
  const reports = block.successes + block.failures
  return (
    <section class="column">
      <h2>Why it stands as it does</h2>
      <div class="figures">
        <figure>
          <div class="row between">
            <h3>Confidence</h3>
            <span class="figure-number">{percent(block.confidence)} %</span>
          </div>
          <ConfidenceCurve helped={block.successes} misled={block.failures} confidence={block.confidence} />
          <figcaption>
            {reports === 0 ? (
              'Nothing was reported about it, so nothing speaks for it or against it.'
            ) : (
              <>
                Helped <b>{rounded(block.successes)}</b>, misled <b>{rounded(block.failures)}</b>
                {questions.length > 0 && `, in ${plural(questions.length, 'question')}`}.{' '}
                {reports < TESTED ? 'Little evidence: the next report still moves it much.' : 'Well tested.'}
              </>
            )}
          </figcaption>
        </figure>
        <figure>
          <div class="row between">
            <h3>Freshness</h3>
            <span class="figure-number">{percent(freshness)} %</span>
          </div>
          <FadingCurve {...shown} decayLambda={block.decayLambda} />
          <figcaption>
            {capital(shown.tier)}: {tierWords(shown.tier)}. {endWords(shown)}
          </figcaption>
        </figure>
      </div>
      <Facts shown={shown} />
      {mayAct && block.sourceClass !== 'user' && block.status !== 'archived' && (
        <div>
          <Button size="small" icon="shield" onClick={() => setQuery({ act: 'vouch' })}>
            Mark as my own words
          </Button>
        </div>
      )}
    </section>
  )
}

function endWords({ block, archivedAfterHours }: Shown): string {
  if (block.status === 'archived') return 'It is archived.'
  if (archivedAfterHours === undefined) return 'It is never archived for it.'
  if (archivedAfterHours === 0) return 'The next tidying up archives it.'
  return `Unused, it is archived after ${hoursOfUse(archivedAfterHours)} more of use.`
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function SaidAgain({ occurrences }: { readonly occurrences: NonNullable<Shown['block']['occurrences']> }) {
  if (occurrences.length === 0) return null
  return (
    <>
      <dt>Said again</dt>
      {occurrences.map(({ at, createdAt, source, sourceClass }) => (
        <dd key={`${at} ${createdAt}`}>
          <When at={at} time /> · <span dir="auto">{seen(source ?? sourceClass)}</span>
        </dd>
      ))}
    </>
  )
}

/** Shows the day and the probability of a prediction, and if it came true. */
function Expected({ prediction }: Pick<Shown, 'prediction'>) {
  if (prediction === undefined) return null
  const { by, probability, cameTrue } = prediction
  const became = cameTrue === undefined ? 'not settled' : cameTrue ? 'came true' : 'did not come true'
  return (
    <>
      <dt>Expected</dt>
      <dd>
        by <When at={by} />, {percent(probability)} % likely; {became}
      </dd>
    </>
  )
}

function Facts({ shown: { block, edgesTotal, prediction } }: { readonly shown: Shown }) {
  return (
    <dl class="facts">
      <dt>Joined to</dt>
      <dd>{plural(edgesTotal, 'block')}</dd>
      <dt>Said</dt>
      <dd>
        <When at={block.occurredAt} time />
      </dd>
      <Expected prediction={prediction} />
      <SaidAgain occurrences={block.occurrences ?? []} />
      <dt>Taken in</dt>
      <dd>
        <When at={block.createdAt} time />
      </dd>
      <dt>Conversation</dt>
      <dd>
        <Link class="link" to="memory" query={{ session: block.session }}>
          <span dir="auto">{seen(block.session)}</span>
        </Link>
        , place {number(block.position + 1)}
      </dd>
      <dt>Category</dt>
      <dd>
        <Link class="link" to="memory" query={{ category: block.category }}>
          {seen(block.category)}
        </Link>
      </dd>
      {block.cue && (
        <>
          <dt>Comes to mind</dt>
          <dd>
            <Words text={block.cue} />
          </dd>
        </>
      )}
      <dt>Recalled</dt>
      <dd>{plural(block.reinforcementCount, 'time')}</dd>
      {block.archivedAt && (
        <>
          <dt>Archived</dt>
          <dd>
            <When at={block.archivedAt} time />
          </dd>
        </>
      )}
    </dl>
  )
}

/** What was reported about it, and for which questions it helped. */
export function Outcomes({ shown: { outcomes, questions } }: { readonly shown: Shown }) {
  if (outcomes.length === 0) return null
  return (
    <section class="column">
      <h2>Outcomes</h2>
      <ol class="lines">
        {outcomes.map((outcome) => (
          <li class="row outcome" key={`${outcome.at}${outcome.source}${outcome.signal}`}>
            <Signal signal={outcome.signal} />
            <span class="grow clip second small">
              <Words text={outcome.source || 'no note'} />
            </span>
            <span class="small quiet-text">
              <When at={outcome.at} />
            </span>
          </li>
        ))}
      </ol>
      {questions.length > 0 && (
        <details>
          <summary class="small">For which questions</summary>
          <ul class="lines">
            {questions.map(({ question, helped, misled, beside }, at) => (
              <li class="outcome small" key={`${question}${at}`}>
                <Words text={question ?? 'a question that was not kept'} />
                <div class="quiet-text">
                  helped {rounded(helped)}, misled {rounded(misled)}, beside the point {rounded(beside)}
                </div>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function Signal({ signal }: { readonly signal: number }) {
  const hasHelped = signal >= 0.5
  return (
    <Chip tone={hasHelped ? 'good' : 'bad'} icon={hasHelped ? 'up' : 'down'}>
      {hasHelped ? 'helped' : 'misled'}
    </Chip>
  )
}
