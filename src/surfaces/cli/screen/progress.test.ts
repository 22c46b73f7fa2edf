import { expect, test } from 'vitest'
import { progressLine } from './progress.ts'

/** Returns what is written of work that reports `done` of 100 at each of these milliseconds. */
function writtenOf(
  reports: readonly (readonly [at: number, done: number])[],
  output: { readonly isTTY: boolean; readonly columns?: number; readonly isKept?: boolean },
) {
  const lines: string[] = []
  let time = 0
  const to = { ...output, write: (text: string) => void lines.push(text) }
  const line = progressLine(to, { env: { NO_COLOR: '1' } }, { isSilent: false, now: () => time })
  for (const [at, done] of reports) {
    time = at
    line.report({ stage: 'dreaming', done, total: 100, isKept: output.isKept === true })
  }
  line.clear()
  return lines
}

test('on a terminal long work is one line, drawn again ten times a second at most, and wiped at its end', () => {
  const often = Array.from({ length: 101 }, (_, done) => [done * 10, done] as const)
  const lines = writtenOf(often, { isTTY: true, columns: 80 })
  expect(lines.length).toBeLessThanOrEqual(13)
  expect(lines.every((line) => line.startsWith('\r'))).toBe(true)
  expect(lines.at(-2)).toContain('100/100')
  expect(lines.at(-1)).toBe('\r\u001b[2K')
})

test('the line of work that may be stopped says so, where it is wide enough', () => {
  const [line = ''] = writtenOf([[0, 7]], { isTTY: true, columns: 80, isKept: true })
  expect(line).toContain('7/100  Ctrl-C keeps that, the rest waits')
  expect(line.replaceAll('\r', '').replaceAll('\u001b[K', '').length).toBeLessThan(80)
  const [narrow = ''] = writtenOf([[0, 7]], { isTTY: true, columns: 40, isKept: true })
  expect(narrow).not.toContain('Ctrl-C')
  expect(narrow).toContain('7/100')
})

test.each([80, 40, 28, 20, 8])('on a terminal of %i columns the line fits', (columns) => {
  for (const line of writtenOf([[0, 7]], { isTTY: true, columns }).slice(0, 1)) {
    const shown = line.replaceAll('\r', '').replaceAll('\u001b[K', '')
    expect(shown.length).toBeLessThan(columns)
    expect(shown).toContain(columns < 20 ? 'dream' : '7/100')
  }
})

test('where no terminal is, short work says nothing, and long work a plain line now and then', () => {
  expect(
    writtenOf(
      [
        [0, 1],
        [900, 50],
        [1_000, 100],
      ],
      { isTTY: false },
    ),
  ).toEqual([])
  const lines = writtenOf(
    [
      [1_000, 10],
      [6_000, 20],
      [7_000, 30],
      [12_000, 40],
    ],
    { isTTY: false },
  )
  expect(lines).toEqual(['dreaming 20/100\n', 'dreaming 40/100\n'])
})
