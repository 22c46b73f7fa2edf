import { basename, resolve } from 'node:path'
import { type JsonSchema, kebabCase, snakeCase } from '../../adapters/project/spelling.ts'
import { mayDo, type Principal } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { acceptCaller, ownerOnly } from '../../intake/check-input.ts'
import type { Operation } from '../../operations/operation.ts'
import { inputWithAliases, wireOf } from '../wire.ts'
import type { Options, ParsedFlags } from './flags.ts'
import type { CliIo } from './io.ts'
import { jsonLines, parseJson, readInputFile } from './read-input.ts'

type Properties = Readonly<Record<string, JsonSchema>>

/**
 * Returns the input properties of an operation, by camelCase name, other names of an argument included; with the defaults of the
 * command line. The parts of an object of plain values are arguments, too: `expectBy` is `by` of `expect`.
 */
export function propertiesOf(operation: Operation): Properties {
  const { properties = {} } = inputWithAliases(operation)
  const onTerminal = Object.entries(operation.onTerminal ?? {}).map(
    ([key, value]) => [key, { ...properties[key], default: value }] as const,
  )
  const entries = Object.entries({ ...properties, ...Object.fromEntries(onTerminal) })
  return Object.fromEntries(entries.flatMap(([key, schema]) => [[key, schema], ...partsOf(key, schema)]))
}

