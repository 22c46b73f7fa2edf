import { useEffect, useState } from 'preact/hooks'
import { toast } from '../change.ts'
import { Button } from './button.tsx'

/** Milliseconds that a toast stays. */
const STAYS = 9_000

/** The one toast, which stays while the pointer rests on it or if it tells of an error; in a live region that is always there, since a reader announces only changes of what it knows. */
export function Toasts() {
  const shown = toast.value
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (shown === undefined || isHeld || shown.isGoing || shown.tone === 'bad') return
    const timer = setTimeout(() => {
      if (toast.value === shown) toast.value = undefined
    }, STAYS)
    return () => clearTimeout(timer)
  }, [shown, isHeld])
  const close = () => {
    toast.value = undefined
    setHeld(false)
  }
  const act = shown?.undo ?? shown?.again?.run
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
          {act && (
            <button
              type="button"
              class="toast-act"
              {...(shown.again && { 'aria-label': `Try again: ${shown.again.what}` })}
              onClick={() => {
                close()
                act()
              }}
            >
              {shown.undo ? 'Undo' : 'Try again'}
            </button>
          )}
          <Button tone="quiet" size="small" icon="close" label="Close" onClick={close} />
        </div>
      )}
    </div>
  )
}
