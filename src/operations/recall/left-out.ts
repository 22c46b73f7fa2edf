import { type NotShown, notShownNote } from '../../domain/safety/answer-note.ts'
import type { RecallAnswer } from '../../flow/recall/recall.ts'

type Shown = Pick<RecallAnswer['blocks'][number], 'versions' | 'moreVersions' | 'told'>

/**
 * One line about what is no entry of an answer, and why: versions whose words stand under an entry are set apart, the rest is
 * left out. Empty when there is nothing to say.
 */
export function leftOutLine(blocks: readonly Shown[], dropped: RecallAnswer['dropped']): string {
  const versions = blocks.flatMap(({ versions: each, told }) =>
    each.map(({ block, why }) => ({ why, isTold: told.includes(block.id) })),
  )
  const told = versions.filter(({ isTold }) => isTold)
  const untold = versions.filter(({ isTold }) => !isTold)
  const further = blocks.reduce((sum, { moreVersions }) => sum + moreVersions, 0)
  const number = (reason: RecallAnswer['dropped'][number]['reason']) =>
    dropped.filter((each) => each.reason === reason).length
  const leftOut = {
    ...byReason(untold),
    further,
    token_budget: number('token_budget'),
    top_k: number('top_k'),
    weak_match: number('weak_match'),
  }
  return [notShownNote('told', byReason(told)), notShownNote('untold', leftOut)].filter(Boolean).join(' ')
}

function byReason(versions: readonly Pick<Shown['versions'][number], 'why'>[]): NotShown {
  const number = (reason: Shown['versions'][number]['why']) =>
    versions.filter(({ why }) => why === reason).length
  return {
    older: number('superseded'),
    alike: number('near_duplicate'),
    contradicted: number('contradicted'),
  }
}

/** Says which filters of a call nothing passes, and how many blocks the frame has without them; empty for none. */
export function unmatchedLine(frame: string, unmatched: RecallAnswer['unmatched']): string {
  if (unmatched === undefined) return ''
  const missing = unmatched.filters.map(({ tags = [], category, session }) => {
    const parts = [
      ...(tags.length > 0 ? [`the tag ${tags.join(' or ')}`] : []),
      ...(category === undefined ? [] : [`the category ${category}`]),
      ...(session === undefined ? [] : [`the session ${session}`]),
    ]
    return parts.join(' and ')
  })
  return `No block of the frame ${frame} has ${missing.join(', none ')}; ${unmatched.without} without.`
}
