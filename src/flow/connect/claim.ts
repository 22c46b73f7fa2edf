import type { SourceClass } from '../../domain/block/source-class.ts'
import {
  assertedEdge,
  type Claim,
  type ClaimContext,
  NOTE_LENGTH_MAX,
  reinforcedEdge,
  updatedEdge,
  weightDistance,
} from '../../domain/graph/connection.ts'
import {
  type BlockPair,
  contradictionOf,
  type Edge,
  type Ends,
  type PendingConnection,
} from '../../domain/graph/edge.ts'
import { CONTRADICTS } from '../../domain/graph/expansion.ts'
import { normaliseRelation, relationDefaultWeight, relationMeant } from '../../domain/graph/relation.ts'
import { codePointLength, defined } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'
import type { Linker } from '../graph/linker.ts'
import { checkText, mustBeInOrder, validityGiven } from '../guard/check-input.ts'
import { edgeExists, relationConflict } from './connect-errors.ts'

/** The action for a pair that is joined already. */
type IfExists = 'reinforce' | 'update' | 'skip' | 'error'

/** Two blocks and what an agent says about them. */
export interface ConnectSpec {
  readonly source: string
  readonly target: string
  readonly relation?: string | undefined
  readonly weight?: number | undefined
  readonly note?: string | undefined
  readonly validFrom?: string | undefined
  readonly validUntil?: string | undefined
  readonly ifExists: IfExists
}

/** The outcome of one claim; `deferred` means that it waits until a full block has room. */
export interface ConnectResult {
  readonly sourceId: string
  readonly targetId: string
  /** As stored now; of a skipped one as it was. */
  readonly relation: string
  readonly weight: number
  readonly note?: string
  readonly validFrom?: string
  readonly validUntil?: string
  readonly action: 'created' | 'reinforced' | 'updated' | 'skipped' | 'deferred'
  /** Edges evicted by the degree cap. */
  readonly displaced: readonly Edge[]
  readonly warning?: string
}

/** Collected while claims are decided and written at the end besides edges; `before` is for the log. */
export interface Aside {
  readonly pending: PendingConnection[]
  /** The last word on each pair: a contradiction to settle, or none any more. */
  readonly contradictions: Map<string, { readonly ends: Ends; readonly pair?: BlockPair }>
  readonly before: Edge[]
}

interface Claiming {
  readonly spec: ConnectSpec
  readonly ends: readonly [string, string]
  readonly context: ClaimContext
  /** The most trusted class that the caller may claim. */
  readonly by: SourceClass
  readonly aside: Aside
}

/** Decides what an agent's claim does to the edge between two blocks; nothing is written yet. */
export function claim(engine: Engine, linker: Linker, claiming: Claiming): ConnectResult {
  const { spec, ends } = claiming
  const said = claimOf(spec)
  const before = linker.between(...ends)
  if (before === undefined) return create(engine, linker, said, claiming)
  switch (spec.ifExists) {
    case 'error':
      throw edgeExists(before)
    case 'skip':
      return resultOf(ends, before, 'skipped', {})
    case 'update': {
      const after = updatedEdge(before, said, claiming.context)
      return change(engine, linker, { before, after, action: 'updated' }, claiming)
    }
    case 'reinforce': {
      if (said.relation !== undefined && said.relation !== before.relation) {
        if (before.origin !== 'similarity') throw relationConflict(before, said.relation)
        const after = updatedEdge(before, named(before, said.relation, said), claiming.context)
        return change(engine, linker, { before, after, action: 'updated' }, claiming)
      }
      const { memory, graph } = engine.settings
      const step = memory.edgeReinforceDelta
      const { hours } = claiming.context
      const after = reinforcedEdge(before, said, { hours, step, rule: graph.reinforceRule })
      return change(engine, linker, { before, after, action: 'reinforced' }, claiming)
    }
  }
}

/** Similarity said nothing of how two blocks relate: whoever names it contradicts nobody, and the edge weighs no less for it. */
function named({ weight }: Edge, relation: string, said: Claim): Claim {
  return { ...said, weight: said.weight ?? Math.max(weight, relationDefaultWeight(relation)) }
}

