import type { Decision } from '../../../src/operations/methods.generated.ts'
import { mayChange } from '../../change.ts'
import { number } from '../../format.ts'
import { pageWords } from '../../page-words.ts'
import { Button } from '../../parts/button.tsx'
import { Chip, When } from '../../parts/chip.tsx'
import { Notice } from '../../parts/states.tsx'
import { shown } from '../../shown.ts'
import { sameSource, sourceWords } from './alike.ts'
import { foundWords } from './found.ts'
import { KINDS } from './kinds.ts'
import { Sides } from './sides.tsx'

interface CardProps {
  readonly decision: Decision
  /** From 0. */
  readonly place: number
  readonly total: number
  readonly isBusy: boolean
  /** Somebody else settled it meanwhile. */
  readonly isGone: boolean
  /** Its words are others meanwhile. */
  readonly hasChanged: boolean
  /** The loaded decisions, in which decisions alike are looked for. */
  readonly list: readonly Decision[]
  readonly choose: (choice: string) => void
  readonly step: (by: 1 | -1) => void
  readonly onAlike: () => void
  readonly onShow: () => void
}

/** One decision: what, both sides, why it was found, and the choices, none of which is the usual one. */
export function Card(props: CardProps) {
  const { decision, isGone, hasChanged, onShow } = props
  const { kind, sentence, reason, by } = decision
  const { one, tone, told } = KINDS[kind]
  return (
    <section class="card decision" aria-live="polite" aria-labelledby="decision">
      <div class="card-head decision-head">
        <Chip tone={tone === 'plain' ? undefined : tone}>{one}</Chip>
        <h2 id="decision" dir="auto">
          {shown(pageWords(sentence))}
        </h2>
        <Steps {...props} />
      </div>
      <p class="decision-told small quiet-text">{told}</p>
      {isGone && <Meanwhile title="It was settled meanwhile" action="Next" onShow={onShow} />}
      {hasChanged && <Meanwhile title="Its words were changed meanwhile" action="Show" onShow={onShow} />}
      <Sides decision={decision} />
      {reason && (
        <blockquote class="decision-reason">
          <p class="words" dir="auto">
            “{shown(reason)}”
          </p>
          <footer class="small quiet-text">the reason, in the words of {shown(by ?? 'whoever asked')}</footer>
        </blockquote>
      )}
      <Choices {...props} />
      <Foot {...props} />
    </section>
  )
}

function Steps({ place, total, step, isGone }: CardProps) {
  return (
    <span class="row small quiet-text nowrap decision-steps">
      <span class="number">{isGone ? 'settled' : `${number(place + 1)} of ${number(total)}`}</span>
      <Button size="small" icon="left" label="Back (K)" disabled={place === 0} onClick={() => step(-1)} />
      <Button
        size="small"
        icon="right"
        label="Later (J)"
        disabled={place >= total - 1}
        onClick={() => step(1)}
      />
    </span>
  )
}

interface MeanwhileProps {
  readonly title: string
  readonly action: string
  readonly onShow: () => void
}

function Meanwhile({ title, action, onShow }: MeanwhileProps) {
  return (
    <div class="meanwhile">
      <Notice
        tone="info"
        icon="clock"
        title={title}
        action={
          <Button size="small" onClick={onShow}>
            {action}
          </Button>
        }
      >
        Nothing was decided by you.
      </Notice>
    </div>
  )
}

function Choices({ decision: { kind, choices }, isBusy, isGone, hasChanged, choose }: CardProps) {
  if (!mayChange.value) return <p class="choices-none small quiet-text">Opened to read only.</p>
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is seen
    <div class={`choices of-${choices.length}`} role="group" aria-label="Ways to decide">
      {choices.map(({ key, choice, label, does }) => (
        <button
          type="button"
          key={choice}
          class="choice"
          aria-keyshortcuts={key}
          disabled={isBusy || isGone || hasChanged}
          onClick={() => choose(choice)}
        >
          <span class="row">
            <kbd class="key only-wide">{key.toUpperCase()}</kbd>
            <b>{label}</b>
          </span>
          <span class="small quiet-text">
            {pageWords(does)}
            {kind === 'proposal' && ' You are asked once more.'}
          </span>
        </button>
      ))}
    </div>
  )
}

function Foot({ decision, list, onAlike }: CardProps) {
  const others = mayChange.value ? sameSource(decision, list) : []
  return (
    <div class="decision-foot row wrap between small quiet-text">
      <span>
        {foundWords(decision)}
        {decision.at && (
          <>
            {' on '}
            <When at={decision.at} />
          </>
        )}
      </span>
      {others.length > 0 && (
        <Button size="small" onClick={onAlike}>
          Decide these {number(others.length + 1)} of {shown(sourceWords(decision))} at once…
        </Button>
      )}
    </div>
  )
}
