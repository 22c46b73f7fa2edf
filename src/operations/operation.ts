import type * as z from 'zod'
import { shown } from '../domain/safety/visible.ts'
import type { CallContext, Engine } from '../flow/engine/engine.ts'
import * as schemas from './schemas.ts'

/** What an operation does to the memory; each surface derives its own hints from it. */
export type Effect = 'read' | 'write' | 'destroy'

/** What a call costs: one short transaction; at most a few embeddings; as many as there is to embed. */
export type Cost = 'instant' | 'embedding' | 'batch'

/** The first four sentences of the guide; the rest of it is derived. */
export interface Guide {
  readonly when: string
  readonly whenNot: string
  /** What to call afterwards, and with what. */
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
  readonly effect: Effect
  readonly cost: Cost
  /** Calling it twice with the same input changes nothing more. */
  readonly idempotent: boolean
  readonly input: I
  readonly output: O
  /** Input keys the CLI takes without a flag, in order; the last may be a list. */
  readonly positionals?: readonly (keyof z.infer<I> & string)[]
  /** The input key that says how many of a long list come at once; `cursor` of the answer leads to the rest. */
  readonly page?: keyof z.infer<I> & string
  /** On the CLI the positional `text` names a file whose content is meant; the file's name goes to `name` unless given. */
  readonly fromFile?: { readonly text: keyof z.infer<I> & string; readonly name: keyof z.infer<I> & string }
  /**
   * Input keys for whoever sits at this machine: MCP neither lists nor takes them. On the CLI a `path` is relative to the
   * working directory, as are `input` and `output`, for which `-` is standard input or output.
   */
  readonly local?: Readonly<Record<string, 'path' | 'input' | 'output' | 'flag'>>
  readonly run: (engine: Engine, input: z.output<I>, context: CallContext) => Promise<z.output<O>>
  /** For a terminal, and the text of an MCP answer: what happened, counts, what was not done, the next step. */
  readonly render: (output: z.output<O>) => string
  /** Whether an answer is bad news for a script: the command then exits with 1. Absent: no answer is. */
  readonly failed?: (output: z.output<O>) => boolean
}

/** The record as given, but whatever it renders is harmless to whoever draws it: a terminal or a client of MCP. */
export function defineOperation<const N extends string, I extends z.ZodObject, O extends z.ZodType>(
  operation: Operation<N, I, O>,
): Operation<N, I, O> {
  return { ...operation, render: (output) => shown(operation.render(output)) }
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
export function defineScopedOperation<const N extends string, S extends z.ZodRawShape, O extends z.ZodType>(
  operation: Operation<N, z.ZodObject<S>, O>,
): Scoped<N, S, O> {
  const scoped = {
    ...defineOperation(operation),
    input: operation.input.extend({ scope: schemas.scope.optional() }),
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
  return scoped as unknown as Scoped<N, S, O>
}
