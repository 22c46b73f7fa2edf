import { useState } from 'preact/hooks'
import { change } from '../../change.ts'
import { Button } from '../../parts/button.tsx'
import { Words } from '../../parts/chip.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { type IdentityPart, writingOf } from './parts.ts'

/** Asks for a statement, then shows it in full before it becomes part of who the agent is. */
export function Add({ part, onClose }: { readonly part: IdentityPart; readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [isAsked, setAsked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const words = text.trim()
  const write = async () => {
    setBusy(true)
    const writing = writingOf(part, words)
    const answer =
      writing.operation === 'setup'
        ? await change('setup', writing.input)
        : await change('remember', writing.input)
    setBusy(false)
    if (answer.ok) onClose()
  }
  if (isAsked)
    return (
      <Dialog
        title={`${part.does}?`}
        onClose={onClose}
        isTyped={words !== ''}
        foot={
          <>
            <Button onClick={() => setAsked(false)}>Change the words</Button>
            <Button tone="primary" disabled={isBusy} onClick={() => void write()}>
              {part.does}
            </Button>
          </>
        }
      >
        <Words class="words identity-asked" text={words} />
        <p class="second">{part.ask}</p>
      </Dialog>
    )
  return (
    <Dialog
      title={`Add to: ${part.name}`}
      onClose={onClose}
      isTyped={words !== ''}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" disabled={words === ''} onClick={() => setAsked(true)}>
            Go on
          </Button>
        </>
      }
    >
      <label class="labelled">
        One statement
        <textarea
          class="field words"
          data-first
          rows={3}
          dir="auto"
          placeholder={part.placeholder}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <p class="second small">{part.hint}</p>
    </Dialog>
  )
}
