import * as z from 'zod'
import { defined, shown } from '../block/text.ts'
import {
  type AnswerForm,
  actorOf,
  type CallContext,
  type Capability,
  callerOf,
  type Engine,
  type LoggedTransaction,
  mayDo,
  type NotedRequest,
  type Principal,
  UsageMeter,
} from '../engine/engine.ts'
import type { Settings } from '../engine/settings.ts'
import { ElfmemError, type ErrorCode } from '../errors.ts'
import { checkSize, guardSecrets, type RedactedSecrets, redactedSentence } from '../intake/check-input.ts'
import { heldFor, mustBeAllowed, mustBeOwners, type OwnerArguments, parseInput } from './door.ts'
import type { Answer } from './fit-answer.ts'
import { doneOnce } from './once.ts'
import * as schemas from './schemas.ts'
import type { ToolSet } from './tool-choice.ts'
import { loggedName, sentences } from './wording.ts'

/** Cost of a call: one short transaction; at most a few embeddings; as many as there is to embed. */
export type Cost = 'instant' | 'embedding' | 'batch'

/** The first four sentences of the guide; the rest of it is derived. */
export interface Guide {
  readonly when: string
  readonly whenNot: string
  /** The next call to make, and its arguments. */
  readonly next: string
  /** One call as the library takes it. */
  readonly example: string
}

/**
 * One thing a caller can ask of the memory.
 *
 * The library method, MCP tool, CLI command, guide entry and reference page are all derived from this record;
 * nothing about an operation is written elsewhere. Keys are camelCase here and snake_case on every wire.
 */
export interface Operation<
  N extends string = string,
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodType = z.ZodType,
> {
  /** camelCase; `recordUse` is `memory.recordUse`, `elfmem_record_use` and `elfmem record-use`. */
  readonly name: N
  /** One sentence: the CLI's list, the MCP title's description, the hover text. */
  readonly summary: string
  readonly guide: Guide
  /** The smallest set of tools that lists it; a surface that serves a set calls nothing else. `none`: no tool is made of it. */
  readonly tools: ToolSet | 'none'
  /** True: clients that hide tools until they are searched for are asked to show it at once. */
  readonly isAlwaysShown?: true
  /** The least a caller must be; `invoke` refuses others. */
  readonly needs: Capability
  readonly effect: Effect
  readonly cost: Cost
  /** True if it begins a memory where there is none, or for which calls; the others answer as an empty one does, and make no file. */
  readonly makesMemory?: boolean | ((input: { readonly dryRun?: unknown }) => boolean)
  /** True if calling it twice with the same input changes nothing more. */
  readonly idempotent: boolean
  /** True: `undo` takes nothing of it back, so its answers have no number. */
  readonly isLasting?: boolean
  /** False: nothing of the input is stored, so that a secret may be named to be found. True unless said. */
  readonly keepsInput?: false
  /** Codes of its own refusals; those of every call, and what follows from the rest of the record, go without saying. */
  readonly refuses?: readonly ErrorCode[]
  readonly input: I
  readonly output: O
  /** Input keys the CLI takes without a flag, in order; the last may be a list. */
  readonly positionals?: readonly (keyof z.infer<I> & string)[]
  /** The input key that says how many of a long list come at once; `cursor` of the answer leads to the rest. */
  readonly page?: keyof z.infer<I> & string
  /** For the command line: the positional `text` names a file whose content is meant; the file's name goes to `name` unless given. */
  readonly fromFile?: { readonly text: keyof z.infer<I> & string; readonly name: keyof z.infer<I> & string }
  /**
   * Input keys that are places on this machine; only an owner may pass them. On the CLI a `path` is relative to the
   * working directory, as are `input` and `output`, for which `-` is standard input or output.
   */
  readonly local?: Readonly<Record<string, 'path' | 'input' | 'output'>>
  /** Values of arguments that only an owner may pass, besides those of `local`. `invoke` refuses them, and MCP lists none of them. */
  readonly ownerOnly?: OwnerArguments
  /** Arguments that are fixed for who may only look; `invoke` refuses other values. */
  readonly forReader?: Readonly<Record<string, boolean>>
  readonly run: (engine: Engine, input: z.output<I>, context: CallContext) => Promise<z.output<O>>
  /** Returns the text for a terminal and for an MCP answer: what happened, counts, what was not done, the next step. */
  readonly render: (output: z.output<O>) => string
  /** True if its text is all our own prose, which a surface tells in its own language. */
  readonly isOwnProse?: true
  /** Returns the text of `String(result)` in a program; the summary by default. */
  readonly inShort?: (output: z.output<O>) => string
  /** Arguments that the command line passes when it prints for people, unless they are given. */
  readonly onTerminal?: Readonly<Record<string, boolean>>
  /**
   * A question for an operation that cannot be taken back: without the key the answer only says what would be done, and a
   * terminal asks.
   */
  readonly asks?: {
    readonly key: keyof z.infer<I> & string
    readonly question: (output: z.output<O>) => string
    /** The input that does what the answer said. */
    readonly confirmed: (input: z.output<I>, output: z.output<O>) => z.input<I>
  }
  /** True if programs alone call it: no command and no tool is made of it. */
  readonly isLibraryOnly?: true
  /** `never`: no page of the dashboard calls it. Nor does any call what needs a place on this machine. */
  readonly dashboard?: 'never'
  /** True if an answer is bad news for a script: the command then exits with 1. Absent: no answer is. */
  readonly failed?: (output: z.output<O>) => boolean
}