/** Returns the parts of an object of texts and numbers as arguments of their own; none of any other schema. */
function partsOf(key: string, { type, properties = {} }: JsonSchema): [string, JsonSchema][] {
  const parts = Object.entries(properties)
  const isPlain = parts.every(([, part]) => ['text', 'number'].includes(kindOf(part)))
  if (type !== 'object' || !isPlain) return []
  return parts.map(([name, part]) => [
    `${key}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    { ...part, partOf: [key, name] },
  ])
}

/** Returns the flags of an operation: `--top-k`, and `--no-x` for a switch that is on by default. */
export function optionsOf(operation: Operation): Options {
  const properties = propertiesOf(operation)
  const options: Options = {}
  for (const [name, schema] of Object.entries(properties)) {
    const flag = kebabCase(name)
    if (kindOf(schema) !== 'boolean') options[flag] = { type: 'string', multiple: kindOf(schema) === 'list' }
    else {
      options[flag] = { type: 'boolean' }
      options[`no-${flag}`] ??= { type: 'boolean' }
    }
  }
  return options
}

/** The form of a value on a command line; `data` is JSON. */
export type Kind = 'text' | 'number' | 'boolean' | 'list' | 'data'

/** Returns how a value of the schema is written on a command line. */
export function kindOf(schema: JsonSchema): Kind {
  const kinds = new Set((schema.anyOf ?? [schema]).map(simpleKind))
  if (kinds.has('list')) return 'list'
  return kinds.has('data') ? 'data' : ([...kinds][0] ?? 'text')
}

function simpleKind({ type, items }: JsonSchema): Kind {
  switch (type) {
    case 'boolean':
      return 'boolean'
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return items?.type === 'object' ? 'data' : 'list'
    case 'object':
      return 'data'
    default:
      return 'text'
  }
}

/** The input an operation is called with, from its flags and positionals. Values are judged by the operation. */
export async function inputOf(operation: Operation, flags: ParsedFlags, io: CliIo): Promise<unknown> {
  const properties = propertiesOf(operation)
  const read = new ArgumentReader(io, acceptCaller('cli', { as: flags.global.as }))
  const input: Record<string, unknown> = {}
  const { fromFile } = operation
  const file = fromFile === undefined ? undefined : flags.positionals[0]
  for (const [key, given] of givenOf(operation, properties, flags)) {
    const schema = properties[key]
    const place = placeOf(operation, key, given, io)
    if (place !== undefined) input[key] = place
    else if (key === fromFile?.text && given === file && given !== '-') input[key] = read.file(file)
    else if (schema !== undefined) put(input, key, schema, await read.value(key, schema, given))
  }
  if (fromFile && file !== undefined && file !== '-') input[fromFile.name] ??= basename(file)
  const data = Object.keys(input).filter((key) => kindOf(properties[key] ?? {}) === 'data')
  return data.length === 0 ? input : withData(operation, input, data)
}

/** Puts a value into the input, or into the argument of which it is a part. */
function put(input: Record<string, unknown>, key: string, { partOf }: JsonSchema, value: unknown): void {
  if (partOf === undefined) input[key] = value
  else input[partOf[0]] = { ...(input[partOf[0]] as object), [partOf[1]]: value }
}

/** A path on this machine, when the argument is one; `-` stays where it is a pipe. */
function placeOf({ local = {} }: Operation, key: string, given: Given, io: CliIo): string | undefined {
  const kind = local[key]
  if (kind === undefined) return undefined
  return given === '-' && kind !== 'path' ? given : resolve(io.cwd, String(given))
}

/** Keys inside a data file are spelled as on every wire. */
function withData(operation: Operation, input: Record<string, unknown>, keys: readonly string[]): unknown {
  const { toInput } = wireOf(operation)
  const read = toInput(Object.fromEntries(keys.map((key) => [snakeCase(key), input[key]])))
  return { ...input, ...(read as Record<string, unknown>) }
}

function* givenOf(
  operation: Operation,
  properties: Properties,
  { values, positionals }: ParsedFlags,
): Generator<readonly [key: string, given: Given]> {
  const names = operation.positionals ?? []
  const placed = new Set<string>()
  for (const [at, key] of names.entries()) {
    const rest = at === names.length - 1 && kindOf(properties[key] ?? {}) === 'list'
    const given = rest ? positionals.slice(at) : positionals[at]
    if (given === undefined || given.length === 0) continue
    placed.add(key)
    yield [key, given]
  }
  refuseExtraArguments(operation, properties, positionals)
  for (const key of Object.keys(properties)) {
    const given = flagValue(kebabCase(key), values)
    if (given === undefined) continue
    if (placed.has(key))
      throw new ElfmemError('INVALID_INPUT', `${kebabCase(key)} is given twice, with and without its flag.`, {
        recovery: `Leave out --${kebabCase(key)} or the argument.`,
      })
    yield [key, given]
  }
}

type Given = string | boolean | readonly string[]

/** Returns the value of `--flag` or `--no-flag`; undefined when neither is given. */
function flagValue(flag: string, values: ParsedFlags['values']): Given | undefined {
  if (values[flag] !== undefined) return values[flag] as Given
  return values[`no-${flag}`] === true ? false : undefined
}

function refuseExtraArguments(
  operation: Operation,
  properties: Properties,
  positionals: readonly string[],
): void {
  const names = operation.positionals ?? []
  const last = names.at(-1)
  if (last !== undefined && kindOf(properties[last] ?? {}) === 'list') return
  const extra = positionals[names.length]
  if (extra === undefined) return
  const takes =
    names.length === 0 ? 'no arguments without a flag' : names.map((name) => `<${kebabCase(name)}>`).join(' ')
  const message = `${kebabCase(operation.name)} takes ${takes}; "${extra}" is too much.`
  throw new ElfmemError('INVALID_INPUT', message, { recovery: 'Put quotes around a text of several words.' })
}

/** Turns words of a command line into values; `-` stands for standard input, which can be read once. */
class ArgumentReader {
  readonly #io: CliIo
  readonly #caller: Principal
  #stdinFor: string | undefined

  constructor(io: CliIo, caller: Principal) {
    this.#io = io
    this.#caller = caller
  }

  async value(key: string, schema: JsonSchema, given: Given): Promise<unknown> {
    switch (kindOf(schema)) {
      case 'list':
        return (typeof given === 'object' ? given : [String(given)]).flatMap((each) => listed(each, schema))
      case 'number':
        return numeric(String(given))
      case 'data':
        return this.#data(key, schema, String(given))
      case 'text':
        return given === '-' ? (await this.#stdin(key)).replace(/\r?\n$/, '') : given
      case 'boolean':
        return given
    }
  }

  /** The text of a file, which only an owner names; throws `INVALID_INPUT` when it cannot be read. */
  file(given: string): string {
    if (!mayDo(this.#caller, 'owner'))
      throw ownerOnly(this.#caller, {
        what: 'A file of this machine is for the owner to name',
        otherwise: 'Pass - and write to standard input.',
      })
    const path = resolve(this.#io.cwd, given)
    try {
      return readInputFile(path)
    } catch (cause) {
      if (ElfmemError.is(cause)) throw cause
      throw new ElfmemError('INVALID_INPUT', `${path} cannot be read.`, {
        recovery: 'Name a file that exists, or - for standard input.',
        cause,
      })
    }
  }

  async #data(key: string, schema: JsonSchema, given: string): Promise<unknown> {
    const inline = /^\s*[[{]/.test(given)
    const text = inline ? given : given === '-' ? await this.#stdin(key) : this.file(given)
    return schema.type === 'array' && !/^\s*\[/.test(text) ? jsonLines(key, text) : parseJson(key, text)
  }

  #stdin(key: string): Promise<string> {
    if (this.#stdinFor !== undefined)
      throw new ElfmemError('INVALID_INPUT', `Standard input cannot be both ${this.#stdinFor} and ${key}.`, {
        recovery: 'Give one of them in the command or by a file.',
      })
    this.#stdinFor = key
    return this.#io.readStdin()
  }
}

/**
 * `a,b` is two items; a comma inside a phrase separates nothing, nor does one where each item is a phrase. A JSON list is taken
 * as it is.
 */
function listed(given: string, schema: JsonSchema): unknown[] {
  if (/^\s*\[/.test(given)) {
    const list = parseJson('list', given)
    if (Array.isArray(list)) return list
  }
  if (schema.phrases === true) return [given]
  const parts = given.split(',').map((part) => part.trim())
  const items = parts.some((part) => /\s/.test(part)) ? [given] : parts.filter((part) => part !== '')
  return schema.items?.type === 'number' || schema.items?.type === 'integer' ? items.map(numeric) : items
}

/** Returns a number. A word that is no number stays a word, so that the operation itself says what it expected. */
function numeric(given: string): number | string {
  const number = Number(given)
  return given.trim() === '' || Number.isNaN(number) ? given : number
}
