import { kebabCase, snakeCase } from '../adapters/project/spelling.ts'
import type { Operation } from '../operations/operation.ts'
import { shellWord } from '../operations/wording.ts'

/** Reading a file in a library call is standard input on a command line. */
const READS_FILE = /await readFile\('([^']{1,100})'[^)]{0,100}\)/

/** Standard input, which stands on a command line for a file that is read. */
const STANDARD_INPUT = '-'
/** A document that could be that file, for a call of a tool, which has no standard input. */
const DOCUMENT = '# Releases\n\nReleases go out on Tuesdays.'

/**
 * The argument of a library call written as text, or undefined when it is no plain object: a JavaScript literal of
 * plain data is YAML.
 *
 * @param file stands for the text of a file that the call reads; standard input unless given
 */
export async function argumentOfExample(
  example: string,
  file = STANDARD_INPUT,
): Promise<Record<string, unknown> | undefined> {
  const open = example.indexOf('(')
  const inside = example
    .slice(open + 1, example.lastIndexOf(')'))
    .replace(READS_FILE, () => JSON.stringify(file))
    .trim()
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
  const input = await argumentOfExample(operation.guide.example, DOCUMENT)
  return input === undefined ? undefined : `${name} ${JSON.stringify(respelledKeys(input))}`
}

/** The guide's example as somebody would type it. */
export async function exampleCommand(operation: Operation): Promise<string | undefined> {
  const input = await argumentOfExample(operation.guide.example)
  if (input === undefined) return undefined
  const positionals = (operation.positionals ?? []).filter((key) => key in input)
  const words = positionals.flatMap((key) => wordsOf(input[key]))
  const flags = Object.entries(input)
    .filter(([key]) => !positionals.includes(key))
    .flatMap(([key, value]) => flagOf(key, value))
  const file = READS_FILE.exec(operation.guide.example)?.[1]
  const from = file === undefined ? [] : ['<', file]
  return ['elfmem', kebabCase(operation.name), ...words, ...flags, ...from].join(' ')
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
