/** Called for what a hand does; places are CSS pixels in the element. */
export interface PointerEvents {
  readonly moved: (dx: number, dy: number) => void
  readonly zoomed: (x: number, y: number, by: number) => void
  readonly over: (x: number, y: number) => void
  readonly clicked: (x: number, y: number, slack: number) => void
}

/** A hand that moved less than so many pixels meant to click. */
const STILL = 5
/** How far from a point it may be hit: a finger hides it. */
const SLACK = { mouse: 5, touch: 14 }
/** How much a wheel's step zooms. */
const WHEEL = 0.0016

type Place = readonly [x: number, y: number]

/** Follows mouse, pen and fingers on an element: drag, pinch, wheel, click. Returns how to stop. */
export function followPointer(element: HTMLElement, events: PointerEvents): () => void {
  const down = new Map<number, Place>()
  let [gone, pinch] = [0, 0]
  const dragged = (event: PointerEvent, [x, y]: Place) => {
    const [dx, dy] = [event.offsetX - x, event.offsetY - y]
    gone += Math.abs(dx) + Math.abs(dy)
    down.set(event.pointerId, [event.offsetX, event.offsetY])
    const [one, two] = [...down.values()]
    if (one === undefined || two === undefined) return events.moved(dx, dy)
    const apart = Math.hypot(one[0] - two[0], one[1] - two[1])
    if (pinch > 0) events.zoomed((one[0] + two[0]) / 2, (one[1] + two[1]) / 2, apart / pinch)
    pinch = apart
  }
  const handlers = {
    pointerdown: (event: PointerEvent) => {
      element.setPointerCapture(event.pointerId)
      down.set(event.pointerId, [event.offsetX, event.offsetY])
      ;[gone, pinch] = [0, 0]
    },
    pointermove: (event: PointerEvent) => {
      const was = down.get(event.pointerId)
      if (was !== undefined) dragged(event, was)
      else if (event.pointerType === 'mouse') events.over(event.offsetX, event.offsetY)
    },
    pointerup: (event: PointerEvent) => {
      const slack = event.pointerType === 'touch' ? SLACK.touch : SLACK.mouse
      if (down.delete(event.pointerId) && down.size === 0 && gone < STILL)
        events.clicked(event.offsetX, event.offsetY, slack)
      pinch = 0
    },
    pointercancel: (event: PointerEvent) => {
      down.delete(event.pointerId)
      pinch = 0
    },
    pointerleave: () => events.over(-1e6, -1e6),
    wheel: (event: WheelEvent) => {
      event.preventDefault()
      events.zoomed(event.offsetX, event.offsetY, Math.exp(-event.deltaY * WHEEL))
    },
  }
  const ending = new AbortController()
  const options = { signal: ending.signal, passive: false }
  for (const [name, handler] of Object.entries(handlers))
    element.addEventListener(name, handler as (event: Event) => void, options)
  return () => ending.abort()
}
