import { FORGERIES } from './texts/forgeries.ts'
import { HIDDEN } from './texts/hidden.ts'
import { INJECTIONS } from './texts/injections.ts'
import { POISON } from './texts/poison.ts'

/** A text that tries to become more than a remembered text. */
export interface Attack {
  readonly name: string
  readonly group: string
  readonly text: string
}

/** Hostile texts of our own, each with another content; the group says what they try. */
export const ATTACKS: readonly Attack[] = Object.entries({
  ...INJECTIONS,
  ...FORGERIES,
  ...HIDDEN,
  ...POISON,
}).flatMap(([group, texts]) => texts.map((text, at) => ({ name: `${group} ${at + 1}`, group, text })))
