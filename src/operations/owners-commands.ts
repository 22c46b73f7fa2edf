import { mayDo, type Principal } from '../flow/engine/engine.ts'
import { commandOf } from '../flow/guard/owners-way.ts'
import type { Operation } from './operation.ts'

/**
 * Returns the next step that a guide names, in the names of the library; undefined if it is one for those who write and the
 * caller only looks.
 */
export function nextFor(
  next: string,
  operations: readonly Pick<Operation, 'name' | 'needs'>[],
  caller: Pick<Principal, 'capability'>,
): string | undefined {
  if (mayDo(caller, 'agent')) return next
  const barred = operations.filter(({ needs }) => !mayDo(caller, needs)).map(({ name }) => name)
  const words = next.split(/\W+/)
  return barred.some((name) => words.includes(name)) ? undefined : next
}

/**
 * Returns our own prose for a caller: an operation for the owner alone stands as the command of the owner, since whoever may
 * not call it has no tool of that name. A name of one word stays, which is a verb as well.
 *
 * @param prose in the names of the library
 */
export function withOwnersCommands(
  prose: string,
  operations: readonly Pick<Operation, 'name' | 'needs'>[],
  caller: Pick<Principal, 'capability'>,
): string {
  if (mayDo(caller, 'owner')) return prose
  return operations
    .filter(({ name, needs }) => needs === 'owner' && /[A-Z]/.test(name))
    .reduce((text, { name }) => text.replaceAll(name, `the owner's command ${commandOf(name)}`), prose)
}
