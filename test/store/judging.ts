import { expect } from 'vitest'
import {
  archiveEdgesOf,
  queueUnlabelled,
  readDecisionCounts,
  readProposalPage,
  readProposals,
  removeUnlabelled,
  savePairs,
  saveProposals,
} from '../../src/store/graph.ts'
import { aPair, aProposal, idsIn, insertAll } from './harness.ts'
import type { Suite } from './suite.ts'

const LATER = '2027-01-01T00:00:00.000Z'

const pair = (from: string, to: string, cosine = 0.75) => ({ from, to, cosine })

/** Registers tests of what is to be judged and decided, of grounds, and of the counts of everything. */
export function checkJudging({ check }: Suite): void {
  check(
    'pendingJudgements has pending blocks first, then the unjudged, then those judged longest ago',
    async (store) => {
      await insertAll(store, ['late'], { scoredAt: '2026-05-01T00:00:00.000Z' })
      await insertAll(store, ['never'])
      await insertAll(store, ['early'], { scoredAt: '2026-01-01T00:00:00.000Z' })
      await insertAll(store, ['pending'], { judgementPending: true, category: 'message' })
      await insertAll(store, ['fresh'], { scoredAt: LATER })
      await insertAll(store, ['waiting'], { status: 'inbox', judgementPending: true })
      await insertAll(store, ['message'], { category: 'message' })
      await insertAll(store, ['excluded'], { tags: ['system/no-rescore'] })
      const due = (pendingOnly: boolean, limit: number) =>
        store.read(async (tx) =>
          idsIn(
            await tx.queries.pendingJudgements({
              pendingOnly,
              limit,
              judgedBefore: LATER,
              excludeCategories: ['message'],
              excludeTags: ['system/no-rescore'],
            }),
          ),
        )
      expect(await due(false, 9)).toEqual(['pending', 'never', 'early', 'late'])
      expect(await due(false, 2)).toEqual(['pending', 'never'])
      expect(await due(true, 9)).toEqual(['pending'])
      const counts = await store.read((tx) => tx.queries.judgementCounts('2026-03-01T00:00:00.000Z'))
      expect(counts).toEqual({ pending: 1, unjudged: 4, stale: 1 })
    },
  )

  check('pairs without a label are listed once, oldest first, and the oldest give way', async (store) => {
    await insertAll(store, ['a', 'b', 'c', 'd'])
    const queue = (keep: number, ...pairs: ReturnType<typeof pair>[]) =>
      store.write((tx) => queueUnlabelled(tx, pairs, keep))
    const listed = () => store.read((tx) => tx.queries.unlabelledPairs(9))
    await queue(9, pair('b', 'a'), pair('c', 'c'), pair('a', 'nobody'), pair('b', 'c'))
    await queue(9, pair('a', 'b', 0.5), pair('a', 'c'))
    expect(await listed()).toEqual([pair('a', 'b'), pair('b', 'c'), pair('a', 'c')])
    await store.write((tx) => removeUnlabelled(tx, [['c', 'b']]))
    await queue(2, pair('a', 'd'))
    expect(await listed()).toEqual([pair('a', 'c'), pair('a', 'd')])
    await store.write((tx) => archiveEdgesOf(tx, [{ id: 'c', previousStatus: 'active' }]))
    expect(await listed()).toEqual([pair('a', 'd')])
  })

  check(
    'proposals are listed by state in their order, and counted with what else is to be decided',
    async (store) => {
      await insertAll(store, ['a', 'b'])
      await store.write(async (tx) => {
        await saveProposals(tx, [aProposal('p'), aProposal('q'), aProposal('r')])
        await saveProposals(tx, [aProposal('q', { state: 'refused', answer: 'no' })])
        await savePairs(tx, [aPair('a', 'b', { kind: 'contradiction' })])
      })
      const page = (after?: number) =>
        store.read((tx) => readProposalPage(tx, { state: 'open', after, limit: 9 }))
      const [first] = await page()
      expect(idsIn(await page())).toEqual(['p', 'r'])
      expect(idsIn(await page(first?.place))).toEqual(['r'])
      expect(await store.read((tx) => readProposals(tx, ['q', 'nobody']))).toEqual([
        aProposal('q', { state: 'refused', answer: 'no' }),
      ])
      const counts = await store.read((tx) => readDecisionCounts(tx))
      expect(counts).toEqual({
        proposal: 2,
        contradiction: 1,
        supersession: 0,
        perhaps_newer: 0,
        near_duplicate: 0,
      })
    },
  )
}
