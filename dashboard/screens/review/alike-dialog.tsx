import { useState } from 'preact/hooks'
import type { Decision } from '../../../src/operations/methods.generated.ts'
import { number } from '../../format.ts'
import { pageWords } from '../../page-words.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Marked } from '../../parts/marked.tsx'
import { wordDifference } from '../../parts/word-difference.ts'
import { shown } from '../../shown.ts'
import { alikeTo, hasOtherWords, sourceWords } from './alike.ts'
import { decideAll } from './decide.ts'
import { KINDS } from './kinds.ts'
import { wordsOf } from './next.tsx'

interface AlikeDialogProps {
  readonly decision: Decision
  /** The loaded decisions, in which decisions alike are looked for. */
  readonly list: readonly Decision[]
  readonly onClose: () => void
  /** Called with the ids of the decisions that were made. */
  readonly onDone: (ids: readonly string[]) => void
}

/** Decides several alike at once: the list first, of which any can be left out, then the choice. */
export function AlikeDialog({ decision, list, onClose, onDone }: AlikeDialogProps) {
  const choices = decision.choices.filter(({ choice }) => alikeTo(decision, choice, list).length > 0)
  const [choice, setChoice] = useState('')
  // Whoever agrees to many at once reads few of them: those that may say two things are for a second look.
  const [left, setLeft] = useState<ReadonlySet<string>>(
    () => new Set([decision, ...list].filter(isForSecondLook).map(({ id }) => id)),
  )
  const [isBusy, setBusy] = useState(false)
  const all = [decision, ...alikeTo(decision, choice || (choices[0]?.choice ?? ''), list)]
  const taken = all.filter(({ id }) => !left.has(id))
  const chosen = choices.find((each) => each.choice === choice)
  const run = async () => {
    setBusy(true)
    await decideAll(taken, choice)
    onDone(taken.map(({ id }) => id))
  }
  const apart = all.filter(isForSecondLook).length
  const toggle = (id: string) => {
    const next = new Set(left)
    if (!next.delete(id)) next.add(id)
    setLeft(next)
  }
  const foot = (
    <>
      <Button onClick={onClose} disabled={isBusy}>
        Not now
      </Button>
      <Button
        tone="primary"
        disabled={isBusy || chosen === undefined || taken.length === 0}
        onClick={() => void run()}
      >
        {isBusy
          ? `Deciding ${number(taken.length)}…`
          : chosen
            ? `${chosen.label}, for ${taken.length === all.length ? 'all ' : ''}${number(taken.length)}`
            : 'Choose what to do'}
      </Button>
    </>
  )
  return (
    <Dialog
      title={`${KINDS[decision.kind].many} of ${shown(sourceWords(decision))}`}
      onClose={onClose}
      foot={foot}
      isWide
    >
      <fieldset class="alike-choices">
        <legend class="small quiet-text">The same for each of these</legend>
        {choices.map(({ choice: name, label, does }) => (
          <label key={name} class="check">
            <input type="radio" name="alike" checked={name === choice} onChange={() => setChoice(name)} />
            <span>
              <b>{label}</b> <span class="small quiet-text">{pageWords(does)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {apart > 0 && (
        <p class="small second">
          {apart === 1 ? 'One pair differs' : `${number(apart)} pairs differ`} in a word, which can make them
          two statements. Read before you tick.{' '}
          {left.size > 0 && (
            <button type="button" class="link" onClick={() => setLeft(new Set())}>
              Tick all
            </button>
          )}
        </p>
      )}
      <ul class="lines alike-list">
        {all.map((each) => (
          <li key={each.id}>
            <label class="check">
              <input type="checkbox" checked={!left.has(each.id)} onChange={() => toggle(each.id)} />
              <Both decision={each} />
            </label>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function isForSecondLook(decision: Decision): boolean {
  return decision.kind === 'near_duplicate' && hasOtherWords(decision)
}

function Both({ decision }: { readonly decision: Decision }) {
  const { first, second, change } = decision
  const before = first?.content
  const after = second?.content ?? (change?.field === 'content' ? change.after : undefined)
  if (before === undefined || after === undefined)
    return (
      <span class="small" dir="auto">
        {shown(wordsOf(decision))}
      </span>
    )
  const [one, other] = wordDifference(shown(before), shown(after))
  return (
    <span class="column small alike-both">
      <span dir="auto">
        <Marked parts={one} />
      </span>
      <span dir="auto">
        <Marked parts={other} />
      </span>
    </span>
  )
}
