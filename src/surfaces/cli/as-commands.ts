import { parse } from 'yaml'
import { type JsonSchema, kebabCase, snakeCase } from '../../adapters/project/spelling.ts'
import { attempt } from '../../errors.ts'
import type { Operation } from '../../operations/operation.ts'
import { operations } from '../../operations/table.ts'
import { withCalls } from '../../operations/tool-sets.ts'
import { shellWord } from '../../operations/wording.ts'
import { outsideQuotes } from '../prose.ts'
import { inputJsonSchema } from '../wire.ts'

const byName = new Map(operations.map((operation) => [operation.name, operation]))
/** The names of all arguments, also of those in the items of a list. */
const argumentNames = new Set(operations.flatMap((operation) => namesIn(inputJsonSchema(operation))))

/** Matches a name of several words, with its value if there is one. */
const NAME =
  /(?<![\w/\\-]|[^\]]\.)([a-z]{2,}(?:[A-Z][a-z]+)*[A-Z][a-z]*)(?![\w/\\-]|\.\w)(?::? '([a-z_]+)'|: '([^']*)'|: true)?/g

/**
 * Returns our own prose with calls as commands, `undo({ operationId: 6 })` as `elfmem undo 6`, and arguments as flags,
 * `ifExists: 'update'` as `--if-exists update`.
 */
export function asCommands(prose: string): string {
  return outsideQuotes(prose, (text) =>
    withCalls(text, (name, given) => {
      const operation = byName.get(name)
      return operation && commandOf(operation, given)
    })
      .replace(NAME, (said, name: string, word?: string, other?: string) => {
        if (byName.has(name)) return `elfmem ${kebabCase(name)}`
        if (!argumentNames.has(name)) return said
        // Keys inside the JSON of an argument are no flags.
        if (/\w\[\d+\]/.test(text)) return snakeCase(name)
        const value = word ?? other
        return [`--${kebabCase(name)}`, ...(value === undefined ? [] : [shellWord(value)])].join(' ')
      })
      .replace(/\bpass ([a-z]+): true\b/g, 'pass --$1')
      .replace(/\bCall (?=elfmem )/g, 'Run '),
  )
}

function namesIn({ properties = {}, items }: JsonSchema): string[] {
  const inside = [...Object.values(properties), ...(items ? [items] : [])]
  return [...Object.keys(properties), ...inside.flatMap(namesIn)]
}

/** Returns the call of a guide's example as somebody would type it. */
export function exampleCommand({ guide }: Operation): string {
  return asCommands(guide.example)
}

/** Returns a call as a command. Plain data in JavaScript is YAML; an argument without a value stands for itself. */
function commandOf({ name, positionals = [], fromFile }: Operation, given: string): string {
  const input: Record<string, unknown> = Object(attempt(() => parse(given) as unknown))
  if (fromFile !== undefined && fromFile.name in input) {
    // The command names a file in place of its text.
    input[fromFile.text] = input[fromFile.name]
    delete input[fromFile.name]
  }
  const places = positionals.filter((key) => key in input)
  const words = places.flatMap((key) => wordsOf(key, input[key]))
  const flags = Object.entries(input).flatMap(([key, value]) =>
    places.includes(key) || !/^\w+$/.test(key) ? [] : flagOf(key, value),
  )
  return ['elfmem', kebabCase(name), ...words, ...flags].join(' ')
}

function flagOf(key: string, value: unknown): string[] {
  const flag = `--${kebabCase(key)}`
  if (value === true) return [flag]
  if (value === false) return [`--no-${kebabCase(key)}`]
  return wordsOf(key, value).flatMap((word) => [flag, word])
}

function wordsOf(key: string, value: unknown): string[] {
  if (value === null) return [`<${kebabCase(key)}>`]
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
    return value.flatMap((each) => wordsOf(key, each))
  return [shellWord(typeof value === 'object' ? JSON.stringify(respelled(value)) : String(value))]
}

function respelled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(respelled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [snakeCase(key), respelled(each)]))
}
