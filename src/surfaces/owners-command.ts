import { kebabCase } from '../adapters/project/spelling.ts'
import type { Capability, OwnersCall } from '../engine/engine.ts'
import { harmless, shellWord } from '../operations/wording.ts'

/** The command by which the owner does what was refused to others. */
export interface OwnersCommand {
  /** The whole command, if a line of reasonable length does it. */
  readonly command?: string
  /** The command without arguments, and the memory: `elfmem remember --db notes.db`. */
  readonly named: string
  /** The names of the arguments that it needs, as a command line has them. */
  readonly needs: readonly string[]
  /** The capability of the refused caller. */
  readonly is: Capability
}

/** The parts of an operation that decide how a command line calls it. */
export interface Commanded {
  readonly positionals?: readonly string[]
  /** The trait of an operation whose positional names a file, so that a text goes by the flag. */
  readonly fromFile?: unknown
}

/** The most UTF-16 units of a command: nobody pastes a longer one. */
const COMMAND_MAX = 1_000

/** Returns the command for a call. It names the memory, since the owner may stand where another one is meant. */
export function ownersCommand(call: OwnersCall, operation: Commanded, is: Capability): OwnersCommand {
  const given = Object.entries(call.input).filter(([, value]) => value !== undefined && value !== null)
  const called = `elfmem ${kebabCase(call.operation)}`
  const memory = flagged('--db', call.memory)
  const named = [called, ...(isSaid(memory) ? memory : [])].join(' ')
  const words = [...wordsOfCall(operation, new Map(given)), ...memory]
  const command = !call.isPart && isSaid(words) ? [called, ...words].join(' ') : undefined
  const isFit = command !== undefined && command.length <= COMMAND_MAX && harmless(command) === command
  return { named, is, needs: given.map(([key]) => kebabCase(key)), ...(isFit ? { command } : {}) }
}

/** Says how an owner runs a command who is not the caller of these tools. */
export function askOwner({ command, named, needs }: OwnersCommand): string {
  if (command !== undefined) return `Ask the owner to run on the command line: ${command}`
  const what = needs.length === 0 ? '' : ` (${needs.join(', ')})`
  return `Ask the owner to run ${named} on the command line and to say there what this call said${what}: it does not fit into one line here.`
}

/** Returns the arguments of a command line; undefined for each that cannot be written there. */
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
  for (const [key, value] of given) if (!placed.has(key)) words.push(...flagged(`--${kebabCase(key)}`, value))
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

/** Returns a text as one word of a command line; undefined if it would be changed where it is shown, or has several lines. */
function quoted(text: string | undefined): string | undefined {
  if (text === undefined || /[\n\t]/.test(text)) return undefined
  const word = shellWord(text)
  return harmless(word) === word ? word : undefined
}

/** Returns the texts that stand for a value; undefined for one that a command line would take for something else. */
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

/** True for an item of a list that stands for itself, without commas or blanks that would part it. */
function isPlainItem(item: unknown): boolean {
  return typeof item === 'number' || (typeof item === 'string' && /^[^\s,[\]{}-][^\s,[\]{}]*$/.test(item))
}
