import { shownShellWord } from '../../domain/safety/shown-shell-word.ts'
import { shown } from '../../domain/safety/visible.ts'
import type { CallContext, OwnersWay } from '../engine/engine.ts'

/** The parts of an operation that decide how a command line calls it. */
export interface Commanded {
  readonly name: string
  readonly positionals?: readonly string[]
  /** Its positional names a file, so that a text goes by the flag. */
  readonly fromFile?: unknown
}

/** Nobody pastes what is longer. */
const COMMAND_MAX = 1_000

/**
 * The way of a call: its command with every argument, or else its name and what its arguments are called. Both name the
 * memory, since the owner may stand where another one is meant.
 *
 * @param location of the memory
 */
export function ownersWay(operation: Commanded, input: unknown, location: string): OwnersWay {
  const given = Object.entries(Object(input) as Record<string, unknown>).filter(
    ([, value]) => value !== undefined && value !== null,
  )
  const called = commandOf(operation.name)
  const memory = flagged('--db', location)
  const named = [called, ...(isSaid(memory) ? memory : [])].join(' ')
  const words = [...wordsOfCall(operation, new Map(given)), ...memory]
  const command = isSaid(words) ? [called, ...words].join(' ') : undefined
  const isFit = command !== undefined && command.length <= COMMAND_MAX && shown(command) === command
  return { named, needs: given.map(([key]) => kebab(key)), ...(isFit ? { command } : {}) }
}

/** The way of the call that a stage runs for, with other arguments besides or instead. */
export function wayOfCall(
  { asCommand }: Pick<CallContext, 'asCommand'>,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): OwnersWay {
  return asCommand?.(more) ?? { named: commandOf(name), needs: [] }
}

/** The command that calls an operation, without arguments: `elfmem restore-backup`. */
export function commandOf(operation: string): string {
  return `elfmem ${kebab(operation)}`
}

/** Arguments of a command line; undefined for each that cannot be written there. */
function wordsOfCall(
  { positionals = [], fromFile }: Commanded,
  given: ReadonlyMap<string, unknown>,
): readonly (string | undefined)[] {
  const words: (string | undefined)[] = []
  const placed = new Set<string>()
  // What stands behind one that cannot be told from a flag needs its own flag.
  for (const [at, key] of (fromFile === undefined ? positionals : []).entries()) {
    const value = given.get(key)
    const own = value === undefined ? undefined : valuesOf(value)
    // Only the last may be several words.
    if (own === undefined || (own.length > 1 && at < positionals.length - 1)) break
    if (own.some((word) => word === undefined || /^(?:-|$)/.test(word))) break
    words.push(...own.map(quoted))
    placed.add(key)
  }
  for (const [key, value] of given) if (!placed.has(key)) words.push(...flagged(`--${kebab(key)}`, value))
  return words
}

function isSaid(words: readonly (string | undefined)[]): words is readonly string[] {
  return words.every((word) => word !== undefined)
}

function flagged(flag: string, value: unknown): (string | undefined)[] {
  if (typeof value === 'boolean') return [value ? flag : flag.replace(/^--/, '--no-')]
  return valuesOf(value).flatMap((text) => {
    const word = quoted(text)
    return word !== undefined && (text === '' || text?.startsWith('-')) ? [`${flag}=${word}`] : [flag, word]
  })
}

function quoted(text: string | undefined): string | undefined {
  return text === undefined ? undefined : shownShellWord(text)
}

/** The texts that stand for a value; undefined for one that a command line would take for something else. */
function valuesOf(value: unknown): (string | undefined)[] {
  if (Array.isArray(value)) {
    const isPlain = value.length > 0 && value.every((each) => isPlainItem(each))
    return isPlain ? value.map(String) : [JSON.stringify(value)]
  }
  if (typeof value === 'object') return [JSON.stringify(value)]
  const text = String(value)
  // Alone it is standard input.
  return [text === '-' ? undefined : text]
}

/** An item of a list that stands for itself, without commas or blanks that would part it. */
function isPlainItem(item: unknown): boolean {
  return typeof item === 'number' || (typeof item === 'string' && /^[^\s,[\]{}-][^\s,[\]{}]*$/.test(item))
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
