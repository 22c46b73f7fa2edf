import { ElfmemError, factOf } from '../errors.ts'

/** Returns what knows errors of one sort: by `is`, also those of another copy of the package, and by `instanceof`. */
function guardOf<E extends ElfmemError>(isOne: (error: ElfmemError) => boolean) {
  const is = (value: unknown): value is E => ElfmemError.is(value) && isOne(value)
  return { is, [Symbol.hasInstance]: is }
}

/** Knows the refusal to join a block to itself. */
export const SelfLoopError = guardOf<ElfmemError<'SELF_LOOP'>>(({ code }) => code === 'SELF_LOOP')

/** Knows that an end of a connection is no block, or is archived: `details.status` says which. */
export const BlockNotActiveError = guardOf<ElfmemError<'NOT_FOUND' | 'WRONG_STATUS'>>((error) =>
  ['block_not_found', 'block_not_active'].includes(String(factOf(error, 'status'))),
)

/** Knows that a block is full and that `details.pendingConnections` wait for room, as many as may. */
export const DegreeLimitError = guardOf<ElfmemError<'INVALID_INPUT'>>(
  (error) => typeof factOf(error, 'pendingConnections') === 'number',
)

/** Knows any reason why two blocks cannot be joined as `connect` was asked to. */
export const ConnectError = guardOf<ElfmemError>(
  (error) =>
    ['EDGE_EXISTS', 'RELATION_CONFLICT'].includes(error.code) ||
    [SelfLoopError, BlockNotActiveError, DegreeLimitError].some((guard) => guard.is(error)),
)
