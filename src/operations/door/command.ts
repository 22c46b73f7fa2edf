import { shellWord } from '../../domain/text/shell-word.ts'
import type { Guarded } from './owner-arguments.ts'

/** What is longer stands in a command as a blank to fill in. */
const SHOWN_MAX = 60

/** The command line that makes a call. Texts that are long or of several lines stand as `'…'`. */
export function commandOf(
  { name, positionals = [] }: Pick<Guarded, 'name' | 'positionals'>,
  input: unknown,
): string {
  const given = Object.entries(Object(input) as Record<string, unknown>).filter(
    ([, value]) => value !== undefined && value !== null && value !== false,
  )
  const placed = positionals.flatMap((key) => wordsOf(given.find(([each]) => each === key)?.[1]))
  const flags = given
    .filter(([key]) => !positionals.includes(key))
    .flatMap(([key, value]) =>
      value === true ? [flagOf(key)] : wordsOf(value).flatMap((word) => [flagOf(key), word]),
    )
  return ['elfmem', kebab(name), ...placed, ...flags].join(' ')
}

function wordsOf(value: unknown): string[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value.flatMap(wordsOf)
  return [typeof value === 'object' ? "'…'" : quoted(String(value))]
}

function quoted(text: string): string {
  if (text.length > SHOWN_MAX || /[\p{Cc}\u2028\u2029]/u.test(text)) return "'…'"
  return shellWord(text)
}

function flagOf(key: string): string {
  return `--${kebab(key)}`
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
