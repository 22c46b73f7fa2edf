import type { SourceClass } from '../../domain/block/source-class.ts'
import {
  type BlockPair,
  CONTRADICTS,
  contradictionOf,
  deferred,
  type Edge,
  type Ends,
  normaliseRelation,
  type PendingConnection,
  relationDefaultWeight,
} from '../../domain/graph/edge.ts'
import {
  assertedEdge,
  type Claim,
  type ClaimContext,
  NOTE_LENGTH_MAX,
  reinforcedEdge,
  updatedEdge,
} from '../../domain/graph/rules.ts'
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
  /** The last word on each pair: a contradiction that `resolve` is to settle, or that nothing is open any more. */
  readonly pairs: Map<string, { readonly ends: Ends; readonly pair?: BlockPair }>
  readonly before: Edge[]
}

interface Claiming {
  readonly spec: ConnectSpec
  readonly ends: readonly [string, string]
  readonly context: ClaimContext
  /** The most trusted class that the caller may claim. */
  readonly by: SourceClass
  /** True if the caller may settle what is open between the two. */
  readonly maySettle: boolean
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
      if (before.origin !== 'agent' && (said.relation ?? said.weight) !== undefined) {
        const after = updatedEdge(before, inFull(before, said), claiming.context)
        return change(engine, linker, { before, after, action: 'updated' }, claiming)
      }
      if (said.relation !== undefined && said.relation !== before.relation)
        throw relationConflict(before, said.relation)
      const step = engine.settings.memory.edgeReinforceDelta
      const { hours } = claiming.context
      const after = reinforcedEdge(before, said, { hours, step })
      return change(engine, linker, { before, after, action: 'reinforced' }, claiming)
    }
  }
}

/** Returns a claim with the weight that an edge of its own would have: what use or a rule made gives way to what an agent says. */
function inFull(before: Edge, said: Claim): Claim {
  return { ...said, weight: said.weight ?? relationDefaultWeight(said.relation ?? before.relation) }
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

function create(engine: Engine, linker: Linker, said: Claim, claiming: Claiming): ConnectResult {
  const { ends, context, aside } = claiming
  const edge = assertedEdge(ends, said, context)
  const admission = linker.add(edge)
  const warning = warningOf(edge, said)
  if (admission.admitted) {
    notePair(claiming, undefined, edge)
    return resultOf(ends, edge, 'created', { displaced: admission.displaced, warning })
  }
  aside.pending.push(deferred(edge, context.hours))
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
  claiming: Claiming,
): ConnectResult {
  const { spec, ends, aside } = claiming
  linker.replace(mustBeInOrder(after))
  aside.before.push(before)
  notePair(claiming, before, after)
  const lower = action === 'reinforced' && spec.weight !== undefined && spec.weight < after.weight
  const warning = lower
    ? `Reinforcing does not lower a weight: it is ${after.weight.toFixed(2)} now. ifExists: 'update' sets it.`
    : warningOf(after, claimOf(spec))
  return resultOf(ends, after, action, { warning })
}

/**
 * Notes what a claim does to the open pair of two blocks: a contradiction is open until `resolve` settles it or the edge says
 * something else; any other relation settles what rules found between them.
 */
function notePair({ aside, by, maySettle }: Claiming, before: Edge | undefined, after: Edge): void {
  const was = before?.relation === CONTRADICTS
  const is = after.relation === CONTRADICTS
  if (is ? was : !was && !maySettle) return
  const ends: Ends = [after.from, after.to]
  aside.pairs.set(ends.join(' '), {
    ends,
    ...(is ? { pair: contradictionOf(after, by === 'user' ? 'owner' : 'agent') } : {}),
  })
}

/** A weight that lies further from what its relation usually has is taken, with a warning. */
const USUAL_DISTANCE = 0.3

function warningOf({ relation, weight }: Edge, said: Claim): string | undefined {
  const usual = relationDefaultWeight(relation)
  if (said.weight === undefined || Math.abs(weight - usual) <= USUAL_DISTANCE) return undefined
  return `${weight.toFixed(2)} is unusual for "${relation}", which weighs ${usual.toFixed(2)} as a rule.`
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
