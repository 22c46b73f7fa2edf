import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { listWindow, scrollFor } from './window.ts'

interface VirtualListProps {
  readonly label: string
  readonly total: number
  /** Pixels of a row; all are equal. */
  readonly row: number
  /** The row that is chosen, -1 for none. It is scrolled to when it changes. */
  readonly chosen: number
  readonly onChoose: (index: number) => void
  /** Called with the rows that are in the page, to load them. */
  readonly onWindow: (first: number, last: number) => void
  readonly children: (index: number) => ComponentChildren
  /** Changes when it is another list, which begins at its top. */
  readonly of: string
}

/** A list of any length with only its seen rows in the page: a listbox whose rows know their place. */
export function VirtualList(props: VirtualListProps) {
  const { label, total, row, chosen, onChoose, onWindow, children, of } = props
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(700)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setHeight(entry?.contentRect.height ?? 700))
    if (box.current) observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    if (box.current) box.current.scrollTop = 0
    setTop(0)
  }, [of])
  useLayoutEffect(() => {
    const list = box.current
    const to =
      list && chosen >= 0
        ? scrollFor({ top: list.scrollTop, height: list.clientHeight, row }, chosen)
        : undefined
    if (list && to !== undefined) list.scrollTop = to
  }, [chosen, row])
  const { first, last } = listWindow({ top, height, row }, total)
  useEffect(() => onWindow(first, last))
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at)
  return (
    <div
      class="virtual-list"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={chosen >= first && chosen < last ? `row-${chosen}` : undefined}
      ref={box}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div role="presentation" style={{ height: `${total * row}px` }}>
        {rows.map((index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the list's
          <div
            key={index}
            id={`row-${index}`}
            class="virtual-row"
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            aria-posinset={index + 1}
            aria-setsize={total}
            style={{ top: `${index * row}px`, height: `${row}px` }}
            onClick={() => {
              // Rows come and go with scrolling, the list stays.
              box.current?.focus({ preventScroll: true })
              onChoose(index)
            }}
          >
            {children(index)}
          </div>
        ))}
      </div>
    </div>
  )
}
