import type { Asked, Moved } from './acts.ts'
import type { Screen } from './screen.ts'

const KINDS: Readonly<Record<Asked['kind'], string>> = {
  direct: 'in its words',
  paraphrase: 'in other words',
  superseded: 'where an older answer lies, too',
  'cross-topic': 'across topics',
  unanswerable: 'without an answer',
}

/** Questions with what was found, and where it stood. */
export function showAsked({ line, style, shorten }: Screen, asked: readonly Asked[]): void {
  for (const { question, kind, rank, first, match, right, milliseconds } of asked) {
    const mark = right ? style.good('✓') : style.bad('✗')
    line(`  ${mark} ${style.bold(question)}  ${style.dim(`${KINDS[kind]}, ${milliseconds.toFixed(0)} ms`)}`)
    if (rank !== undefined) line(`    ${style.dim(`${rank}.`)} ${shorten(first ?? '', 8)}`)
    else
      line(
        `    ${style.dim(match === 'nothing' ? 'nothing bears on this, and it says so' : shorten(`a ${match === 'weak' ? 'weak match, and it says so' : 'wrong answer'}: ${first ?? ''}`, 6))}`,
      )
  }
}

interface Explained {
  readonly content: string
  readonly score: number
  readonly terms: readonly { readonly name: string; readonly value: number; readonly amount: number }[]
  readonly match?: Readonly<Record<string, number>>
}

/** Every block of an answer with the parts of its score as bars. */
export function showExplained({ line, style, shorten, gauge }: Screen, blocks: readonly Explained[]): void {
  for (const [at, { content, score, terms, match = {} }] of blocks.entries()) {
    line(`  ${style.dim(`${at + 1}.`)} ${shorten(content, 18)}  ${style.bold(score.toFixed(3))}`)
    for (const name of ['cosine', 'lexical']) {
      const value = match[name]
      if (value !== undefined) line(`     ${gauge(name, value)}`)
    }
    for (const { name, amount } of terms.filter((term) => Math.abs(term.amount) >= 0.005))
      line(`     ${gauge(name, Math.abs(amount))}${amount < 0 ? style.bad(' −') : ''}`)
  }
}

/** Where blocks stood before and after their outcomes. */
export function showMoved(
  { line, style, shorten, gauge }: Screen,
  question: string,
  moved: readonly Moved[],
): void {
  line(`  ${style.bold(question)}`)
  for (const { content, verdict, before, after, confidence } of moved) {
    const mark = verdict === 'helped' ? style.good('helped') : style.bad('misled')
    const place = after === 0 ? 'gone' : `place ${after}`
    line(`  ${mark}  ${shorten(content, 12)}`)
    line(`          place ${before} → ${style.bold(place)}   ${gauge('confidence', confidence, 12)}`)
  }
}
