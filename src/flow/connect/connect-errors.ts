import type { Edge } from '../../domain/graph/edge.ts'
import { ElfmemError } from '../../errors.ts'

/** Why a block cannot be an end of an edge. */
type Unconnectable = 'block_not_found' | 'block_not_active' | 'block_pending'

const REASONS: Readonly<
  Record<
    Unconnectable,
    { readonly code: 'NOT_FOUND' | 'WRONG_STATUS'; readonly message: string; readonly recovery: string }
  >
> = {
  block_not_found: {
    code: 'NOT_FOUND',
    message: 'is no block',
    recovery: 'Take ids from recall or ls, or describe both blocks to connectByQuery.',
  },
  block_not_active: {
    code: 'WRONG_STATUS',
    message: 'is archived',
    recovery: 'restore it first, or connect the block that took its place.',
  },
  block_pending: {
    code: 'WRONG_STATUS',
    message: 'still waits in the inbox',
    recovery: 'dream first: it makes the block active.',
  },
}

export function notConnectable(id: string, status: Unconnectable): ElfmemError {
  const { code, message, recovery } = REASONS[status]
  return new ElfmemError(code, `"${id}" ${message}.`, { recovery, details: { status, blockId: id } })
}

export function selfLoop(id: string): ElfmemError {
  return new ElfmemError('SELF_LOOP', `Both ends are the block ${id}.`, {
    recovery: 'Name two different blocks.',
    details: { blockId: id },
  })
}

export function edgeExists({ from, to, relation, weight }: Edge): ElfmemError {
  return new ElfmemError('EDGE_EXISTS', `${from} and ${to} are joined already ("${relation}").`, {
    recovery: WAYS,
    details: { fromId: from, toId: to, relation, weight },
  })
}

export function relationConflict({ from, to, relation, origin }: Edge, claimed: string): ElfmemError {
  const who = MAKERS[origin]
  return new ElfmemError(
    'RELATION_CONFLICT',
    `${from} and ${to} are joined by "${relation}"${who}; reinforcing does not make it "${claimed}".`,
    { recovery: WAYS, details: { fromId: from, toId: to, relation, origin, claimed } },
  )
}

/** Who said so; what a rule made is usually meant to be replaced. */
const MAKERS: Readonly<Record<Edge['origin'], string>> = {
  agent: ', as an agent said',
  similarity: ', made by similarity alone',
  co_retrieval: ', made by use alone',
  outcome: ', made by outcomes',
  llm_inferred: ', as a model said',
}

const WAYS =
  "ifExists: 'update' changes the relation, 'skip' leaves the edge as it is, and 'reinforce' without a relation strengthens it."
