import type { RecallResult } from '../../../src/operations/methods.generated.ts'
import type { Query } from '../../address.ts'
import { change, mayChange } from '../../change.ts'
import { number, percent } from '../../format.ts'
import { Select } from '../../parts/button.tsx'
import { Words } from '../../parts/chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import { openBlock } from '../../router.tsx'
import { shown } from '../../shown.ts'
import { BesideAnother } from './beside-another.tsx'
import type { Asked } from './rules/asked.ts'

interface BesideProps {
  readonly answer: RecallResult
  readonly asked: Asked
  readonly query: Query
  readonly again: () => void
}

/** Beside the candidates: the text as the agent reads it, what speaks against it, and pairs that may belong together. */
export function Beside({ answer, asked, query, again }: BesideProps) {
  return (
    <div class="span-4 beside">
      <Reads answer={answer} />
      <Against answer={answer} />
      {mayChange.value && <Together answer={answer} again={again} />}
      <BesideAnother {...{ answer, asked, query }} />
    </div>
  )
}

function Reads({ answer: { text, budgetUsed, budgetTotal, note } }: { readonly answer: RecallResult }) {
  const share = Math.min(100, (budgetUsed / budgetTotal) * 100)
  return (
    <section class="card" aria-labelledby="reads">
      <div class="card-head">
        <h2 id="reads">What the agent reads</h2>
        <span class="end small quiet-text number">
          {number(budgetUsed)} of {number(budgetTotal)} tokens
        </span>
      </div>
      <div class="card-body column">
        <span class="term-bar" aria-hidden="true">
          <i style={{ left: 0, width: `${share.toFixed(1)}%`, background: 'var(--data-1)' }} />
        </span>
        {text === '' ? (
          <p class="second small">Nothing: no text is given.</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
          <pre class="frame" tabIndex={0} dir="auto">
            {shown(text)}
          </pre>
        )}
        {note && (
          <p class="small quiet-text" dir="auto">
            {shown(note)}
          </p>
        )}
      </div>
    </section>
  )
}

function Against({ answer: { counterpoints } }: { readonly answer: RecallResult }) {
  if (counterpoints.length === 0) return null
  return (
    <section class="card" aria-labelledby="against">
      <div class="card-head">
        <h2 id="against">Speaks against it</h2>
      </div>
      <ul class="card-body lines">
        {counterpoints.map(({ id, content, confidence, contradictedConfidence }) => (
          <li key={id}>
            <button type="button" class="line" onClick={() => openBlock(id)}>
              <span class="badge bad">
                <Icon name="alert" />
              </span>
              <span class="main">
                <Words class="clip-2" text={content} />
                <span class="small quiet-text number">
                  confidence {percent(confidence)} %, of the other {percent(contradictedConfidence)} %
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

const RELATIONS = ['supports', 'elaborates', 'similar', 'contradicts'] as const

function Together({ answer: { suggestedConnections = [] }, again }: Pick<BesideProps, 'answer' | 'again'>) {
  if (suggestedConnections.length === 0) return null
  const join = async (source: string, target: string, relation: string) => {
    const done = await change('connect', { source, target, relation, ifExists: 'update' })
    if (done.ok) again()
  }
  return (
    <section class="card" aria-labelledby="together">
      <div class="card-head">
        <h2 id="together">Belong together?</h2>
      </div>
      <ul class="card-body lines">
        {suggestedConnections.map(({ source, target, reason }) => (
          <li key={`${source.id} ${target.id}`} class="suggested">
            {[source, target].map(({ id, content }) => (
              <button type="button" key={id} class="plain small" onClick={() => openBlock(id)}>
                <Words class="clip-2" text={content} />
              </button>
            ))}
            <span class="row wrap between">
              <span class="small quiet-text">{shown(reason)}</span>
              <Select
                label="How the first bears on the second"
                value=""
                options={[['', 'Join as…'], ...RELATIONS.map((each) => [each, each] as const)]}
                onChange={(relation) => relation !== '' && void join(source.id, target.id, relation)}
              />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
