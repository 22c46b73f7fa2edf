import { guardSecrets } from '../../../../intake/check-input.ts'
import { harmless, harmlessLine } from '../../../../operations/wording.ts'
import { type Page, wrapped } from '../../screen/style.ts'
import type { Change, Refusal } from '../files/change.ts'
import { unifiedDiff } from './diff.ts'

/** Characters of a line that are shown; a file on one line may have megabytes. */
const LINE_MAX = 400

/** A change of a file as it is shown, without the secrets in the lines around. */
export interface Shown {
  readonly path: string
  /** Lines of a unified diff. */
  readonly diff: readonly string[]
}

/** The changes of texts, without those that only the manifest has. */
export async function shownOf(changes: readonly Change[]): Promise<readonly Shown[]> {
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
export function refusalText(refusals: readonly Refusal[], page: Page): string {
  return refusals
    .map(({ path, reason, snippets }) => {
      const said = `${page.style.warm('!')} ${wrapped(harmlessLine(`${path} ${reason}.`), page, 2)}`
      const [first] = snippets
      if (first === undefined) return said
      return `${said}\n  To do it by hand:\n\n${snippets.map((each) => harmless(each)).join('\n')}\n`
    })
    .join('\n')
}
