import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'
import { useKeys } from './keys.ts'

interface DrawerProps {
  readonly label: string
  /** What it is about: another one takes the focus to the head. */
  readonly of: string
  /** floating: above the screen; else beside it. */
  readonly isFloating: boolean
  readonly head: ComponentChildren
  readonly actions?: ComponentChildren
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A column beside the screen, the whole screen on a phone. Escape closes it and gives the focus back. */
export function Drawer({ label, of, isFloating, head, actions, onClose, children }: DrawerProps) {
  const title = useRef<HTMLDivElement>(null)
  const before = useRef<Element>(null)
  useKeys({ Escape: onClose })
  useEffect(() => {
    before.current = document.activeElement
    return () => focusAgain(before.current)
  }, [])
  useEffect(() => {
    // Whoever walks through a list by keys stays in the list.
    if (document.activeElement?.closest('[role=listbox]') === null)
      title.current?.focus({ preventScroll: true })
  }, [of])
  return (
    <aside class={isFloating ? 'drawer floating' : 'drawer'} aria-label={label}>
      <div class="drawer-head">
        <div class="row grow" ref={title} tabIndex={-1}>
          {head}
        </div>
        {actions}
        <Button tone="quiet" size="small" icon="close" label="Close (Escape)" onClick={onClose} />
      </div>
      <div class="drawer-body">{children}</div>
    </aside>
  )
}

/** Gives the focus back to where it was, or to the list or screen if that is gone. */
function focusAgain(before: Element | null): void {
  const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body
  const list = document.querySelector<HTMLElement>('[role=listbox]')
  const next = isThere ? before : (list ?? document.getElementById('main'))
  next?.focus({ preventScroll: true })
}
