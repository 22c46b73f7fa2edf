import type { BlockFacts } from '../../domain/block/block.ts'
import { isNewer, mayHide, saidAt } from '../../domain/block/standing.ts'
import type { PastAsked } from '../../search/language/changes.ts'
import type { Grouped, Version } from './versions.ts'

/** Versions of one fact; what only reads like it, or is believed less, is none. */
const OF_ONE_FACT: ReadonlySet<Version['why']> = new Set(['superseded', 'earlier'])

/**
 * Groups as a question about the past wants them: under the version it asks for stand the later ones, newest first, and
 * then the earlier. A group stays as it is where no version is of then, or may be shown in the place of the newest.
 */
export function turnedRound(
  { headOf, under }: Pick<Grouped, 'headOf' | 'under'>,
  past: PastAsked,
  factsOf: (id: string) => BlockFacts | undefined,
): Pick<Grouped, 'headOf' | 'under'> {
  const headNow = new Map<string, string>()
  const groups = [...under].map(([head, versions]): readonly [string, readonly Version[]] => {
    const newest = factsOf(head)
    const wanted = versionOf(past, newest, versions, factsOf)
    if (newest === undefined || wanted === undefined || !mayHide(wanted, newest)) return [head, versions]
    headNow.set(head, wanted.id)
    const others = versions.filter(({ id }) => id !== wanted.id)
    const later = (facts: BlockFacts): Version => ({
      ...{ id: facts.id, why: 'later', by: wanted.id, until: saidAt(facts) },
    })
    const seen = others.map((version) => {
      const facts = factsOf(version.id)
      return facts && OF_ONE_FACT.has(version.why) && isNewer(facts, wanted) ? later(facts) : version
    })
    return [wanted.id, [later(newest), ...seen]]
  })
  return {
    headOf: (id) => headNow.get(headOf(id)) ?? headOf(id),
    under: new Map(groups),
  }
}

/** The version under a newest one that is asked for; undefined if that is the newest itself, or none. */
function versionOf(
  past: PastAsked,
  newest: BlockFacts | undefined,
  versions: readonly Version[],
  factsOf: (id: string) => BlockFacts | undefined,
): BlockFacts | undefined {
  const earlier = versions.filter(({ why }) => OF_ONE_FACT.has(why)).flatMap(({ id }) => factsOf(id) ?? [])
  if (past === 'before') return earlier[0]
  if (past === 'first') return earlier.at(-1)
  const isOfThen = (facts: BlockFacts | undefined) =>
    facts !== undefined && Date.parse(saidAt(facts)) < past.to
  return isOfThen(newest) ? undefined : earlier.find(isOfThen)
}
