import { kebabCase } from '../../adapters/project/spelling.ts'
import { argumentOf } from '../../operations/aliases.ts'
import type { Operation } from '../../operations/operation.ts'
import { operations } from '../../operations/table.ts'

const byName = new Map(operations.map((operation) => [operation.name, operation]))

const argumentNames = new Set(operations.flatMap(({ input }) => Object.keys(input.shape)))

/** A name of several words, with a value said for it where there is one. */
const ARGUMENT = /(?<![\w.-])([a-z]+(?:[A-Z][a-z]*)+)\b(?:: (?:'([^']*)'|true))?/g

/** A call of the library as our prose writes it, with one object of simple values. */
const CALL = /\b([a-z][A-Za-z]*)\(\{ ([^{}]*) \}\)/g

/**
 * Our own prose with the library's calls as commands, `undo({ operationId: 6 })` as `elfmem undo 6`, and its arguments as
 * flags, `ifExists: 'update'` as `--if-exists update`. An operation that is only named is named as its command.
 */
export function asCommands(prose: string): string {
  const commands = prose.replace(CALL, (call, name: string, given: string) => {
    const operation = byName.get(name)
    if (operation === undefined) return call
    const method = /^method: '(\w+)'$/.exec(given)?.[1]
    if (name === 'guide' && method !== undefined) return `elfmem ${kebabCase(method)} --help`
    const words = given.split(', ').map((each) => wordOf(each, operation))
    return ['elfmem', kebabCase(name), ...words].join(' ')
  })
  return commands.replace(ARGUMENT, (said, name: string, value: string | undefined) => {
    if (value === undefined && byName.has(name)) return `elfmem ${kebabCase(name)}`
    if (!argumentNames.has(name)) return said
    return [`--${kebabCase(name)}`, ...(value === undefined ? [] : [value])].join(' ')
  })
}

function wordOf(given: string, { input, positionals = [] }: Operation): string {
  const [written = '', value] = given.split(': ')
  const key = argumentOf(input, written)
  const flag = `--${kebabCase(key)}`
  if (value === 'true') return flag
  const said = value?.replaceAll("'", '') ?? `<${kebabCase(key)}>`
  return positionals.includes(key) ? said : `${flag} ${said}`
}
