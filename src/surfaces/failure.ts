import { ElfmemError, type ErrorCode } from '../errors.ts'
import { harmless } from '../operations/wording.ts'

/** The one shape of a failure on every wire. */
export interface Failure {
  readonly error: string
  /** `UNEXPECTED` is a fault of elfmem itself. */
  readonly code: ErrorCode | 'UNEXPECTED'
  readonly recovery: string
  readonly details?: Readonly<Record<string, unknown>>
}

/**
 * Returns the failure for a caller on a wire. Arguments are named as that wire spells them.
 *
 * @param spell turns a camelCase argument name into the wire's
 */
export function failureOf(cause: unknown, spell: (name: string) => string): Failure {
  if (!ElfmemError.is(cause)) {
    if (cause instanceof Error && cause.name === 'AbortError')
      return { error: 'It was cancelled.', code: 'CANCELLED', recovery: 'Begin again when you like.' }
    return {
      error: harmless(
        `elfmem failed in a way it should not: ${cause instanceof Error ? cause.message : String(cause)}`,
      ),
      code: 'UNEXPECTED',
      recovery: 'Please report it, with what you called and the version.',
    }
  }
  const said = cause.toJSON()
  const failure = { ...said, error: harmless(said.error), recovery: harmless(said.recovery) }
  const { details } = failure
  if (details === undefined) return failure
  const issues = issuesOf(details)
  // A message writes `blockIds[0]` for the path `blockIds.0`, so single words of a path are respelled, too.
  const paths = issues.flatMap(({ path }) => [path, ...path.split('.')])
  const names = [...new Set([...argumentsOf(details), ...paths])].filter((name) => /[A-Z]/.test(name))
  const respelled = (text: string) => names.reduce((said, name) => replaceWord(said, name, spell(name)), text)
  return {
    error: respelled(onOneLine(failure.error)),
    code: failure.code,
    recovery: respelled(failure.recovery),
    details: {
      ...details,
      ...(issues.length > 0 && { issues: issues.map((issue) => ({ ...issue, path: spell(issue.path) })) }),
      ...('arguments' in details && { arguments: argumentsOf(details).map(spell) }),
    },
  }
}

/** The list of what is wrong with the input, as a sentence. */
function onOneLine(text: string): string {
  return text
    .replace(/✖ ([^\n✖]*)\n +→ at (\S+)\n?/g, '$2: $1; ')
    .replace(/; $/, '')
    .replaceAll('✖ ', '')
}

interface Issue {
  readonly path: string
}

function issuesOf({ issues }: Readonly<Record<string, unknown>>): Issue[] {
  return Array.isArray(issues) ? (issues as Issue[]) : []
}

function argumentsOf({ arguments: names }: Readonly<Record<string, unknown>>): string[] {
  return Array.isArray(names) ? (names as string[]) : []
}

function replaceWord(text: string, word: string, by: string): string {
  return text.replace(new RegExp(`(?<![\\w.])${word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?!\\w)`, 'g'), by)
}
