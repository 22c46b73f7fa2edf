import { isDeepStrictEqual } from 'node:util'
import type { SettingsInput } from '../../src/engine/settings.ts'
import type { Edge } from '../../src/graph/edge.ts'
import type { EdgeWithDecay } from '../../src/store/graph.ts'
import type { Act } from './acts.ts'
import { activeIds, edgesByKey, keyOf, keyOfEdge, livingIds, type Picture } from './picture.ts'
import type { DisplacedEdge, Report } from './report.ts'

/** What a memory looked like before and after an act, and what the act said about it. */
export interface Step {
  readonly act: Act
  readonly settings: SettingsInput
  readonly before: Picture
  readonly after: Picture
  readonly report: Report
}

/** The differences a step made, by pair. */
export interface Change extends Step {
  readonly edgesBefore: ReadonlyMap<string, Edge>
  readonly edgesAfter: ReadonlyMap<string, Edge>
  /** There before, not after. */
  readonly vanished: readonly Edge[]
  /** There after, not before. */
  readonly made: readonly Edge[]
  /** There before and after, but not alike. */
  readonly altered: readonly { readonly was: Edge; readonly is: Edge }[]
  /** Altered, and not the same edge: the old one went, another came. */
  readonly remade: readonly Edge[]
  /** Pairs reported to have given way. */
  readonly displaced: ReadonlySet<string>
  /** Pairs an agent spoke about in this act and changed. */
  readonly claimed: ReadonlySet<string>
  /** Blocks that lived before and do not now. */
  readonly archived: ReadonlySet<string>
  /** Blocks that became active. */
  readonly activated: ReadonlySet<string>
  /** Whether a curation took place. */
  readonly curated: boolean
}

export function keyOfDisplaced({ fromId, toId }: DisplacedEdge): string {
  return keyOf(fromId, toId)
}

/** Compares two pictures, edge by edge. */
export function changeOf(step: Step): Change {
  const { before, after, report } = step
  const [edgesBefore, edgesAfter] = [edgesByKey(before), edgesByKey(after)]
  const [activeBefore, activeAfter] = [activeIds(before), activeIds(after)]
  const altered = [...edgesBefore].flatMap(([key, was]) => {
    const is = edgesAfter.get(key)
    return is === undefined || isDeepStrictEqual(was, is) ? [] : [{ was, is }]
  })
  return {
    ...step,
    edgesBefore,
    edgesAfter,
    vanished: [...edgesBefore].filter(([key]) => !edgesAfter.has(key)).map(([, edge]) => edge),
    made: [...edgesAfter].filter(([key]) => !edgesBefore.has(key)).map(([, edge]) => edge),
    altered,
    // Time passes between acts, so that another edge of the same pair has another birthday.
    remade: altered.filter(({ was, is }) => was.createdAt !== is.createdAt).map(({ is }) => is),
    displaced: new Set(report.displaced.map(keyOfDisplaced)),
    claimed: new Set(
      report.claims
        .filter(({ action }) => action !== 'skipped')
        .map(({ sourceId, targetId }) => keyOf(sourceId, targetId)),
    ),
    archived: new Set([...livingIds(before)].filter((id) => !livingIds(after).has(id))),
    activated: new Set([...activeAfter].filter((id) => !activeBefore.has(id))),
    curated: before.curatedAt !== after.curatedAt,
  }
}

/** Whether an end of the edge is among the blocks. */
export function touches(ids: ReadonlySet<string>, { from, to }: Pick<Edge, 'from' | 'to'>): boolean {
  return ids.has(from) || ids.has(to)
}

/** Edges that are there because of this act. */
export function bornIn({ made, remade }: Change): readonly Edge[] {
  return [...made, ...remade]
}

const PRUNED_BELOW = 0.1
const ESTABLISHED_AT = 10

/** Whether a curation drops the edge: it is an automatic one and says nothing any more. */
function isSpent(
  { edge, fromLambda, toLambda }: EdgeWithDecay,
  hours: number,
  { graph }: SettingsInput,
): boolean {
  if (edge.origin === 'agent') return false
  if (edge.reinforcementCount === 0 && edge.weight < PRUNED_BELOW) return true
  const rate = Math.min(fromLambda, toLambda) / (edge.reinforcementCount < ESTABLISHED_AT ? 2 : 4)
  const age = hours - (edge.lastActiveAt ?? hours)
  return graph?.edgeDecay !== false && edge.weight * Math.exp(-rate * age) < PRUNED_BELOW
}

/** Pairs whose edges a curation in this step may have dropped for want of use. */
export function spentIn({ before, after, settings, curated }: Step & Pick<Change, 'curated'>): Set<string> {
  const spent = curated ? before.edges.filter((entry) => isSpent(entry, after.hours, settings)) : []
  return new Set(spent.map(({ edge }) => keyOfEdge(edge)))
}