/** Returns the fields of a record that programs alone call: no command and no tool is made of it, and no guide names it. */
export const forPrograms = (example: string) =>
  ({ guide: { when: '', whenNot: '', next: '', example }, tools: 'all', isLibraryOnly: true }) as const

/** Schemas of answers: each says in one line what happened. */
type Answered = z.ZodType<{ readonly summary: string }>

/** An operation as its file writes it: what renders nothing else renders the summary. */
type Written<
  N extends string,
  I extends z.ZodObject,
  O extends Answered,
  E extends Effect,
  L extends boolean,
> = Omit<Operation<N, I, O>, 'render' | 'effect' | 'isLasting'> & {
  readonly effect: E
  readonly isLasting?: L
} & Partial<Pick<Operation<N, I, O>, 'render'>>

/**
 * The record as given, but it takes no arguments that it does not name, whatever it renders is harmless to whoever draws it (a
 * terminal or a client of MCP), and if it writes, its answers have the number that `undo` takes.
 */
export function defineOperation<
  const N extends string,
  I extends z.ZodObject,
  O extends Answered,
  const E extends Effect,
  const L extends boolean = false,
>({
  render = ({ summary }) => summary,
  ...operation
}: Written<N, I, O, E, L>): Operation<N, I, Numbered<E, L, O>> {
  const defined = {
    ...operation,
    input: operation.input.strict() as unknown as I,
    output: numbered(operation),
    render: (output: z.output<O>) => shown(render(output)),
  }
  // The added field may be left out, which the compiler cannot follow through a shape it does not know.
  return defined as unknown as Operation<N, I, Numbered<E, L, O>>
}

/** An operation that can be narrowed to one scope by its argument `scope`. */
type Scoped<N extends string, S extends z.ZodRawShape, O extends z.ZodType> = Operation<
  N,
  z.ZodObject<z.core.util.Extend<S, { scope: z.ZodOptional<typeof schemas.scope> }>>,
  O
>

/**
 * Gives an operation the argument `scope`: with it the call does what it would do in a memory opened for that scope,
 * and no stage of the flow needs to know.
 */
export function defineScopedOperation<
  const N extends string,
  S extends z.ZodRawShape,
  O extends Answered,
  const E extends Effect,
  const L extends boolean = false,
