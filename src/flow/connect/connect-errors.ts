import type { Edge } from '../../domain/graph/edge.ts'
import { ElfmemError, factOf } from '../../errors.ts'

/** Why a block cannot be an end of an edge. */
type Unconnectable = 'block_not_found' | 'block_not_active'

const REASONS: Readonly<
  Record<
    Unconnectable,
    { readonly code: 'NOT_FOUND' | 'WRONG_STATUS'; readonly message: string; readonly recovery: string }
  >
> = {
  block_not_found: {
    code: 'NOT_FOUND',
    message: 'is no block',
    recovery: 'Take ids from recall() or ls(), or describe both blocks to connectByQuery.',
  },
  block_not_active: {
    code: 'WRONG_STATUS',
    message: 'is archived',
    recovery: 'restore() it first, or connect() the block that took its place.',
  },
}

/** The error for an end that is no living block: `NOT_FOUND` for an unknown id, `WRONG_STATUS` for an archived one. */
export function notConnectable(id: string, status: Unconnectable): ElfmemError {
  const { code, message, recovery } = REASONS[status]
  return new ElfmemError(code, `"${id}" ${message}.`, { recovery, details: { status, blockId: id } })
}

/** The error `SELF_LOOP` for a block that is to be connected to itself. */
export function selfLoop(id: string): ElfmemError {
  return new ElfmemError('SELF_LOOP', `Both ends are the block ${id}.`, {
    recovery: 'Name two different blocks; recall() also finds the one that was just remembered.',
    details: { blockId: id },
  })
}

/** The error `EDGE_EXISTS` for a pair that is joined already, with the relation and weight it has. */
export function edgeExists({ from, to, relation, weight }: Edge): ElfmemError {
  return new ElfmemError('EDGE_EXISTS', `${from} and ${to} are joined already ("${relation}").`, {
    recovery: WAYS,
    details: { fromId: from, toId: to, relation, weight },
  })
}

/** The error `RELATION_CONFLICT` for a pair that is to be reinforced by another relation than an agent gave it. */
export function relationConflict({ from, to, relation, origin }: Edge, claimed: string): ElfmemError {
  return new ElfmemError(
    'RELATION_CONFLICT',
    `${from} and ${to} are joined by "${relation}", as an agent said; reinforcing does not make it "${claimed}".`,
    { recovery: WAYS, details: { fromId: from, toId: to, relation, origin, claimed } },
  )
}

const WAYS =
  "ifExists: 'update' changes the relation, ifExists: 'skip' leaves the edge as it is, and ifExists: 'reinforce' without a relation strengthens it."

/** The refusal of one more connection that waits for room. */
export function tooManyWait(most: number, waiting: number): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `${most} connections wait for room already.`, {
    recovery:
      'curate() admits what has room; disconnect() edges of the full blocks, or raise memory.edge_degree_cap.',
    details: { pendingConnections: waiting },
  })
}

/** Knows errors of one sort: by `is`, and by `instanceof`, too. */
interface ErrorGuard<E extends ElfmemError> {
  /** True for such an error, also one of another copy of the package. */
  is(value: unknown): value is E
  [Symbol.hasInstance](value: unknown): value is E
}

function guardOf<E extends ElfmemError>(isOne: (error: ElfmemError) => boolean): ErrorGuard<E> {
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
  Object.hasOwn(REASONS, String(factOf(error, 'status'))),
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
