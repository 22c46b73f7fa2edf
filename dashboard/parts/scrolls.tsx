import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface ScrollsProps {
  /** What is chosen inside; another one is brought into sight. */
  readonly chosen: string
  readonly children: ComponentChildren
}

/** A choice that is wider than a phone: it scrolls sideways, to what is chosen. */
export function Scrolls({ chosen, children }: ScrollsProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const pressed = box.current?.querySelector('[aria-pressed=true]')
    pressed?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [chosen])
  return (
    <div class="scrolls" ref={box}>
      {children}
    </div>
  )
}