function claimOf({ relation, weight, note, ...given }: ConnectSpec): Claim {
  const text = note?.trim()
  if (text !== undefined) checkText('note', text)
  if (relation !== undefined) checkText('relation', relation)
  if (text !== undefined && codePointLength(text) > NOTE_LENGTH_MAX)
    throw new ElfmemError('INVALID_INPUT', `A note has at most ${NOTE_LENGTH_MAX} characters.`, {
      recovery: 'Shorten the note, or remember the explanation as a block of its own and connect that.',
    })
  return {
    ...(relation === undefined ? {} : { relation: normaliseRelation(relation) }),
    ...(weight === undefined ? {} : { weight }),
    ...(text ? { note: text } : {}),
    ...validityGiven(given),
  }
}

function create(
  engine: Engine,
  linker: Linker,
  said: Claim,
  { ends, context, by, aside }: Claiming,
): ConnectResult {
  const edge = assertedEdge(ends, said, context)
  const admission = linker.add(edge)
  const warning = warningOf(engine, edge, said)
  if (admission.admitted) {
    noteContradiction({ aside, by }, undefined, edge)
    return resultOf(ends, edge, 'created', { displaced: admission.displaced, warning })
  }
  const { relation, weight, note, validFrom, validUntil } = edge
  aside.pending.push({
    source: ends[0],
    target: ends[1],
    relation,
    weight,
    ...(note === undefined ? {} : { note }),
    ...defined({ validFrom, validUntil }),
    requestedAt: context.hours,
    attempts: 0,
  })
  return resultOf(ends, edge, 'deferred', { warning })
}

interface Change {
  readonly before: Edge
  readonly after: Edge
  readonly action: 'reinforced' | 'updated'
}

function change(
  engine: Engine,
  linker: Linker,
  { before, after, action }: Change,
  { spec, ends, by, aside }: Claiming,
): ConnectResult {
  linker.replace(mustBeInOrder(after))
  aside.before.push(before)
  noteContradiction({ aside, by }, before, after)
  const lower = action === 'reinforced' && spec.weight !== undefined && spec.weight < after.weight
  const warning = lower
    ? `Reinforcing does not lower a weight: it is ${after.weight.toFixed(2)} now. ifExists: 'update' sets it.`
    : warningOf(engine, after, claimOf(spec))
  return resultOf(ends, after, action, { warning })
}

/** A contradiction is a pair to be settled by `resolve` as long as the edge says so. */
function noteContradiction(
  { aside, by }: Pick<Claiming, 'aside' | 'by'>,
  before: Edge | undefined,
  after: Edge,
): void {
  const was = before?.relation === CONTRADICTS
  const is = after.relation === CONTRADICTS
  if (is === was) return
  const ends: Ends = [after.from, after.to]
  aside.contradictions.set(ends.join(' '), {
    ends,
    ...(is ? { pair: contradictionOf(after, by === 'user' ? 'owner' : 'agent') } : {}),
  })
}

function warningOf({ settings }: Engine, edge: Edge, said: Claim): string | undefined {
  const meant = said.relation === undefined ? undefined : relationMeant(said.relation)
  const slip = meant && `"${edge.relation}" is no known relation; did you mean "${meant}"?`
  if (said.weight === undefined || weightDistance(edge) <= settings.graph.weightWarnDistance) return slip
  const usual = relationDefaultWeight(edge.relation).toFixed(2)
  const unusual = `${edge.weight.toFixed(2)} is unusual for "${edge.relation}", which weighs ${usual} as a rule.`
  return slip ? `${slip} ${unusual}` : unusual
}

function resultOf(
  [sourceId, targetId]: readonly [string, string],
  { relation, weight, note, validFrom, validUntil }: Edge,
  action: ConnectResult['action'],
  {
    displaced = [],
    warning,
  }: { readonly displaced?: readonly Edge[]; readonly warning?: string | undefined },
): ConnectResult {
  return {
    sourceId,
    targetId,
    relation,
    weight,
    action,
    displaced,
    ...defined({ note, validFrom, validUntil }),
    ...(warning === undefined ? {} : { warning }),
  }
}
