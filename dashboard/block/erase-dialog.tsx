import { useState } from 'preact/hooks'
import { call, type Output } from '../api.ts'
import { change } from '../change.ts'
import { plural, shortId } from '../format.ts'
import { useLoad } from '../load.ts'
import { Button, Segmented } from '../parts/button.tsx'
import { Words } from '../parts/chip.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Notice, Pending } from '../parts/states.tsx'
import type { Shown } from './block-drawer.tsx'

interface EraseDialogProps {
  readonly block: Shown['block']
  readonly onClose: () => void
  readonly onErased: () => void
}

type Plan = Output<'erase'>
type Copies = 'rewrite' | 'delete'

/** Says what would go, asks, erases, and gives the certificate. */
export function EraseDialog({ block, onClose, onErased }: EraseDialogProps) {
  const [certificate, setCertificate] = useState<Plan>()
  const [copies, setCopies] = useState<Copies>('rewrite')
  const [isSure, setSure] = useState(false)
  const [isErasing, setErasing] = useState(false)
  const input = { blockIds: [block.id], copies }
  const plan = useLoad((signal) => call('erase', input, { signal }), [block.id, copies])
  const erase = async () => {
    setErasing(true)
    const answer = await change('erase', { ...input, yes: true }, { undo: false, said: 'It is erased.' })
    setErasing(false)
    if (answer.ok) setCertificate(answer.value)
  }
  if (certificate !== undefined)
    return <CertificateDialog certificate={certificate} name={shortId(block.id)} onClose={onErased} />
  return (
    <Dialog
      title="Erase these words for ever?"
      onClose={onClose}
      foot={
        <>
          <Button data-first onClick={onClose}>
            Keep them
          </Button>
          <Button
            tone="bad"
            icon="erase"
            disabled={!isSure || isErasing || plan.data === undefined}
            onClick={() => void erase()}
          >
            {isErasing ? 'Erasing…' : 'Erase for ever'}
          </Button>
        </>
      }
    >
      <Words class="words" text={block.content} />
      <Notice tone="warn" title="This cannot be undone.">
        If they are only wrong or unwanted, Forget hides them and can be taken back.
      </Notice>
      <Pending loaded={plan} lines={4}>
        {(found) => <Found found={found} />}
      </Pending>
      <div class="row wrap between">
        <span class="second">Backups and exports beside the memory that hold them</span>
        <Segmented
          label="Copies"
          value={copies}
          options={[
            ['rewrite', 'write anew'],
            ['delete', 'delete'],
          ]}
          onChange={setCopies}
        />
      </div>
      <label class="check">
        <input type="checkbox" checked={isSure} onChange={(event) => setSure(event.currentTarget.checked)} />I
        want every trace of these words gone
      </label>
    </Dialog>
  )
}

/** What would go, or is gone, file by file. */
function Found({ found }: { readonly found: Plan }) {
  const { files, held, elsewhere, lookedFor, erased } = found
  const holding = files.filter(({ before, after }) => before + after > 0)
  return (
    <div class="column">
      <p class="second">
        {erased
          ? `Found ${plural(found.foundBefore, 'time')} before, ${plural(found.foundAfter, 'time')} after.`
          : `They stand ${plural(found.foundBefore, 'time')} in ${plural(holding.length, 'file')}.`}
      </p>
      <ul class="lines small">
        {holding.map(({ path, before, after }) => (
          <li key={path} class="row">
            <span class="grow path">{path}</span>
            <span class="number">{erased ? `${before} → ${after}` : before}</span>
          </li>
        ))}
      </ul>
      {lookedFor.standingIn.length > 0 && (
        <Notice tone="info" title="Other blocks hold some of the same words">
          <span class="mono">{lookedFor.standingIn.map(shortId).join(', ')}</span> stay as they are.
        </Notice>
      )}
      {held.map(({ path, reason, remedy }) => (
        <Notice key={path} tone="warn" title={`${path} may still hold something`}>
          {reason} {remedy}
        </Notice>
      ))}
      {elsewhere.length > 0 && (
        <Notice tone="warn" title="Files elsewhere hold the words and are left alone">
          {elsewhere.join(', ')}
        </Notice>
      )}
    </div>
  )
}

interface CertificateDialogProps {
  readonly certificate: Plan
  readonly name: string
  readonly onClose: () => void
}

function CertificateDialog({ certificate, name, onClose }: CertificateDialogProps) {
  const save = () => {
    const file = new Blob([JSON.stringify(certificate, undefined, 2)], { type: 'application/json' })
    const link = document.createElement('a')
    link.href = URL.createObjectURL(file)
    link.download = `erased-${name}.json`
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <Dialog
      title={certificate.finished ? 'The words are erased' : 'Not all is erased yet'}
      onClose={onClose}
      foot={
        <>
          <Button icon="incoming" onClick={save}>
            Save the certificate
          </Button>
          <Button tone="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <p>{certificate.summary}</p>
      <Found found={certificate} />
      <p class="quiet-text small">
        The certificate has digests of what was looked for. Protect it like a hint at the words: others can
        try until one fits.
      </p>
    </Dialog>
  )
}
