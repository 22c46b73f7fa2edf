import { kebabCase, snakeCase } from '../adapters/project/spelling.ts'
import type { Operation } from '../operations/operation.ts'
import { shellWord } from '../operations/wording.ts'

/** Returns the argument of a library call that is written as text: plain data in JavaScript is YAML. Undefined if it is no plain object. */
export async function argumentOfExample(example: string): Promise<Record<string, unknown> | undefined> {
  const open = example.indexOf('(')
  const inside = example.slice(open + 1, example.lastIndexOf(')')).trim()
  if (open < 0) return undefined
  if (inside === '') return {}
  const { parse } = await import('yaml')
  const value: unknown = parse(inside)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

/**
 * The guide's example as a caller of tools calls one.
 *
 * @param name of the tool; that of a server unless given
 */
export async function exampleToolCall(
  operation: Operation,
  name = `elfmem_${snakeCase(operation.name)}`,
): Promise<string | undefined> {
  const input = await argumentOfExample(operation.guide.example)
  return input === undefined ? undefined : `${name} ${JSON.stringify(respelledKeys(input))}`
}

/** The guide's example as somebody would type it. */
export async function exampleCommand(operation: Operation): Promise<string | undefined> {
  const { fromFile, guide } = operation
  const given = await argumentOfExample(guide.example)
  if (given === undefined) return undefined
  const { [fromFile?.name ?? '']: file, ...others } = given
  // A file is named in place of its text.
  const input = fromFile === undefined ? given : { ...others, [fromFile.text]: file }
  const positionals = (operation.positionals ?? []).filter((key) => key in input)
  const words = positionals.flatMap((key) => wordsOf(input[key]))
  const flags = Object.entries(input)
    .filter(([key]) => !positionals.includes(key))
    .flatMap(([key, value]) => flagOf(key, value))
  return ['elfmem', kebabCase(operation.name), ...words, ...flags].join(' ')
}

function flagOf(key: string, value: unknown): string[] {
  const flag = `--${kebabCase(key)}`
  if (value === true) return [flag]
  if (value === false) return [`--no-${kebabCase(key)}`]
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
    return wordsOf(value).flatMap((word) => [flag, word])
  return [flag, ...wordsOf(value)]
}

function wordsOf(value: unknown): string[] {
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.flatMap(wordsOf)
  const text = typeof value === 'object' ? JSON.stringify(respelledKeys(value)) : String(value)
  return [shellWord(text)]
}

function respelledKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(respelledKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [snakeCase(key), respelledKeys(each)]))
}
