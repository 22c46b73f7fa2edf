import { expect, test } from 'vitest'
import type { View } from '../../../dashboard/graph/draw.ts'
import type { Scene } from '../../../dashboard/graph/scene.ts'
import { paintWords } from '../../../dashboard/graph/words.ts'

/** Pixels of a letter, as in a font whose letters are equally wide. */
const LETTER = 7

interface Written {
  readonly text: string
  readonly x: number
  readonly y: number
}

/** A canvas that only notes what is written on it. */
function paper() {
  const written: Written[] = []
  const nothing = () => undefined
  const context = {
    ...{ setTransform: nothing, strokeText: nothing, beginPath: nothing, arc: nothing },
    ...{ stroke: nothing, fill: nothing },
    measureText: (text: string) => ({ width: [...text].length * LETTER }),
    fillText: (text: string, x: number, y: number) => written.push({ text, x, y }),
  }
  return { context: context as unknown as CanvasRenderingContext2D, written }
}

const PANEL = { x: 16, y: 16, width: 264, height: 400 }
const BUTTONS = { x: 900, y: 16, width: 40, height: 120 }

function viewOf(more: Partial<View> = {}): View {
  return {
    ...{ camera: { x: 0, y: 0, k: 1 }, size: { width: 960, height: 500 }, ratio: 1, growth: 1 },
    insets: { top: 40, right: 64, bottom: 88, left: 304 },
    covers: [PANEL, BUTTONS],
    ...more,
  }
}

function sceneOf(names: readonly { readonly text: string; readonly x: number; readonly y: number }[]): Scene {
  return {
    ...{ places: new Float32Array(), radius: new Float32Array(), shown: new Uint8Array(), grows: true },
    ...{ colour: new Uint8Array(), colours: ['green'], lines: [], labels: [] },
    ...{ ground: 'white', ink: 'black', font: '12px sans-serif' },
    names: names.map((each) => ({ ...each, top: each.y - 20, bottom: each.y + 20, colour: 0 })),
  }
}

function write(scene: Scene, view = viewOf()): readonly Written[] {
  const { context, written } = paper()
  paintWords(context, scene, { view, nearness: 1 })
  return written
}

test('a name stands above the points it is of, and below them if another stands there', () => {
  const written = write(
    sceneOf([
      { text: 'harbour', x: 600, y: 200 },
      { text: 'kitchen', x: 600, y: 205 },
    ]),
  )
  expect(written.map(({ text }) => text)).toEqual(['harbour', 'kitchen'])
  const [first, second] = written
  expect(first?.y).toBeLessThan(180)
  expect(second?.y).toBeGreaterThan(225)
})

test('no two names meet, however many want the same place', () => {
  const names = Array.from({ length: 12 }, (_, at) => ({
    text: `group ${at}`,
    x: 600 + at * 9,
    y: 200 + at * 7,
  }))
  const written = write(sceneOf(names))
  expect(written.length).toBeGreaterThan(2)
  for (const [at, one] of written.entries())
    for (const other of written.slice(at + 1)) {
      const isApart = Math.abs(one.x - other.x) >= 7 * LETTER || Math.abs(one.y - other.y) >= 16
      expect(isApart, `${one.text} and ${other.text}`).toBe(true)
    }
})

test('a name beside the panel ends at its edge, and none lies below the panel or the buttons', () => {
  const written = write(
    sceneOf([
      { text: 'a rather long name of a group', x: 320, y: 200 },
      { text: 'below the panel', x: 150, y: 200 },
      { text: 'below the buttons', x: 920, y: 60 },
    ]),
  )
  expect(written.map(({ text }) => text)).toEqual(['a rather long name of a group'])
  expect(written[0]?.x).toBeGreaterThanOrEqual(304)
})

test('a name that is wider than a phone is cut, not pushed out of it', () => {
  const size = { width: 320, height: 600 }
  const view = viewOf({ size, insets: { top: 36, right: 16, bottom: 104, left: 16 }, covers: [] })
  const [only] = write(sceneOf([{ text: 'x'.repeat(80), x: 160, y: 300 }]), view)
  expect(only?.text).toMatch(/x…$/)
  expect((only?.x ?? 0) + (only?.text.length ?? 0) * LETTER).toBeLessThanOrEqual(304)
})
