import type { Block } from '../../src/domain/block/block.ts'
import { type Ends, orderedPair } from '../../src/domain/graph/edge.ts'
import type {
  JudgementCounts,
  PendingJudgementFilter,
  UnlabelledPair,
} from '../../src/ports/store/judging.ts'
import { byString, isJoinable, keyOf, type State, uniqueKeys } from './state.ts'

function activeBlocks({ blocks }: State): Block[] {
  return [...blocks.values()]
    .filter(({ block }) => block.status === 'active')
    .sort((one, other) => one.arrival - other.arrival)
    .map(({ block }) => block)
}

/** The pending, then those never judged, then those judged longest ago. */
export function blocksToJudge(state: State, filter: PendingJudgementFilter): Block[] {
  const blocks = activeBlocks(state)
  const others = filter.pendingOnly
    ? []
    : blocks
        .filter(({ judgementPending: pending, scoredAt = '' }) => !pending && scoredAt < filter.judgedBefore)
        .filter(({ category }) => !filter.excludeCategories.includes(category))
        .filter(({ tags }) => !tags.some((tag) => filter.excludeTags.includes(tag)))
        .sort((one, other) => byString(one.scoredAt ?? '', other.scoredAt ?? ''))
  return [...blocks.filter(({ judgementPending: pending }) => pending), ...others].slice(
    0,
    Math.max(0, filter.limit),
  )
}

/** How many active blocks want a judgement. */
export function judgementCounts(state: State, judgedBefore: string): JudgementCounts {
  const blocks = activeBlocks(state)
  return {
    pending: blocks.filter((block) => block.judgementPending).length,
    unjudged: blocks.filter(({ scoredAt = '' }) => scoredAt === '').length,
    stale: blocks.filter(({ scoredAt = '' }) => scoredAt !== '' && scoredAt < judgedBefore).length,
  }
}

/** Pairs of active blocks without a label, oldest first. */
export function unlabelledPairs({ blocks, unlabelled }: State, limit: number): UnlabelledPair[] {
  const isActive = (id: string): boolean => blocks.get(id)?.block.status === 'active'
  return [...unlabelled.values()]
    .filter(({ from, to }) => isActive(from) && isActive(to))
    .slice(0, Math.max(0, limit))
}

/** Appends pairs and drops the oldest beyond `keep`. */
export function queueUnlabelled(state: State, pairs: readonly UnlabelledPair[], keep: number): void {
  const queued = pairs.filter(({ from, to }) => from !== to)
  if (queued.length === 0) return
  for (const { from: one, to: other, cosine } of queued) {
    const [from, to] = orderedPair(one, other)
    const key = keyOf(from, to)
    if (isJoinable(state, [from, to]) && !state.unlabelled.has(key))
      state.unlabelled.set(key, { from, to, cosine })
  }
  const surplus = Math.max(0, state.unlabelled.size - Math.max(0, keep))
  for (const key of [...state.unlabelled.keys()].slice(0, surplus)) state.unlabelled.delete(key)
}

/** Takes pairs off the list. */
export function removeUnlabelled({ unlabelled }: State, pairs: readonly Ends[]): void {
  for (const [key] of uniqueKeys(pairs)) unlabelled.delete(key)
}
