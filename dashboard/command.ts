import { shown } from './shown.ts'

/** The parts of a session by which the command is called again. */
interface Served {
  readonly location?: string | undefined
  readonly name?: string | undefined
  readonly scope?: string | undefined
  readonly readOnly: boolean
}

/** Signs that a shell leaves as they are. */
const PLAIN = /^[\w./:@+][\w./:@+-]*$/

/** Signs that nobody sees, that no font may have, or that begin a line. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

/**
 * The command that serves the same memory again, as the command line writes it. It is only ever shown as text. A name with signs that
 * nobody sees is left out, with the flag before it.
 */
export function commandAgain({ location, name, scope, readOnly }: Served): string {
  if (name === 'demo') return 'elfmem dashboard --demo'
  const isFile = location !== undefined && location !== ':memory:'
  return [
    'elfmem dashboard',
    ...(isFile ? flagged('--db', location) : []),
    ...(scope === undefined ? [] : flagged('--scope', scope)),
    ...(readOnly ? ['--read-only'] : []),
  ].join(' ')
}

function flagged(flag: string, value: string): readonly string[] {
  const word = shellWord(value)
  if (word === undefined) return []
  return [value === '' || value.startsWith('-') ? `${flag}=${word}` : `${flag} ${word}`]
}

/** A text as one word of a command line; undefined of one that cannot be read as it is shown. */
export function shellWord(text: string): string | undefined {
  if (shown(text) !== text || UNSEEN.test(text)) return undefined
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
