import { useState } from 'preact/hooks'
import { change } from '../change.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Notice } from '../parts/states.tsx'
import type { Shown } from './block-drawer.tsx'
import { type Draft, draftOf, editOf } from './draft.ts'

interface CorrectDialogProps {
  readonly block: Shown['block']
  readonly onClose: () => void
}

const keyOf = (id: string) => `elfmem.draft.${id}`

/** The draft that a reload interrupted. */
function keptDraft(block: Shown['block']): Draft | undefined {
  const kept = sessionStorage.getItem(keyOf(block.id))
  return kept === null ? undefined : (JSON.parse(kept) as Draft)
}

/** Corrects a block. What is typed stays through a reload, and is not replaced when somebody else edits meanwhile. */
export function CorrectDialog({ block, onClose }: CorrectDialogProps) {
  const [original, setOriginal] = useState(block)
  const [draft, setDraft] = useState<Draft>(() => keptDraft(block) ?? draftOf(block))
  const [isSaving, setSaving] = useState(false)
  const isMeanwhile = JSON.stringify(draftOf(block)) !== JSON.stringify(draftOf(original))
  const isPrinciple = block.tags.includes('self/constitutional')
  const edit = editOf(original, draft)
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
    setSaving(true)
    const principle = isPrinciple ? { allowConstitutional: true } : {}
    const answer = await change(
      'edit',
      { blockId: block.id, ...edit, ...principle },
      { said: 'Corrected. The old words stay in the journal.' },
    )
    setSaving(false)
    if (answer.ok) end()
  }
  return (
    <Dialog
      title={isPrinciple ? 'Correct a principle' : 'Correct this block'}
      onClose={end}
      foot={
        <>
          <Button onClick={end}>Cancel</Button>
          <Button
            tone="primary"
            disabled={isSaving || draft.content.trim() === ''}
            onClick={() => void save()}
          >
            {isPrinciple ? 'Change the principle' : 'Save'}
          </Button>
        </>
      }
    >
      {isPrinciple && (
        <Notice tone="warn" icon="shield" title="It says who the agent is, at the start of every session." />
      )}
      {isMeanwhile && (
        <Notice
          tone="info"
          title="Somebody changed it meanwhile"
          action={
            <Button
              size="small"
              onClick={() => {
                setOriginal(block)
                setDraft(draftOf(block))
              }}
            >
              Show
            </Button>
          }
        >
          Showing it replaces what you typed.
        </Notice>
      )}
      <Fields draft={draft} onType={type} />
      <p class="quiet-text small">The old words stay in the journal, and undo brings them back.</p>
    </Dialog>
  )
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