>(operation: Written<N, z.ZodObject<S>, O, E, L>): Scoped<N, S, Numbered<E, L, O>> {
  const defined = defineOperation(operation)
  const scoped = {
    ...defined,
    input: defined.input.extend({ scope: schemas.scope.optional() }),
    run: (engine: Engine, input: { readonly scope?: string }, context: CallContext) => {
      const { scope: asked, ...rest } = input
      return operation.run(
        asked === undefined ? engine : engine.within(asked),
        rest as z.output<z.ZodObject<S>>,
        context,
      )
    },
  }
  // The input of `run` is that of `input`, which the compiler cannot follow through a shape it does not know.
  return scoped as unknown as Scoped<N, S, Numbered<E, L, O>>
}

/** The only door from any surface into the engine: who calls and what it may do, parse, hold to limits, take out secrets, run, log. */
export async function invoke(
  operation: Operation,
  engine: Engine,
  raw: unknown,
  { actor: _internal, ...asked }: CallContext = {},
): Promise<unknown> {
  const meter = asked.meter ?? new UsageMeter()
  const principal = atMost(callerOf(engine, asked), engine.principal)
  const logged: LoggedTransaction[] = []
  const context: CallContext = { ...asked, meter, principal, logged }
  const started = performance.now()
  const log = (outcome: string, detail: unknown) => {
    const { logger, session } = engine
    if (logger.level === 'off') return
    logger.log({
      level: outcome === 'ok' ? 'info' : 'error',
      operation: operation.name,
      actor: actorOf(engine, context),
      ...(session.current ? { session: session.current.id } : {}),
      milliseconds: performance.now() - started,
      outcome,
      ...(logger.level === 'debug' ? { detail: String(detail) } : {}),
    })
  }
  try {
    if (!mayDo(principal, 'owner')) context.rate?.take(engine.settings.limits)
    checkSize(raw)
    mustBeAllowed(operation, principal)
    const given = { ...parseInput(operation, raw), ...heldFor(operation, principal, raw) }
    refuseCancelled(operation, context)
    mustBeOwners(operation, principal, given)
    const { limits } = engine.settings
    const secrets = operation.effect === 'read' ? 'keep' : engine.settings.memory.secrets
    const { input, redacted } = await guardSecrets(given, operation.keepsInput === false ? 'keep' : secrets)
    const answer = (request?: NotedRequest) => {
      const noted = { ...context, ...defined({ request }) }
      const answered = async (asked: unknown) =>
        tellOf(redacted, operation, await operation.run(inScope(engine, principal), Object(asked), noted))
      const ask = async (asked: unknown) => withNumber(operation, await answered(asked), logged)
      return answerFor(operation, ask, input, { limits, form: context.answer })
    }
    const { once } = context
    const isOnce = once !== undefined && operation.effect !== 'read'
    const output = isOnce
      ? await doneOnce(engine, { operation, principal, once, input }, answer)
      : await answer()
    log('ok', (output as { summary?: unknown }).summary)
    return output
  } catch (error) {
    log(ElfmemError.is(error) ? error.code : 'UNEXPECTED', error instanceof Error ? error.message : error)
    throw error
  } finally {
    engine.unbilled.add(meter.unwritten)
  }
}

/** The caller with no more than somebody else has through whom it calls. */
function atMost(caller: Principal, through: Principal): Principal {
  const scope = caller.scope ?? through.scope
  return {
    actor: caller.actor,
    capability: mayDo(caller, through.capability) ? through.capability : caller.capability,
    ...(scope === undefined ? {} : { scope }),
  }
}

/** True if nothing in the input of a call is refused for itself. */
export function isTaken(operation: Operation, raw: unknown): boolean {
  try {
    checkSize(raw)
    parseInput(operation, raw)
    return true
  } catch (error) {
    if (ElfmemError.is(error)) return false
    throw error
  }
}

/** The engine a caller may use: that of its scope, if it has one. */
function inScope(engine: Engine, { scope }: Principal): Engine {
  return scope === undefined ? engine : engine.within(scope)
}

function refuseCancelled({ name }: Operation, { signal }: CallContext): void {
  if (signal?.aborted)
    throw new ElfmemError('CANCELLED', `${name} was cancelled before it began.`, {
      recovery: 'Call it again; nothing was changed.',
    })
}

