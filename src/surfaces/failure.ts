import { ElfmemError, type ErrorCode } from '../errors.ts'
import { AS_OWNER, AS_WRITER } from '../intake/check-input.ts'
import { loadOperation } from '../operations/load.ts'
import type { Operation } from '../operations/operation.ts'
import { bounded, EXAMPLE, harmless, shortened } from '../operations/wording.ts'
import { type OwnersCommand, ownersCommand } from './owners-command.ts'

/** The one shape of a failure on every wire. */
export interface Failure {
  readonly error: string
  /** `UNEXPECTED` is a fault of elfmem itself. */
  readonly code: ErrorCode | 'UNEXPECTED'
  readonly recovery: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** The spelling of a surface for the names of the library. */
export interface Spelling {
  /** A name in camelCase, of an operation or of an argument, as the surface spells it. */
  readonly name: (name: string) => string
  /** A key inside the JSON of an argument, where that is spelled another way; as `name` spells unless given. */
  readonly key?: (name: string) => string
  /** Returns a call of an operation that works, as a caller of the surface makes it. */
  readonly example: (operation: Operation) => Promise<string | undefined>
  /** Says how the owner makes a call that was refused; absent: as a program does. */
  readonly owner?: (command: OwnersCommand) => string
  /** Says how a caller may write that may only look; absent: as a program does. */
  readonly writer?: string
}

/** A fault in the arguments. */
type Issue = Readonly<Record<'path' | 'message', string>>

/** Returns the failure for a caller of a surface, with all names as it spells them. */
export async function failureOf(cause: unknown, spelling: Spelling): Promise<Failure> {
  if (!ElfmemError.is(cause)) {
    if (cause instanceof Error && cause.name === 'AbortError')
      return { error: 'It was cancelled.', code: 'CANCELLED', recovery: 'Begin again when you like.' }
    return {
      error: harmless(
        shortened(
          `elfmem failed in a way it should not: ${cause instanceof Error ? cause.message : cause}`,
          500,
        ),
      ),
      code: 'UNEXPECTED',
      recovery: 'Please report it, with what you called and the version.',
    }
  }
  const { code, message, recovery: told, details: facts } = bounded(cause)
  const { call: _call, ...known }: Readonly<Record<string, unknown>> = { ...facts }
  const owners = await ownersOf(cause)
  const { command } = owners ?? {}
  const details: Readonly<Record<string, unknown>> = { ...known, ...(command && { command }) }
  const recovery = told
    .replace(AS_OWNER, (said) => (owners && spelling.owner?.(owners)) ?? said)
    .replace(AS_WRITER, (said) => spelling.writer ?? said)
  const said = { error: harmless(message), code, recovery: harmless(recovery) }
  if (Object.keys(details).length === 0) return said
  const issues = listOf<Issue>(details.issues)
  const spellAs = (how: Spelling['name']) => aroundCommand(details, speller(details, how))
  const spell = spellAs(spelling.name)
  const spellKeys = spellAs(spelling.key ?? spelling.name)
  // Behind the argument a path goes into its JSON, and the sentence names the keys there.
  const inside = (text: string) =>
    text.replace(
      /^([a-zA-Z]+)(.*)$/s,
      (_, argument: string, rest: string) => spell(argument) + spellKeys(rest),
    )
  const spellAt = ({ path }: Issue) => (/[.[]/.test(path) ? inside : spell)
  const example = recovery.startsWith(EXAMPLE) ? await exampleFor(details, spelling) : undefined
  return {
    error: spell(
      issues
        .map((issue) => [harmless(issue.message), spellAt(issue)] as const)
        .reduce((text, [sentence, spellIt]) => text.split(sentence).join(spellIt(sentence)), said.error),
    ),
    code,
    recovery: example === undefined ? spell(said.recovery) : `${EXAMPLE}${example}`,
    details: {
      ...details,
      ...('operation' in details && { operation: spelling.name(String(details.operation)) }),
      ...('arguments' in details && { arguments: listOf<string>(details.arguments).map(spell) }),
      ...('issues' in details && {
        issues: issues.map((issue) => ({
          ...issue,
          path: spellAt(issue)(issue.path),
          message: spellAt(issue)(issue.message),
        })),
      }),
    },
  }
}

/** Returns the command of the call that a refusal leaves to the owner. */
async function ownersOf(cause: ElfmemError): Promise<OwnersCommand | undefined> {
  if (!isOwnerOnly(cause) || cause.details.call === undefined) return undefined
  const { call, is } = cause.details
  return ownersCommand(call, (await loadOperation(call.operation)) ?? {}, is)
}

function isOwnerOnly(cause: ElfmemError): cause is ElfmemError<'OWNER_ONLY'> {
  return cause.code === 'OWNER_ONLY'
}

/** Rewrites a text but for the owner's command in it, which is to be pasted as it is. */
export function aroundCommand(
  { command }: Readonly<Record<string, unknown>> = {},
  rewrite: (text: string) => string,
): (text: string) => string {
  if (typeof command !== 'string' || command === '') return rewrite
  return (text) => text.split(command).map(rewrite).join(command)
}

/** A name that spellings differ in: one of several words. */
const NAME = /(?<![\w-])[a-z]+(?:[A-Z][a-z]*)+(?!\w)/g

/** Respells the names that `details` declares, wherever they stand in a text outside quotes. */
function speller(
  { arguments: names, operation }: Readonly<Record<string, unknown>>,
  spell: (name: string) => string,
): (text: string) => string {
  const declared = new Set([...listOf(names), operation].flatMap((name) => String(name).match(NAME) ?? []))
  return (text) =>
    text.replace(/"[^"]*"|[^"]+/g, (part) =>
      part.startsWith('"') ? part : part.replace(NAME, (name) => (declared.has(name) ? spell(name) : name)),
    )
}

/** A call to show instead of one that the input was wrong for. */
async function exampleFor(
  { operation: name, issues }: Readonly<Record<string, unknown>>,
  { example }: Spelling,
): Promise<string | undefined> {
  if (issues === undefined || typeof name !== 'string') return undefined
  const operation = await loadOperation(name)
  return operation && example(operation)
}

function listOf<T>(value: unknown): readonly T[] {
  return Array.isArray(value) ? (value as T[]) : []
}
