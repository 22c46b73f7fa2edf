import type { Decision } from '../../../src/operations/methods.generated.ts'
import { shown } from '../../shown.ts'

const FOUND: Readonly<Record<string, string>> = {
  similarity: 'Found by similarity',
  hint: 'Said by whoever brought it',
  model: 'Found by a model',
  host: 'Found by an agent that judges',
  agent: 'An agent said so',
  owner: 'The owner said so',
}

const RULES: Readonly<Record<string, string>> = {
  number: 'the numbers differ',
  negation: 'one denies the other',
  date: 'the dates differ',
}

/** Who found something, or asked for it, in words. */
export function foundWords({ kind, by }: Pick<Decision, 'kind' | 'by'>): string {
  if (by === undefined) return 'Found'
  if (kind === 'proposal') return `Asked by ${shown(by)}`
  if (kind === 'outdated') return 'Found by what it rests on'
  if (!by.startsWith('rule:')) return FOUND[by] ?? `Found by ${shown(by)}`
  const rule = by.slice('rule:'.length)
  return `Found by a rule (${RULES[rule] ?? rule})`
}