/** The answer, as long as the surface it goes to takes it. */
export async function answerFor(
  operation: Operation,
  ask: (input: unknown) => Promise<unknown>,
  input: object,
  { limits, form }: { readonly limits: Settings['limits']; readonly form: AnswerForm | undefined },
): Promise<unknown> {
  if (form === undefined) return ask(input)
  const { answerWithinLimit } = await import('./fit-answer.ts')
  const { fieldsOf } = form
  const asking = {
    operation,
    ask: ask as (input: unknown) => Promise<Answer>,
    fieldsOf,
    limit: limits.answerTokens,
  }
  const { output, leftOut } = await answerWithinLimit(asking, input)
  form.leftOut(leftOut)
  return output
}

/** Adds the removed secrets to the summary, and to `redacted` if the answer's schema has that field. */
function tellOf(redacted: readonly RedactedSecrets[], { output }: Operation, answer: unknown): unknown {
  if (redacted.length === 0) return answer
  const { summary, ...rest } = answer as { readonly summary?: string }
  // A dream's own `redacted` is about what models were shown.
  const hasField = output instanceof z.ZodObject && 'redacted' in output.shape && !('redacted' in rest)
  return {
    ...rest,
    ...(hasField ? { redacted } : {}),
    summary: sentences(summary ?? '', redactedSentence(redacted)),
  }
}

/** Effect of an operation on the memory; each surface derives its own hints from it. */
export type Effect = 'read' | 'write' | 'destroy'

const operationId = z
  .int()
  .optional()
  .describe('Pass it to undo() to take back all of this; absent if nothing was changed that it takes back')

/** The parts of a record that say whether its answers have the number that `undo` takes. */
interface WithEffect {
  readonly name: string
  readonly effect: Effect
  readonly isLasting?: boolean
  readonly output: z.ZodType
}

/** The schema of answers of an operation: what writes, and is not lasting, has the number that takes it back. */
export type Numbered<E extends Effect, L, O extends z.ZodType> = E extends 'read'
  ? O
  : L extends true
    ? O
    : O extends z.ZodObject<infer S>
      ? z.ZodObject<z.core.util.Extend<S, { operationId: typeof operationId }>>
      : O

function isNumbered({ effect, isLasting }: WithEffect): boolean {
  return effect !== 'read' && isLasting !== true
}

/** The schema of the answers of an operation, with the number where they have one; one that says more of it keeps its own. */
function numbered(operation: WithEffect): z.ZodType {
  const { output } = operation
  return isNumbered(operation) && output instanceof z.ZodObject
    ? z.object({ ...output.shape, operationId: output.shape.operationId ?? operationId })
    : output
}

/** The answer with the number by which `undo` takes back what the call logged. */
function withNumber(operation: WithEffect, answer: unknown, logged: readonly LoggedTransaction[]): unknown {
  const number = isNumbered(operation) ? numberFor(loggedName(operation.name), logged) : undefined
  if (number === undefined) return answer
  const { summary, ...rest } = answer as { readonly summary: string }
  return { operationId: number, ...rest, summary }
}

/**
 * The number that `undo` takes: of the newest entry under the operation's own name, alone or of many, which stands for its
 * run; else that of the newest transaction. Undefined if nothing was changed that can be taken back.
 */
function numberFor(operation: string, logged: readonly LoggedTransaction[]): number | undefined {
  const runs = new Set(logged.flatMap(({ kept, run }) => (kept === undefined ? [] : [run])))
  const undoable = logged.filter(
    ({ kept, run }) => kept !== undefined || (run !== undefined && runs.has(run)),
  )
  const own = undoable.flatMap(({ entries }) =>
    entries.filter((entry) => entry.operation === operation || entry.operation === `${operation}_many`),
  )
  const last = undoable.at(-1)
  return own.at(-1)?.id ?? last?.entries.at(-1)?.id ?? last?.kept
}
