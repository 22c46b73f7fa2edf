import { change } from '../change.ts'
import { speakerWords } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Words } from '../parts/chip.tsx'
import { Dialog } from '../parts/dialog.tsx'
import type { Shown } from './block-drawer.tsx'

interface OwnerDialogProps {
  readonly block: Shown['block']
  readonly onClose: () => void
}

/** Asks whether words of somebody else count as the owner's from now on. */
export function VouchDialog({ block, onClose }: OwnerDialogProps) {
  const vouch = async () => {
    const said = 'They count as your own words now.'
    const answer = await change('edit', { blockId: block.id, sourceClass: 'user' }, { said })
    if (answer.ok) onClose()
  }
  return (
    <Dialog
      title="Mark these as your own words?"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" icon="shield" onClick={() => void vouch()}>
            Make them my words
          </Button>
        </>
      }
    >
      <Words class="words" text={block.content} />
      <p class="second">
        They were the words of <b>{speakerWords(block.sourceClass)}</b>
        {block.source && (
          <>
            {' '}
            (<Words text={block.source} />)
          </>
        )}
        . From now on they count as yours, and may become part of who the agent is. Undo takes it back.
      </p>
    </Dialog>
  )
}

/** Asks before a principle goes. */
export function ForgetPrincipleDialog({ block, onClose }: OwnerDialogProps) {
  const forget = async () => {
    const input = { blockId: block.id, allowConstitutional: true, reason: 'let go in the dashboard' }
    const answer = await change('forget', input, {
      said: 'The principle is archived, and restore brings it back.',
    })
    if (answer.ok) onClose()
  }
  return (
    <Dialog
      title="Let this principle go?"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button tone="bad" icon="archive" onClick={() => void forget()}>
            Let the principle go
          </Button>
        </>
      }
    >
      <Words class="words" text={block.content} />
      <p class="second">
        It says who the agent is, at the start of every session. It is archived, and restore brings it back.
      </p>
    </Dialog>
  )
}
