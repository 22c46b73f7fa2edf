import { commonPlaces } from '../../screen/common-places.ts'

/** Lines shown around a change. */
const AROUND = 3

type Step = readonly [sign: ' ' | '-' | '+', line: string]

/** The difference of two texts in the unified form, without the names of files; empty if there is none. */
export function unifiedDiff(before: string, after: string): readonly string[] {
  const steps = stepsBetween(linesOf(before), linesOf(after))
  const isShown = (at: number) =>
    steps.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(([sign]) => sign !== ' ')
  const hunks: string[] = []
  let hunk: Step[] = []
  let [old, now] = [1, 1]
  for (const [at, step] of steps.entries()) {
    if (isShown(at)) hunk.push(step)
    old += Number(step[0] !== '+')
    now += Number(step[0] !== '-')
    if (hunk.length === 0 || (at + 1 < steps.length && isShown(at + 1))) continue
    hunks.push(
      `@@ -${range(old, hunk, '+')} +${range(now, hunk, '-')} @@`,
      ...hunk.map((each) => each.join('')),
    )
    hunk = []
  }
  return hunks
}

/** The lines of a hunk on one side, by the line behind it. As diff writes it: a range without lines names the line before. */
function range(behind: number, hunk: readonly Step[], others: '-' | '+'): string {
  const length = hunk.filter(([sign]) => sign !== others).length
  return `${behind - Math.max(length, 1)},${length}`
}

/** Lines without their ends; one that has another end, or none, says so. */
function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  const last = lines.pop()
  return last === '' ? lines : [...lines, `${last} (no end of line)`]
}

function stepsBetween(before: readonly string[], after: readonly string[]): Step[] {
  const steps: Step[] = []
  let [old, now] = [0, 0]
  for (const [x, y] of [...commonPlaces(before, after), [before.length, after.length] as const]) {
    steps.push(
      ...before.slice(old, x).map((line): Step => ['-', line]),
      ...after.slice(now, y).map((line): Step => ['+', line]),
      ...before.slice(x, x + 1).map((line): Step => [' ', line]),
    )
    ;[old, now] = [x + 1, y + 1]
  }
  return steps
}
