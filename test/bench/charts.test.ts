import fc from 'fast-check'
import { expect, test } from 'vitest'
import { barChart } from '../../bench/charts/bar-chart.ts'
import { lineChart, ticksOf } from '../../bench/charts/line-chart.ts'

const positive = fc.double({ min: 1e-3, max: 1e6, noNaN: true })
const series = fc.array(
  fc.record({
    name: fc.string(),
    points: fc.array(fc.record({ x: positive, y: positive }), { minLength: 1, maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 7 },
)

/** Every number of an attribute of that name. */
function numbersOf(svg: string, attribute: string): number[] {
  return [...svg.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value]) => Number(value))
}

/** The names of elements in the order they open and close; throws on anything that is not well-formed. */
function readXml(svg: string): string[] {
  const open: string[] = []
  const seen: string[] = []
  const rest = svg.replace(
    /<(\/?)([\w]+)((?: [\w-]+="[^"<]*")*)(\/?)>/g,
    (_, end, name, _attributes, alone) => {
      seen.push(name)
      if (end) expect(open.pop()).toBe(name)
      else if (!alone) open.push(name)
      return ''
    },
  )
  expect(open).toEqual([])
  expect(rest).not.toMatch(/[<>]|&(?!amp;|lt;|gt;|quot;)/)
  return seen
}

test('a line chart is well-formed whatever its lines are called, and stays inside its frame', () => {
  fc.assert(
    fc.property(series, fc.string(), (lines, title) => {
      const svg = lineChart({ title, description: 'd', xLabel: 'x', yLabel: 'y', series: lines })
      expect(readXml(svg)).toContain('desc')
      for (const attribute of ['cx', 'x', 'x1', 'x2'])
        for (const x of numbersOf(svg, attribute)) expect(x >= 0 && x <= 720).toBe(true)
      for (const attribute of ['cy', 'y1', 'y2'])
        for (const y of numbersOf(svg, attribute)) expect(y >= 0 && y <= 420).toBe(true)
      expect(svg).not.toMatch(/NaN|Infinity/)
    }),
  )
})

test('the names at the ends of lines never lie on each other', () => {
  const same = Array.from({ length: 7 }, (_, i) => ({ name: `line ${i}`, points: [{ x: 1, y: 5 }] }))
  const svg = lineChart({ title: 't', description: 'd', xLabel: 'x', yLabel: 'y', series: same })
  const heights = [...svg.matchAll(/ y="([\d.]+)"[^>]*>line \d/g)].map(([, y]) => Number(y))
  expect(heights).toHaveLength(7)
  heights.slice(1).forEach((y, i) => {
    expect(y - (heights[i] as number)).toBeGreaterThanOrEqual(17)
  })
})

test('ticks are round, ascending and within what is drawn', () => {
  fc.assert(
    fc.property(fc.array(positive, { minLength: 1 }), (values) => {
      const ticks = ticksOf(values)
      for (const tick of ticks) {
        expect(tick).toBeGreaterThanOrEqual(Math.min(...values))
        expect(tick).toBeLessThanOrEqual(Math.max(...values))
        expect(['1', '2', '5']).toContain(tick.toExponential().charAt(0))
      }
      expect(ticks).toEqual([...new Set(ticks)].sort((a, b) => a - b))
    }),
  )
  expect(ticksOf([0.3, 2_000])).toEqual([1, 10, 100, 1_000])
  expect(ticksOf([700, 2_400])).toEqual([1_000, 2_000])
})

test('bars are as long as their shares, longest first, and say their percentage', () => {
  const svg = barChart({
    title: 't',
    description: 'd',
    bars: [
      { name: 'half', value: 0.5 },
      { name: 'ours', value: 1, ours: true },
      { name: 'none', value: 0 },
    ],
  })
  readXml(svg)
  const widths = [...svg.matchAll(/class="bar [^"]*"[^>]*width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  )
  expect(widths).toEqual([480, 240, 1])
  const texts = [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text)
  expect(texts).toEqual(['t', 'ours', '100.0', 'half', '50.0', 'none', '0.0'])
})

test('a picture says in words what it shows and has colours for dark ground', () => {
  const svg = barChart({ title: 'A & B', description: 'B is <best>', bars: [{ name: 'B', value: 1 }] })
  expect(svg).toContain('role="img" aria-labelledby="title description"')
  expect(svg).toContain('<title id="title">A &amp; B</title>')
  expect(svg).toContain('<desc id="description">B is &lt;best&gt;</desc>')
  expect(svg).toContain('prefers-color-scheme:dark')
})

test('a chart without a point is refused rather than drawn empty', () => {
  expect(() =>
    lineChart({
      title: 't',
      description: 'd',
      xLabel: 'x',
      yLabel: 'y',
      series: [{ name: 'a', points: [] }],
    }),
  ).toThrow('nothing to draw')
})
