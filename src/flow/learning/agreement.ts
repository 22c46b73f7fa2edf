import { helpedShare } from '../../domain/score/experience.ts'
import type { Experience, Lesson } from '../../search/experience/experience.ts'

/**
 * Returns how far reports agree that two blocks helped together, 0..1, those of a lesson among them: on the question that
 * says it best, the smaller of their shares of reports that they helped.
 */
export function agreementIn(
  experience: Experience,
  lesson: Lesson,
): (ends: readonly [string, string]) => number {
  const known = new Map<string, ReadonlyMap<string, number>>()
  const sharesOf = (blockId: string): ReadonlyMap<string, number> => {
    const before = known.get(blockId)
    if (before !== undefined) return before
    const shares = new Map<string, number>()
    for (const [question, reported] of experience.evidenceOf(blockId))
      shares.set(question, helpedShare(reported))
    for (const each of lesson.evidence)
      if (each.blockId === blockId) shares.set(each.question, helpedShare(each))
    known.set(blockId, shares)
    return shares
  }
  return ([one, other]) => {
    const others = sharesOf(other)
    let most = 0
    for (const [question, share] of sharesOf(one))
      most = Math.max(most, Math.min(share, others.get(question) ?? 0))
    return most
  }
}

/** Blocks that were reported to have helped on the question of a lesson, the lesson among what was reported. */
export function helpedOn(experience: Experience, { evidence }: Lesson): string[] {
  const [first] = evidence
  if (first === undefined) return []
  const rows = new Map(experience.reportedOn(first.question))
  for (const { question, blockId, ...reported } of evidence)
    if (question === first.question) rows.set(blockId, reported)
  return [...rows].flatMap(([blockId, { helped }]) => (helped > 0 ? [blockId] : []))
}
