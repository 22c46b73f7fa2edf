import { ElfmemError } from '../../../../errors.ts'
import { guardSecrets } from '../../../../intake/check-input.ts'
import { harmless, harmlessLine } from '../../../../operations/wording.ts'
import type { ParsedFlags } from '../../flags.ts'
import type { CliIo } from '../../io.ts'
import { commonPlaces } from '../../screen/common-places.ts'
import { type Page, pageFor, setOnPage, wrapped } from '../../screen/style.ts'
import { type Applying, applyAll, type Change, type Refusal } from '../files/change.ts'
import type { Plan } from './plan.ts'

/** Characters of a line that are shown; a file on one line may have megabytes. */
const LINE_MAX = 400

/** A change of a file as it is shown, without the secrets in the lines around. */
export interface Shown {
  readonly path: string
  /** Lines of a unified diff. */
  readonly diff: readonly string[]
}

/** A plan, and if it was carried out. */
interface CarriedOut {
  readonly plan: Plan
  readonly shown: readonly Shown[]
  readonly isDone: boolean
  /** Says something to a person, unless nothing is to be said. */
  readonly tell: (text: string) => void
}

interface Carrying {
  readonly flags: ParsedFlags
  readonly io: CliIo
  readonly world: Applying
  /** The page that shows a plan, without what it refuses. */
  readonly pageOf: (plan: Plan, shown: readonly Shown[]) => string
}

/** Shows what a plan changes, asks, and does that and nothing else. What it refuses is said, also with `--quiet`. */
export async function carryOut(makePlan: () => Plan, carrying: Carrying): Promise<CarriedOut> {
  const { flags, io, world, pageOf } = carrying
  const { global, values } = flags
  const plan = makePlan()
  const { changes, refusals } = plan
  const shown = await shownOf(changes)
  const isDue = changes.length > 0 && values['dry-run'] !== true
  // Whoever is asked sees what for.
  const isSilent = global.json || (global.quiet && (!isDue || values.yes === true))
  const tell = (text: string) => {
    if (!isSilent && text !== '') io.stdout.write(text)
  }
  tell(pageOf(plan, shown))
  const told = isSilent ? io.stderr : io.stdout
  if (refusals.length > 0 && !global.json) told.write(`${refusalText(refusals, pageFor(told, io))}\n`)
  const isDone = isDue && (shown.length === 0 || (await isAgreed(flags, io)))
  // What was shown is what is done; where nobody looked, what the files are by then counts.
  const isLooked = values.yes !== true
  if (isDone) await applyAll(io.home, () => (isLooked ? plan : makePlan()).changes, world)
  return { plan, shown, isDone, tell }
}

/**
 * True if the changes that were shown are to be made: by `--yes`, or by a yes at a terminal.
 *
 * @throws `INVALID_INPUT` where nobody can be asked
 */
async function isAgreed({ global, values }: ParsedFlags, io: CliIo): Promise<boolean> {
  if (values.yes === true) return true
  if (io.ask === undefined || global.json)
    throw new ElfmemError('INVALID_INPUT', 'Nobody can be asked here, so nothing was changed.', {
      recovery: 'Look at the changes with --dry-run, and make them with --yes.',
    })
  const said = await io.ask(setOnPage('Make these changes? (yes/no)', pageFor(io.stderr, io)))
  return /^y(?:es)?$/i.test(said.trim())
}

/** The changes of texts, without those that only the manifest has. */
async function shownOf(changes: readonly Change[]): Promise<readonly Shown[]> {
  const shown: Shown[] = []
  for (const { path, state, after } of changes) {
    const isAbsent = state.bytes === undefined
    if (after === (isAbsent ? undefined : state.text)) continue
    const lines = unifiedDiff(state.text, after ?? '').map(shortened)
    const { input } = await guardSecrets(lines.join('\n'), 'redact')
    const names = [`--- ${isAbsent ? '/dev/null' : path}`, `+++ ${after === undefined ? '/dev/null' : path}`]
    shown.push({ path, diff: [...names, ...input.split('\n')] })
  }
  return shown
}

function shortened(line: string): string {
  return line.length > LINE_MAX
    ? `${line.slice(0, LINE_MAX).toWellFormed()}… (${line.length} characters)`
    : line
}

/** The changes as people read them. */
export function diffText(shown: readonly Shown[], page: Page): string {
  const painted = (line: string, index: number) => {
    const [sign] = line
    // The first two name the file, whose name may have any sign.
    if (index < 2) return page.style.bold(harmlessLine(line))
    const said = harmless(line)
    if (sign === '@') return page.style.dim(said)
    return sign === '+' ? page.style.good(said) : sign === '-' ? page.style.bad(said) : said
  }
  return shown.map(({ diff }) => `${diff.map(painted).join('\n')}\n`).join('\n')
}

/** Returns a text on the changes that are refused, and what to paste by hand. */
function refusalText(refusals: readonly Refusal[], page: Page): string {
  return refusals
    .map(({ path, reason, snippets }) => {
      const said = `${page.style.warm('!')} ${wrapped(harmlessLine(`${path} ${reason}.`), page, 2)}`
      const [first] = snippets
      if (first === undefined) return said
      return `${said}\n  To do it by hand:\n\n${snippets.map((each) => harmless(each)).join('\n')}\n`
    })
    .join('\n')
}

/** Lines shown around a change. */
const AROUND = 3

type Step = readonly [sign: ' ' | '-' | '+', line: string]

/** The difference of two texts in the unified form, without the names of files; empty if there is none. */
function unifiedDiff(before: string, after: string): readonly string[] {
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
