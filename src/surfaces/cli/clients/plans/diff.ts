/** Lines shown around a change. */
const AROUND = 3
/** Pairs of lines that are compared between the first change and the last; of more, all is shown as exchanged. */
const CELLS_MAX = 4_000_000

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
  return last === '' ? lines : [...lines, `${last}\u0000`]
}

function stepsBetween(before: readonly string[], after: readonly string[]): Step[] {
  let from = 0
  while (from < before.length && before[from] === after[from]) from += 1
  let [b, a] = [before.length, after.length]
  while (b > from && a > from && before[b - 1] === after[a - 1]) [b, a] = [b - 1, a - 1]
  const [left, right] = [before.slice(from, b), after.slice(from, a)]
  const same = (lines: readonly string[]) => lines.map((line) => [' ', line] as const)
  const steps = [
    ...same(before.slice(0, from)),
    ...(shortest(left, right) ?? exchanged(left, right)),
    ...same(before.slice(b)),
  ]
  return steps.flatMap(([sign, line]): Step[] =>
    line.endsWith('\u0000') ? [[sign, `${line.slice(0, -1)} (no end of line)`]] : [[sign, line]],
  )
}

function exchanged(left: readonly string[], right: readonly string[]): Step[] {
  return [...left.map((line): Step => ['-', line]), ...right.map((line): Step => ['+', line])]
}

/** The fewest steps, by the table of longest common subsequences; undefined where it would be too large. */
function shortest(left: readonly string[], right: readonly string[]): Step[] | undefined {
  if ((left.length + 1) * (right.length + 1) > CELLS_MAX) return undefined
  const common = commonLengths(left, right)
  const steps: Step[] = []
  let [x, y] = [0, 0]
  while (x < left.length && y < right.length) {
    const [old = '', now = ''] = [left[x], right[y]]
    const sign = old === now ? ' ' : common(x + 1, y) >= common(x, y + 1) ? '-' : '+'
    steps.push([sign, sign === '+' ? now : old])
    x += Number(sign !== '+')
    y += Number(sign !== '-')
  }
  return [...steps, ...exchanged(left.slice(x), right.slice(y))]
}

/** Length of the longest common subsequence of the lines from `x` and from `y` on. */
function commonLengths(left: readonly string[], right: readonly string[]): (x: number, y: number) => number {
  const width = right.length + 1
  const cells = new Uint16Array((left.length + 1) * width)
  const at = (x: number, y: number) => cells[x * width + y] ?? 0
  for (let x = left.length - 1; x >= 0; x -= 1)
    for (let y = right.length - 1; y >= 0; y -= 1) {
      const isSame = left[x] === right[y]
      cells[x * width + y] = isSame ? at(x + 1, y + 1) + 1 : Math.max(at(x + 1, y), at(x, y + 1))
    }
  return at
}
