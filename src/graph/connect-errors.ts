import { ElfmemError } from '../errors.ts'

/** Returns a guard for errors of one sort; `is` and `instanceof` also know errors of another copy of the package. */
function guardOf<E extends ElfmemError>(isOne: (error: ElfmemError) => boolean) {
  const is = (value: unknown): value is E => ElfmemError.is(value) && isOne(value)
  return { is, [Symbol.hasInstance]: is }
}

/** This guard knows the refusal to join a block to itself. */
export const SelfLoopError = guardOf<ElfmemError<'SELF_LOOP'>>(({ code }) => code === 'SELF_LOOP')

/** This guard knows that an end of a connection is no block, or is archived: `details.status` says which. */
export const BlockNotActiveError = guardOf<ElfmemError<'NOT_FOUND' | 'WRONG_STATUS'>>((error) =>
  ['block_not_found', 'block_not_active'].includes(String(error.details.status)),
)

/** This guard knows that `details.pendingConnections` wait for room already, and no more may. */
export const DegreeLimitError = guardOf<ElfmemError<'INVALID_INPUT'>>(
  (error) => typeof error.details.pendingConnections === 'number',
)

/** This guard knows any reason why `connect` cannot join two blocks. */
export const ConnectError = guardOf<ElfmemError>(
  (error) =>
    ['EDGE_EXISTS', 'RELATION_CONFLICT'].includes(error.code) ||
    [SelfLoopError, BlockNotActiveError, DegreeLimitError].some((guard) => guard.is(error)),
)
