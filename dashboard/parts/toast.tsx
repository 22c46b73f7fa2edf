import { useEffect, useState } from 'preact/hooks'
import { toast } from '../change.ts'
import { Button } from './button.tsx'

/** Milliseconds that a toast stays. */
const STAYS = 9_000

/** The one toast, in a live region that is always there, since a reader announces only changes of what it knows. */
export function Toasts() {
  const shown = toast.value
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (shown === undefined || isHeld) return
    const timer = setTimeout(() => {
      if (toast.value === shown) toast.value = undefined
    }, STAYS)
    return () => clearTimeout(timer)
  }, [shown, isHeld])
  const close = () => {
    toast.value = undefined
    setHeld(false)
  }
  return (
    <div class="toasts" role={shown?.tone === 'bad' ? 'alert' : 'status'} aria-live="polite">
      {shown && (
        <div
          class={shown.tone === 'bad' ? 'toast bad' : 'toast'}
          onPointerEnter={() => setHeld(true)}
          onPointerLeave={() => setHeld(false)}
          onFocusIn={() => setHeld(true)}
          onFocusOut={() => setHeld(false)}
        >
          <span>{shown.text}</span>
          {shown.undo && (
            <button
              type="button"
              class="toast-undo"
              onClick={() => {
                const { undo } = shown
                close()
                undo?.()
              }}
            >
              Undo
            </button>
          )}
          <Button tone="quiet" size="small" icon="close" label="Close" onClick={close} />
        </div>
      )}
    </div>
  )
}
