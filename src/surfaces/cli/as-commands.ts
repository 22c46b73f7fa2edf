import { kebabCase, snakeCase } from '../../adapters/project/spelling.ts'
import { AS_OWNER } from '../../intake/check-input.ts'
import { operations } from '../../operations/table.ts'
import { commandOf, withOperations } from '../../operations/tool-sets.ts'
import { exampleCommand } from '../example.ts'
import type { Language } from '../spoken.ts'

/** The language of the command line: the names of commands and flags, and our prose. */
export const ON_COMMAND_LINE: Language = {
  name: kebabCase,
  key: snakeCase,
  example: exampleCommand,
  prose: asCommands,
  owner: ({ command, is }) => `The owner runs ${command ?? 'the same command'} without --as ${is}.`,
  writer: 'To write, leave out --as reader.',
}

const byName = new Map(operations.map((operation) => [operation.name, operation]))
const known = new Set(byName.keys())

const argumentNames = new Set(operations.flatMap(({ input }) => Object.keys(input.shape)))

/** A name of several words, with a value said for it where there is one. */
const ARGUMENT =
  /(?<![\w./\\-])(?!openMemory\b)([a-z]+(?:[A-Z][a-z]*)+)(?![\w/\\-])(?::? '([a-z_]+)'|: '([^']*)'|: true)?/g

/**
 * Our own prose with the library's calls as commands, `undo({ operationId: 6 })` as `elfmem undo 6`, and its arguments as
 * flags, `ifExists: 'update'` as `--if-exists update`. An operation that is only named is named as its command.
 */
export function asCommands(prose: string): string {
  const about = prose
    .replace('open it with { anew: true }', 'add --new to the command')
    .replace(AS_OWNER, 'The owner runs the same command without --as.')
  const commands = withOperations(about, { known }, (name, given = '') => {
    const method = /^method: '(\w+)'$/.exec(given)?.[1]
    if (name === 'guide' && method !== undefined) return `elfmem ${kebabCase(method)} --help`
    return commandOf(name, given, byName.get(name)?.positionals)
  })
  return commands.replace(ARGUMENT, (said, name: string, word?: string, text?: string) => {
    const value = word ?? text
    if (!argumentNames.has(name)) return said.replace(name, snakeCase)
    return [`--${kebabCase(name)}`, ...(value === undefined ? [] : [value])].join(' ')
  })
}
