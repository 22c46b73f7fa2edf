import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from './button.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  /** Buttons, the one that does it last. Without any there is one that closes. */
  readonly foot?: ComponentChildren
  readonly isWide?: boolean
  /** True: words were typed that closing would lose, so that Escape asks first and a click beside does nothing. */
  readonly isTyped?: boolean
}

/** Dialogs that are open, the topmost last. */
const open: symbol[] = []

/** True while a dialog is open, so that keys of the screen below do nothing. */
export function isDialogOpen(): boolean {
  return open.length > 0
}

/** A question or a page above the screen. It keeps the focus inside, gives it back, and Escape closes it. */
export function Dialog({ title, onClose, children, foot, isWide = false, isTyped = false }: DialogProps) {
  const box = useRef<HTMLDivElement>(null)
  const heading = useId()
  const [isLeaving, setLeaving] = useState(false)
  const writing = useRef<Element | null>(null)
  const stay = () => {
    setLeaving(false)
    if (writing.current instanceof HTMLElement) writing.current.focus()
  }
  const onEscape = () => {
    if (isLeaving) return stay()
    if (!isTyped) return onClose()
    // A click on nothing takes the focus out of the field.
    const at = document.activeElement
    writing.current = box.current?.contains(at) ? at : (box.current?.querySelector('[data-first]') ?? null)
    setLeaving(true)
  }
  const close = useRef(onEscape)
  close.current = onEscape
  // Before the next key comes, which is meant for the dialog.
  useLayoutEffect(() => {
    const me = Symbol()
    open.push(me)
    const before = document.activeElement
    const first = box.current?.querySelector<HTMLElement>('[data-first]') ?? focusable(box.current)[0]
    first?.focus()
    const onKey = (event: KeyboardEvent) => {
      if (open.at(-1) !== me) return
      if (event.key === 'Escape') {
        event.preventDefault()
        event.stopPropagation()
        close.current()
      } else if (event.key === 'Tab') keepInside(box.current, event)
    }
    addEventListener('keydown', onKey, true)
    return () => {
      removeEventListener('keydown', onKey, true)
      open.splice(open.indexOf(me), 1)
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a click beside the dialog closes it as Escape does
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the dialog closes it as Escape does
    <div class="scrim" onClick={(event) => event.target === event.currentTarget && !isTyped && onClose()}>
      <div
        class={isWide ? 'dialog wide' : 'dialog'}
        role="dialog"
        aria-modal="true"
        aria-labelledby={heading}
        ref={box}
      >
        <div class="dialog-body">
          <h2 id={heading}>{title}</h2>
          {children}
        </div>
        {isLeaving ? (
          <Leaving onStay={stay} onLeave={onClose} />
        ) : (
          <div class="dialog-foot">{foot ?? <Button onClick={onClose}>Close</Button>}</div>
        )}
      </div>
    </div>
  )
}

interface LeavingProps {
  readonly onStay: () => void
  readonly onLeave: () => void
}

/** Asks before typed words are lost; whoever presses Enter or Escape goes on writing. */
function Leaving({ onStay, onLeave }: LeavingProps) {
  const question = useId()
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => box.current?.querySelector('button')?.focus(), [])
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend of its own look
    <div class="dialog-foot" role="group" aria-labelledby={question} ref={box}>
      <b id={question} class="dialog-question">
        Leave without saving?
      </b>
      <Button onClick={onStay}>Keep writing</Button>
      <Button tone="bad" onClick={onLeave}>
        Discard
      </Button>
    </div>
  )
}

const FOCUSABLE = 'button, input, select, textarea, a[href], summary, [tabindex="0"]'

function focusable(box: HTMLElement | null): readonly HTMLElement[] {
  const all = box?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? []
  return [...all].filter((each) => !each.matches(':disabled') && each.offsetParent !== null)
}

function keepInside(box: HTMLElement | null, event: KeyboardEvent): void {
  const all = focusable(box)
  const at = all.indexOf(document.activeElement as HTMLElement)
  const leaves = event.shiftKey ? at <= 0 : at === all.length - 1 || at < 0
  if (!leaves) return
  event.preventDefault()
  all.at(event.shiftKey ? -1 : 0)?.focus()
}
