import { ElfmemError, factOf } from '../errors.ts'

/** Returns what knows errors of one sort: by `is`, also those of another copy of the package, and by `instanceof`. */
function guardOf<E extends ElfmemError>(isOne: (error: ElfmemError) => boolean) {
  const is = (value: unknown): value is E => ElfmemError.is(value) && isOne(value)
  return { is, [Symbol.hasInstance]: is }
}

/** `connect` was given one block twice. */
export type SelfLoopError = ElfmemError<'SELF_LOOP'>
/** Knows a `SelfLoopError`: by `is`, and by `instanceof`. */
export const SelfLoopError = guardOf<SelfLoopError>(({ code }) => code === 'SELF_LOOP')

/** An end of a connection is no block, or is archived: `details.status` says which. */
export type BlockNotActiveError = ElfmemError<'NOT_FOUND' | 'WRONG_STATUS'>
/** Knows a `BlockNotActiveError`: by `is`, and by `instanceof`. */
export const BlockNotActiveError = guardOf<BlockNotActiveError>((error) =>
  ['block_not_found', 'block_not_active'].includes(String(factOf(error, 'status'))),
)

/** A block is full and as many connections wait for room as may; `details.pendingConnections` says how many. */
export type DegreeLimitError = ElfmemError<'INVALID_INPUT'> & {
  readonly details: { readonly pendingConnections: number }
}
/** Knows a `DegreeLimitError`: by `is`, and by `instanceof`. */
export const DegreeLimitError = guardOf<DegreeLimitError>(
  (error) => typeof factOf(error, 'pendingConnections') === 'number',
)

/** Any reason why two blocks cannot be joined as `connect` was asked to. */
export type ConnectError =
  | SelfLoopError
  | BlockNotActiveError
  | DegreeLimitError
  | ElfmemError<'EDGE_EXISTS' | 'RELATION_CONFLICT'>
/** Knows a `ConnectError`: by `is`, and by `instanceof`. */
export const ConnectError = guardOf<ConnectError>(
  (error) =>
    ['EDGE_EXISTS', 'RELATION_CONFLICT'].includes(error.code) ||
    [SelfLoopError, BlockNotActiveError, DegreeLimitError].some((guard) => guard.is(error)),
)
