import type { Version } from '../../../domain/versions/told.ts'
import type { Moved } from '../choose.ts'
import type { Entry } from '../entry.ts'
import type { Gathered } from '../gather.ts'
import type { Candidate, Dropped, DropReason } from '../rank.ts'
import type { Counterpoint, Fit } from '../render.ts'

/** Where the words of a candidate stand in the text: as an entry, in a line under one, or as an objection to one. */
type ShownAs = 'entry' | 'version' | 'counterpoint'

/**
 * Why a candidate is no entry: it was dropped; it stands under another block as a version of it; or it was never weighed, since its
 * match is below the pool.
 */
export type LeftOutReason = Exclude<DropReason, 'versions'> | 'version' | 'pool'

/** The block that a candidate stands under or objects to, and why. */
interface Beneath {
  readonly id: string
  readonly why: Version['why'] | 'objects'
}

/** A candidate in its place in the order of the answer. */
export interface Place {
  readonly candidate: Candidate
  /** Absent where the text has none of its words. */
  readonly shown?: ShownAs
  /** Absent of an entry. */
  readonly reason?: LeftOutReason
  readonly under?: Beneath
  /** Why it does not stand where its score would put it: something behind it scores higher, or what stands before it less. */
  readonly moved?: Moved | { readonly why: 'guaranteed' }
  /** Number of its entry among those that no frame guarantees, from 1: so many must be allowed to show it. */
  readonly place?: number
}

/** An answer before and after what the call leaves out of it, and what its text has. */
export interface Explaining {
  readonly all: Gathered
  readonly kept: Pick<Gathered, 'entries'>
  readonly fitted: Pick<Fit, 'shown'>
  readonly counterpoints: readonly Counterpoint[]
  readonly dropped: readonly Dropped[]
}

/** Everything that was weighed and found, in the order of the answer: an entry, what stands under it, the next entry. */
export function placesOf(answer: Explaining): Place[] {
  const { found, choice, entries } = answer.all
  const candidates = new Map([...found.ranked, ...found.guaranteed].map((each) => [each.facts.id, each]))
  const places = new Map<string, Place>()
  const put = (id: string, place: Omit<Place, 'candidate'>, known = candidates.get(id)) => {
    if (known !== undefined && !places.has(id)) places.set(id, { candidate: known, ...place })
  }
  let number = 0
  for (const entry of entries) {
    const { id } = entry.block
    const at = entry.guaranteed ? {} : { place: ++number }
    put(id, { ...entryPlace(entry, answer), ...at }, entry.candidate)
    for (const [version, why] of versionsOf(entry, choice.under))
      put(version, { ...versionPlace({ id: version, why }, entry, answer), ...at })
  }
  for (const { facts } of choice.beyond) {
    const beyond = { reason: 'top_k', place: ++number } as const
    if (candidates.has(facts.id)) put(facts.id, beyond)
    for (const { id, why } of choice.under.get(facts.id) ?? [])
      put(id, { ...beyond, under: { id: facts.id, why } })
  }
  return withMoves([...places.values()], answer.all)
}

/** Scores that lie nearer count as the same. */
const SAME_SCORE = 1e-4

/** The same places; those out of the order of scores say why. */
function withMoves(places: readonly Place[], { choice: { moves }, entries }: Gathered): Place[] {
  const always = new Set(entries.flatMap(({ block, guaranteed }) => (guaranteed ? [block.id] : [])))
  const scores = places.map(({ candidate }) => candidate.score)
  return places.map((place, at) => {
    const { id } = place.candidate.facts
    const own = (scores[at] as number) + SAME_SCORE
    const moved = always.has(id) ? ({ why: 'guaranteed' } as const) : moves.get(id)
    const isOut = scores.slice(at + 1).some((score) => score > own)
    return moved === undefined || !isOut ? place : { ...place, moved }
  })
}

/** All that stands under an entry, what is only counted there, too; also where a question about the past turned it round. */
function versionsOf(
  { block, versions }: Entry,
  under: Gathered['choice']['under'],
): ReadonlyMap<string, Version['why']> {
  const standing = versions.map((each) => [each.block.id, each.why] as const)
  const counted = [block.id, ...standing.map(([id]) => id)].flatMap((id) => under.get(id) ?? [])
  return new Map([...counted.map(({ id, why }) => [id, why] as const), ...standing])
}

function entryPlace(
  { block: { id } }: Entry,
  { kept, fitted, dropped }: Explaining,
): Pick<Place, 'shown' | 'reason'> {
  if (fitted.shown.some(({ block }) => block.id === id)) return { shown: 'entry' }
  if (kept.entries.some(({ block }) => block.id === id)) return { reason: 'token_budget' }
  const isClass = dropped.some((each) => each.id === id && each.reason === 'class')
  return { reason: isClass ? 'class' : 'without' }
}

function versionPlace(
  { id, why }: Pick<Version, 'id' | 'why'>,
  entry: Entry,
  answer: Explaining,
): Omit<Place, 'candidate'> {
  const head = entry.block.id
  const under = { id: head, why }
  const shown = answer.fitted.shown.find(({ block }) => block.id === head)
  if (shown === undefined) return { ...entryPlace(entry, answer), under }
  const stands = ({ versions }: Pick<Entry, 'versions'>) => versions.some(({ block }) => block.id === id)
  if (stands(entry) && !stands(shown)) return { reason: 'class', under }
  return { ...(shown.told.includes(id) ? { shown: 'version' } : {}), reason: 'version', under }
}

/** The same places, where a block that objects to an entry stands as that, though it is no entry itself. */
export function objecting(
  places: readonly Place[],
  { counterpoints }: Pick<Explaining, 'counterpoints'>,
): Place[] {
  const against = new Map(counterpoints.map(({ block, to }) => [block.id, to.id]))
  return places.map((place) => {
    const to = against.get(place.candidate.facts.id)
    if (to === undefined || place.shown !== undefined) return place
    return { ...place, shown: 'counterpoint', under: { id: to, why: 'objects' } }
  })
}
