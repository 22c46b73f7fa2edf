import { useState } from 'preact/hooks'
import { change } from '../change.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Notice } from '../parts/states.tsx'
import type { Shown } from './block-drawer.tsx'
import { changedMeanwhile, clashing, type Draft, draftOf, editOf, merged } from './draft.ts'
import { Theirs } from './theirs.tsx'

interface CorrectDialogProps {
  readonly block: Shown['block']
  readonly onClose: () => void
}

const KEPT = 'The old words stay in the journal.'
const REPEATED = 'Another block says the same now: forget one of the two.'

const keyOf = (id: string) => `elfmem.draft.${id}`

/** The draft that a reload interrupted. */
function keptDraft(block: Shown['block']): Draft | undefined {
  const kept = sessionStorage.getItem(keyOf(block.id))
  return kept === null ? undefined : (JSON.parse(kept) as Draft)
}

/** Corrects a block. What is typed stays through a reload, and is not replaced when somebody else edits meanwhile. */
export function CorrectDialog({ block, onClose }: CorrectDialogProps) {
  const [before] = useState(() => draftOf(block))
  const [draft, setDraft] = useState<Draft>(() => keptDraft(block) ?? draftOf(block))
  const [isSaving, setSaving] = useState(false)
  const [isShown, setShown] = useState(false)
  // The words of somebody else that a second click may replace; others that come later ask anew.
  const [asked, setAsked] = useState<string>()
  const now = draftOf(block)
  const meanwhile = changedMeanwhile({ before, now })
  const clashes = clashing({ before, now }, draft)
  const isAsked = clashes.length > 0 && asked === JSON.stringify(now)
  const isPrinciple = block.tags.includes('self/constitutional')
  const edit = editOf(block, merged({ before, now }, draft))
  const type = (part: Partial<Draft>) => {
    const next = { ...draft, ...part }
    setDraft(next)
    sessionStorage.setItem(keyOf(block.id), JSON.stringify(next))
  }
  const end = () => {
    sessionStorage.removeItem(keyOf(block.id))
    onClose()
  }
  const save = async () => {
    if (edit === undefined) return end()
    if (clashes.length > 0 && !isAsked) {
      setShown(true)
      return setAsked(JSON.stringify(now))
    }
    setSaving(true)
    const principle = isPrinciple ? { allowConstitutional: true } : {}
    const answer = await change(
      'edit',
      { blockId: block.id, ...edit, ...principle },
      { said: ({ sameAs }) => `Corrected. ${sameAs === undefined ? KEPT : REPEATED}` },
    )
    setSaving(false)
    if (answer.ok) end()
  }
  return (
    <Dialog
      title={isPrinciple ? 'Correct a principle' : 'Correct this block'}
      onClose={end}
      isTyped={edit !== undefined}
      foot={
        <>
          <Button onClick={end}>Cancel</Button>
          <Button
            tone="primary"
            disabled={isSaving || draft.content.trim() === ''}
            onClick={() => void save()}
          >
            {saveLabel(isPrinciple, isAsked)}
          </Button>
        </>
      }
    >
      {isPrinciple && (
        <Notice tone="warn" icon="shield" title="It says who the agent is, at the start of every session." />
      )}
      {meanwhile.length > 0 && (
        <Theirs
          {...{ now, draft, isShown, isAsked, clashes }}
          names={meanwhile}
          onShow={() => setShown(true)}
          onTake={(name) => type({ [name]: now[name] })}
        />
      )}
      <Fields draft={draft} onType={type} />
      <p class="quiet-text small">The old words stay in the journal, and undo brings them back.</p>
    </Dialog>
  )
}

function saveLabel(isPrinciple: boolean, isAsked: boolean): string {
  if (isAsked) return 'Save over theirs'
  return isPrinciple ? 'Change the principle' : 'Save'
}

interface FieldsProps {
  readonly draft: Draft
  readonly onType: (part: Partial<Draft>) => void
}

function Fields({ draft, onType }: FieldsProps) {
  return (
    <>
      <label class="labelled">
        Words
        <textarea
          class="field words"
          data-first
          dir="auto"
          rows={5}
          value={draft.content}
          onInput={(event) => onType({ content: event.currentTarget.value })}
        />
      </label>
      <label class="labelled">
        Comes to mind when
        <input
          class="field"
          dir="auto"
          value={draft.cue}
          onInput={(event) => onType({ cue: event.currentTarget.value })}
        />
      </label>
      <label class="labelled">
        Tags, separated by commas
        <input
          class="field"
          value={draft.tags}
          onInput={(event) => onType({ tags: event.currentTarget.value })}
        />
      </label>
      <div class="row wrap">
        <label class="labelled grow">
          Holds from
          <input
            class="field"
            type="date"
            value={draft.from}
            onInput={(event) => onType({ from: event.currentTarget.value })}
          />
        </label>
        <label class="labelled grow">
          Holds until
          <input
            class="field"
            type="date"
            value={draft.until}
            onInput={(event) => onType({ until: event.currentTarget.value })}
          />
        </label>
      </div>
    </>
  )
}
