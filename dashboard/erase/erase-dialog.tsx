import './erase.css'
import { useEffect, useState } from 'preact/hooks'
import { change } from '../change.ts'
import { type Loaded, useLoad } from '../load.ts'
import { Button, Segmented } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Notice, Pending } from '../parts/states.tsx'
import { Files, Going, Others } from './found.tsx'
import {
  type Choice,
  type Copies,
  confirmed,
  countedWords,
  type Erasing,
  keyOf,
  type Plan,
  planOf,
} from './plan.ts'

/** Milliseconds after the last key until it is asked what would go. */
const TYPING = 350
/** Somebody types it who means it. */
const CONFIRMATION = 'erase'

interface EraseDialogProps {
  /** The block that is to be erased; without one words say what goes. */
  readonly blockId?: string
  /** The words in the field at first. */
  readonly words?: string
  readonly onClose: () => void
  readonly onErased: () => void
}

/** Says what would go, asks, erases, and says what came of it. */
export function EraseDialog({ blockId, words = '', onClose, onErased }: EraseDialogProps) {
  const [done, setDone] = useState<Erasing>()
  const [choice, setChoice] = useState<Choice>(blockId === undefined ? { words } : { ids: [blockId] })
  const [copies, setCopies] = useState<Copies>('keep')
  const [typed, setTyped] = useState('')
  const [isErasing, setErasing] = useState(false)
  const choose = (next: Choice) => {
    setTyped('')
    setDone(undefined)
    setChoice(next)
  }
  const loaded = usePlan(choice, copies)
  const plan = loaded.data?.of === keyOf(choice, copies) && !loaded.failure ? loaded.data.found : undefined
  const isSure = typed.trim().toLowerCase() === CONFIRMATION
  const erase = async () => {
    if (plan === undefined || !isSure) return
    setErasing(true)
    const answer = await change('erase', confirmed(choice, copies, plan), {
      undo: false,
      said: 'It is erased.',
    })
    setErasing(false)
    if (answer.ok) setDone(answer.value)
  }
  if (done !== undefined)
    return (
      <Dialog
        title={done.finished ? 'The words are erased' : 'Not all is erased yet'}
        onClose={onErased}
        foot={
          <Button tone="primary" onClick={onErased}>
            Close
          </Button>
        }
      >
        <p>{done.summary}</p>
        <Files found={done} />
        <Others found={done} onTake={(ids) => choose({ ids })} />
      </Dialog>
    )
  return (
    <Dialog
      isWide
      title="Erase for ever?"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Keep them</Button>
          <Button
            tone="bad"
            icon="erase"
            disabled={!isSure || isErasing || plan === undefined}
            onClick={() => void erase()}
          >
            {isErasing ? 'Erasing…' : `Erase ${plan === undefined ? '' : `${countedWords(plan)} `}for ever`}
          </Button>
        </>
      }
    >
      <Notice tone="warn" title="This cannot be undone.">
        If something is only wrong or unwanted, Forget hides it and can be taken back.
      </Notice>
      <ChoiceFields blockId={blockId} choice={choice} words={words} onChoose={choose} />
      <PlanPage
        loaded={loaded}
        choice={choice}
        plan={plan}
        onTake={(more) =>
          choose({ ids: [...new Set([...(plan?.blocks ?? []).map(({ id }) => id), ...more])] })
        }
      />
      {plan !== undefined && (
        <Confirming
          copies={copies}
          typed={typed}
          onCopies={setCopies}
          onType={setTyped}
          onEnter={() => void erase()}
        />
      )}
    </Dialog>
  )
}

interface ConfirmingProps {
  readonly copies: Copies
  readonly typed: string
  readonly onCopies: (copies: Copies) => void
  readonly onType: (typed: string) => void
  readonly onEnter: () => void
}

function Confirming({ copies, typed, onCopies, onType, onEnter }: ConfirmingProps) {
  return (
    <>
      <div class="row wrap between">
        <span class="second">Backups and exports beside the memory that hold them</span>
        <Segmented
          label="Copies"
          value={copies}
          options={[
            ['keep', 'keep'],
            ['delete', 'delete'],
          ]}
          onChange={onCopies}
        />
      </div>
      <label class="erase-words second">
        <span>
          Type <b>{CONFIRMATION}</b> to confirm
        </span>
        <input
          class="field"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => onType(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && onEnter()}
        />
      </label>
    </>
  )
}

/** The plan of a choice, asked for when somebody has stopped typing. */
function usePlan(choice: Choice, copies: Copies): Loaded<Plan | undefined> {
  const [asked, setAsked] = useState(choice)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(choice), 'words' in choice ? TYPING : 0)
    return () => clearTimeout(timer)
  }, [keyOf(choice, copies)])
  return useLoad((signal) => planOf(asked, copies, signal), [keyOf(asked, copies)])
}

interface ChoiceFieldsProps {
  readonly blockId: string | undefined
  readonly choice: Choice
  readonly words: string
  readonly onChoose: (choice: Choice) => void
}

function ChoiceFields({ blockId, choice, words, onChoose }: ChoiceFieldsProps) {
  const [last, setLast] = useState(words)
  const set = (next: string) => {
    setLast(next)
    onChoose({ words: next })
  }
  return (
    <>
      {blockId !== undefined && (
        <div class="row">
          <Segmented
            label="What to erase"
            value={'words' in choice ? 'words' : 'block'}
            options={[
              ['block', 'This block'],
              ['words', 'All that hold certain words'],
            ]}
            onChange={(by) => onChoose(by === 'words' ? { words: last } : { ids: [blockId] })}
          />
        </div>
      )}
      {'words' in choice && (
        <label class="erase-words second">
          <span>Words that stand in all of it; a phrase in quotation marks counts as one</span>
          <input
            class="field"
            data-first
            autocomplete="off"
            spellcheck={false}
            placeholder={'4711  or  "the blue door"'}
            value={choice.words}
            onInput={(event) => set(event.currentTarget.value)}
          />
        </label>
      )}
    </>
  )
}

interface PlanPageProps {
  readonly loaded: Loaded<Plan | undefined>
  readonly choice: Choice
  readonly plan: Erasing | undefined
  readonly onTake: (ids: readonly string[]) => void
}

function PlanPage({ loaded, choice, plan, onTake }: PlanPageProps) {
  const isNothing = 'words' in choice && loaded.failure?.code === 'NOT_FOUND'
  if (isNothing) return <p role="status">Nothing holds all of these words exactly, in the journal neither.</p>
  if (loaded.failure === undefined && plan === undefined && 'words' in choice && !loaded.isLoading)
    return <p class="quiet-text">It is shown first what would go.</p>
  return (
    <Pending loaded={{ ...loaded, data: plan } as Loaded<Erasing>} lines={4}>
      {(found) => (
        <>
          <Going found={found} />
          <Others found={found} onTake={onTake} />
          <Files found={found} />
        </>
      )}
    </Pending>
  )
}
