import { kebabCase } from '../../adapters/project/spelling.ts'
import { operations } from '../../operations/table.ts'

const byName = new Map(operations.map((operation) => [operation.name, operation]))

/** A call of the library as our prose writes it, with one object of simple values. */
const CALL = /\b([a-z][A-Za-z]*)\(\{ ([^{}]*) \}\)/g

/** Our own prose with the library's calls as commands: `undo({ operationId: 6 })` is `elfmem undo 6`. */
export function asCommands(prose: string): string {
  return prose.replace(CALL, (call, name: string, given: string) => {
    const operation = byName.get(name)
    if (operation === undefined) return call
    const method = /^method: '(\w+)'$/.exec(given)?.[1]
    if (name === 'guide' && method !== undefined) return `elfmem ${kebabCase(method)} --help`
    const words = given.split(', ').map((each) => wordOf(each, operation.positionals ?? []))
    return ['elfmem', kebabCase(name), ...words].join(' ')
  })
}

function wordOf(given: string, positionals: readonly string[]): string {
  const [key = '', value] = given.split(': ')
  const flag = `--${kebabCase(key)}`
  if (value === 'true') return flag
  const said = value?.replaceAll("'", '') ?? `<${kebabCase(key)}>`
  return positionals.includes(key) ? said : `${flag} ${said}`
}
