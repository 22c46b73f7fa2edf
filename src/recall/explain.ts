import type { Block } from '../block/block.ts'
import type { Engine } from '../engine/engine.ts'
import { type Filter, passesFilter } from '../index/blocks.ts'
import { blocksById } from '../store/blocks.ts'
import type { Candidate, Dropped, Entry, Version } from './match.ts'
import type { Rendered } from './render.ts'

/** A candidate and its place in the order of the answer. */
interface Place {
  readonly candidate: Candidate
  /** The part of the text that shows the candidate: an entry, a line under one, or an objection to one. Absent if the text lacks it. */
  readonly shown?: 'entry' | 'version' | 'counterpoint'
  /** The reason why the candidate is no entry; absent for an entry. */
  readonly reason?: Exclude<Dropped['reason'], 'versions'> | 'version'
  /** The block that the candidate stands under or objects to, and the reason. */
  readonly under?: { readonly id: string; readonly why: Version['why'] | 'objects' }
  /** The least `limit` that has a place for the candidate, if it is beyond the limit. */
  readonly limit?: number
}

/** An explained candidate has its place and its block. */
export type ExplainedCandidate = Place & { readonly block: Block }

/** The reason why a block is no candidate of a recall; `pool`: its match is weaker than all that were weighed. */
interface Absence {
  readonly reason: 'archived' | 'filtered' | 'pool' | 'no_vector'
  /** The conditions of the frame and of the call that the block does not meet: `tags atlas or mars`. */
  readonly filters?: readonly string[]
}

/**
 * Explains every candidate of a recall in the order of its answer, or all matches of a question on which nothing bears. Runs one statement.
 */
export async function explain(engine: Engine, all: Rendered): Promise<ExplainedCandidate[]> {
  const against = new Map(all.counterpoints.map(({ block, to }) => [block.id, to.id]))
  const refused = all.refused.map((candidate): Place => ({ candidate, reason: 'nothing' }))
  // If a block has two places, the first counts.
  const places = new Map<string, Place>()
  for (const place of [...placesOf(all), ...refused]) {
    const { id } = place.candidate.facts
    if (!places.has(id)) places.set(id, place)
  }
  const blocks = await engine.store.read((tx) => blocksById(tx, [...places.keys()]))
  return [...places].flatMap(([id, place]) => {
    const block = blocks.get(id)
    const to = place.shown === undefined ? against.get(id) : undefined
    const objects =
      to !== undefined && ({ shown: 'counterpoint', under: { id: to, why: 'objects' } } as const)
    return block ? [{ ...place, ...objects, block }] : []
  })
}

/** Returns the places of all candidates in the order of the answer: an entry, the versions under it, the next entry. */
function placesOf(all: Rendered): Place[] {
  const known = new Map([...all.candidates, ...all.guaranteed].map((each) => [each.facts.id, each]))
  const shown = new Map(all.shown.map((each) => [each.block.id, each]))
  const reasons = new Map(all.dropped.map(({ id, reason }) => [id, reason]))
  let number = 0
  return [...all.entries, ...all.beyond].flatMap((entry: Entry | Candidate): Place[] => {
    const { id } = entry.facts
    const drawn = shown.get(id)
    const reason = (reasons.get(id) ?? (entry.block ? 'token_budget' : 'top_k')) as NonNullable<
      Place['reason']
    >
    if (!entry.guaranteed) number++
    const limit = reason === 'top_k' && !entry.guaranteed ? { limit: number } : {}
    const left = drawn === undefined ? { reason, ...limit } : {}
    const beneath = entry.versions.flatMap((version): Place[] => {
      const candidate = known.get(version.id)
      const under = { id, why: version.why }
      return candidate ? [{ ...left, candidate, under, ...(drawn && underShown(version, drawn)) }] : []
    })
    if (entry.isUnfound && drawn === undefined) return beneath
    return [{ ...left, candidate: drawn ?? entry, ...(drawn && { shown: 'entry' }) }, ...beneath]
  })
}

/** Returns the place of a version under an entry that is shown. */
function underShown({ id }: Version, shown: Entry): Pick<Place, 'shown' | 'reason'> {
  if (!shown.versions.some((each) => each.id === id)) return { reason: 'class' }
  return { ...(shown.tellsVersions && { shown: 'version' }), reason: 'version' }
}

/** Returns the reason why a block is no candidate of a recall. */
export function absenceOf({ index }: Engine, block: Block, { asked, filter }: Rendered): Absence {
  if (block.status === 'archived') return { reason: 'archived' }
  const filters = unmet(block, filter)
  if (filters.length > 0) return { reason: 'filtered', filters }
  const lacksVector = asked?.vector !== undefined && index.similarity(block.id, block.id) === undefined
  return { reason: lacksVector ? 'no_vector' : 'pool' }
}

/** Returns in words the conditions of a filter that a block does not meet when each is tested alone. */
function unmet(block: Block, { include, exclude, classes, ids, tags, category, session }: Filter): string[] {
  const conditions: readonly (readonly [string, readonly string[] | undefined, Filter])[] = [
    ['a tag of the frame,', include, { include }],
    ['the frame leaves out', exclude, { exclude }],
    ['said by', classes, { classes }],
    ['of this session', undefined, { ids }],
    ['tags', tags, { tags }],
    ['category', category === undefined ? undefined : [category], { category }],
    ['session', session === undefined ? undefined : [session], { session }],
  ]
  return conditions.flatMap(([words, values = [], only]) =>
    passesFilter(block, only) ? [] : [`${words} ${values.join(' or ')}`.trim()],
  )
}
