import * as z from 'zod'
import type { CallLog } from '../../flow/engine/call-log.ts'
import { loggedName } from '../wording.ts'

/** Effect of an operation on the memory; each surface derives its own hints from it. */
export type Effect = 'read' | 'write' | 'destroy'

const operationId = z
  .int()
  .optional()
  .describe('Pass it to undo() to take back all of this; absent if nothing was changed that it takes back')

/** The parts of a record that say whether its answers have the number that `undo` takes. */
interface Record {
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

function isNumbered({ effect, isLasting }: Record): boolean {
  return effect !== 'read' && isLasting !== true
}

/** The schema of the answers of an operation, with the number where they have one; one that says more of it keeps its own. */
export function numbered(operation: Record): z.ZodType {
  const { output } = operation
  return isNumbered(operation) && output instanceof z.ZodObject
    ? z.object({ ...output.shape, operationId: output.shape.operationId ?? operationId })
    : output
}

/** The answer with the number by which `undo` takes back what the call logged. */
export function withNumber(operation: Record, answer: unknown, logged: CallLog): unknown {
  const number = isNumbered(operation) ? logged.numberFor(loggedName(operation.name)) : undefined
  if (number === undefined) return answer
  const { summary, ...rest } = answer as { readonly summary: string }
  return { operationId: number, ...rest, summary }
}
