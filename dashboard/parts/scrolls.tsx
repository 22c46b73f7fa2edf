import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface ScrollsProps {
  /** What is chosen inside; another one is brought into sight. */
  readonly chosen: string
  readonly children: ComponentChildren
}

/** A choice that is wider than a phone: it scrolls sideways, to what is chosen, and fades where it goes on. */
export function Scrolls({ chosen, children }: ScrollsProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const list = box.current
    if (list === null) return
    const mark = () => {
      list.toggleAttribute('data-before', list.scrollLeft > 1)
      list.toggleAttribute('data-behind', list.scrollLeft + list.clientWidth < list.scrollWidth - 1)
    }
    const observer = new ResizeObserver(mark)
    observer.observe(list)
    // Its words may be others meanwhile, as the numbers in them.
    for (const child of list.children) observer.observe(child)
    list.addEventListener('scroll', mark)
    return () => {
      observer.disconnect()
      list.removeEventListener('scroll', mark)
    }
  }, [])
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
