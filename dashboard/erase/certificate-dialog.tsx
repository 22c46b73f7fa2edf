import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Files, Others } from './found.tsx'
import type { Erasing } from './plan.ts'

interface CertificateDialogProps {
  readonly certificate: Erasing
  readonly onClose: () => void
  /** Goes on with these blocks. */
  readonly onTake: (ids: readonly string[]) => void
}

/** Says what came of an erasing, and gives the certificate as a file. */
export function CertificateDialog({ certificate, onClose, onTake }: CertificateDialogProps) {
  const save = () => {
    const file = new Blob([JSON.stringify(certificate, undefined, 2)], { type: 'application/json' })
    const link = document.createElement('a')
    link.href = URL.createObjectURL(file)
    link.download = `erased-${certificate.lookedFor.salt.slice(0, 8)}.json`
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
      <Files found={certificate} />
      <Others found={certificate} onTake={onTake} />
      <p class="quiet-text small">
        The certificate has digests of what was looked for. Protect it like a hint at the words: others can
        try until one fits.
      </p>
    </Dialog>
  )
}
