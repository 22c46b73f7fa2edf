import type { Block } from '../block/block.ts'
import type { Engine } from '../engine/engine.ts'
import { type Filter, passesFilter } from '../index/blocks.ts'
import { blocksById } from '../store/blocks.ts'
import type { Asked, Candidate, Dropped, Entry, Version } from './match.ts'
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
  /** Number of its entry, from 1, guaranteed entries not counted: the least `limit` that has a place for the candidate. */
  readonly place?: number
}

/** An explained candidate has its place, its block, and the numbers that kept the block from being shown. */
export type ExplainedCandidate = Place & { readonly block: Block; readonly short: Shortfall }

/** Numbers that tell why a block is not shown. */
interface Shortfall {
  /** The least `limit` that has a place for the block. */
  readonly limit?: number
  /** Strength of the best match; `leastStrength` is the least that the caller wants, if nothing is shown. */
  readonly strength?: number
  readonly leastStrength?: number
  /** Rank of the block by its match with all bonuses; `leastRank` is the lowest rank that was weighed, if the pool was full. */
  readonly rank?: number
  readonly leastRank?: number
  /** The block waits for a vector, so that only its words can be found. */
  readonly lacksVector?: true
}

/** An unmet condition is a filter of the frame or of the call that a block does not pass. */
interface Unmet {
  readonly name: 'include' | 'exclude' | 'classes' | 'sessionOnly' | 'tags' | 'category' | 'session'
  readonly values: readonly string[]
}

/** The reason why a block is no candidate of a recall; `pool`: its match is weaker than all that were weighed. */
type Absence =
  | { readonly reason: 'archived' }
  | { readonly reason: 'filtered'; readonly filters: readonly Unmet[] }
  | { readonly reason: 'pool' | 'no_vector'; readonly short: Shortfall }

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
    return block ? [{ ...place, ...objects, block, short: shortfallOf(engine, place, all) }] : []
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
    const left = { ...(drawn === undefined && { reason }), ...(!entry.guaranteed && { place: ++number }) }
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

function shortfallOf(engine: Engine, { candidate, reason, place }: Place, all: Rendered): Shortfall {
  if (reason === 'top_k' && place !== undefined) return { limit: place }
  if (reason !== 'nothing') return {}
  return {
    ...(all.asked && { strength: all.asked.strength }),
    ...(all.minStrength !== undefined && { leastStrength: all.minStrength }),
    ...vectorLack(engine, candidate.facts.id, all.asked),
  }
}

/** Returns `lacksVector` if a block has no vector although the question has one to compare it with. */
function vectorLack({ index }: Engine, id: string, asked: Asked | undefined): Pick<Shortfall, 'lacksVector'> {
  const isCompared = asked?.vector !== undefined
  return isCompared && index.similarity(id, id) === undefined ? { lacksVector: true } : {}
}

/** Returns the reason why a block is no candidate of a recall. Makes at most one pass over the index. */
export function absenceOf(engine: Engine, block: Block, { asked, filter }: Rendered): Absence {
  if (block.status === 'archived') return { reason: 'archived' }
  const filters = unmet(block, filter)
  if (filters.length > 0) return { reason: 'filtered', filters }
  const lack = vectorLack(engine, block.id, asked)
  const reason = lack.lacksVector ? 'no_vector' : 'pool'
  const [match] = asked?.ranked(1, { ...filter, ids: new Set([block.id]) }) ?? []
  if (asked === undefined || match === undefined) return { reason, short: lack }
  const isFull = asked.matches.length >= asked.pool
  const leastRank = Math.min(...asked.matches.map(({ rank }) => rank))
  return { reason, short: { rank: match.rank, ...(isFull && { leastRank }), ...lack } }
}

/** Returns the conditions of a filter that a block does not meet when each is tested alone. */
function unmet(block: Block, filter: Filter): readonly Unmet[] {
  const { include, exclude, classes, ids, tags, category, session } = filter
  const conditions: readonly (Unmet & { readonly only: Filter })[] = [
    { name: 'include', values: include ?? [], only: { include } },
    { name: 'exclude', values: exclude ?? [], only: { exclude } },
    { name: 'classes', values: classes ?? [], only: { classes } },
    { name: 'sessionOnly', values: [], only: { ids } },
    { name: 'tags', values: tags ?? [], only: { tags } },
    { name: 'category', values: category === undefined ? [] : [category], only: { category } },
    { name: 'session', values: session === undefined ? [] : [session], only: { session } },
  ]
  return conditions.flatMap(({ only, ...named }) => (passesFilter(block, only) ? [] : [named]))
}
