import { useState } from 'preact/hooks'
import type { Decision, DecisionChoice } from '../../../src/operations/methods.generated.ts'
import { pageWords } from '../../page-words.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { shown } from '../../shown.ts'
import type { Chosen } from './decide.ts'

/** Longest reason that the log takes, in characters. */
const REASON_MOST = 1_024

/** Returns true if a choice needs a dialog: it is about a proposal, or it takes words or a reason. */
export function needsDialog({ kind }: Decision, { takes }: DecisionChoice): boolean {
  return kind === 'proposal' || takes !== undefined
}

interface ChoiceDialogProps {
  readonly decision: Decision
  readonly choice: DecisionChoice
  readonly isBusy: boolean
  readonly onClose: () => void
  readonly onDone: (words: Omit<Chosen, 'choice'>) => void
}

/** Asks once more, with the words in full; the button says what it does. */
export function ChoiceDialog({ decision, choice, isBusy, onClose, onDone }: ChoiceDialogProps) {
  const { change, first, by, kind } = decision
  const { label, does, takes } = choice
  const start = change?.field === 'content' ? change.after : (first?.content ?? '')
  const [text, setText] = useState(takes === 'words' ? start : '')
  const isTyped = text.trim() !== '' && text !== start
  const isUnfit = takes === 'words' && text.trim() === ''
  const done = () =>
    onDone(takes === undefined ? {} : takes === 'words' ? { words: text } : { reason: text.trim() })
  const foot = (
    <>
      <Button onClick={onClose}>Not now</Button>
      <Button tone="primary" disabled={isBusy || isUnfit} onClick={done}>
        {label}
      </Button>
    </>
  )
  return (
    <Dialog title={`${label}?`} onClose={onClose} foot={foot} isWide isTyped={takes !== undefined && isTyped}>
      <p class="second">{pageWords(does)}</p>
      {takes !== 'words' && <Quoted decision={decision} choice={choice} />}
      {kind === 'proposal' && by && <p class="small quiet-text">Proposed by {shown(by)}.</p>}
      {takes === 'words' && (
        <label class="labelled">
          The words, as they are to stand
          <textarea
            class="field words"
            data-first
            rows={5}
            dir="auto"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
      )}
      {takes === 'reason' && (
        <label class="labelled">
          {kind === 'proposal'
            ? 'Why, if you like; whoever asked can read it'
            : 'Why, if you like; for the log'}
          <textarea
            class="field"
            data-first
            rows={3}
            maxLength={REASON_MOST}
            dir="auto"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
      )}
    </Dialog>
  )
}

/** The words that a choice is about, in full: what would stand, and what would go. */
function Quoted({ decision, choice }: { readonly decision: Decision; readonly choice: DecisionChoice }) {
  return (
    <dl class="quoted">
      {quotedBy(decision, choice).map(([head, words]) => (
        <div key={head}>
          <dt class="small quiet-text">{head}</dt>
          <dd class="words" dir="auto">
            {shown(words)}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function quotedBy(
  { change, first, second, kind }: Decision,
  { choice }: DecisionChoice,
): readonly (readonly [string, string])[] {
  if (change?.field === 'content') return [['The words', change.after]]
  if (second === undefined || kind === 'outdated') return first ? [['The words', first.content]] : []
  if (first === undefined) return []
  if (choice === 'first')
    return [
      ['This stays', first.content],
      ['This is archived', second.content],
    ]
  if (choice === 'second')
    return [
      ['This stays', second.content],
      ['This is archived', first.content],
    ]
  return [
    ['The first', first.content],
    ['The second', second.content],
  ]
}
