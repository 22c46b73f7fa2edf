import type { Store } from '../../src/ports/store/store.ts'
import { anOperation, aPair, insertAll, type Suite } from '../../src/testing/harness.ts'

const LATER = '2027-01-01T00:00:00.000Z'

const pair = (from: string, to: string, cosine = 0.75) => ({ from, to, cosine })

function listed(store: Store, limit = 9) {
  return store.read((tx) => tx.unlabelledPairs(limit))
}

/** Promises about what a model or host still has to judge. */
export function checkJudging({ check, expect }: Suite): void {
  check('keeps a judgement with its block', async (store) => {
    const [block] = await insertAll(store, ['a'], { judgementPending: true, supersedes: 'b' })
    expect(block).toEqual({ ...block, judgementPending: true, supersedes: 'b' })
    if (block === undefined) return
    const { judgementPending: _paid, ...rest } = block
    const judged = { ...rest, alignment: 0.25, scoredAt: LATER }
    await store.write((tx) => tx.saveBlocks([judged]))
    expect(await store.read((tx) => tx.blocks(['a']))).toEqual([judged])
  })

  check('lists pairs without a label once each, oldest first, in canonical order', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    await store.write((tx) => tx.queueUnlabelled([pair('b', 'a'), pair('c', 'c'), pair('a', 'nobody')], 9))
    await store.write((tx) => tx.queueUnlabelled([pair('a', 'b', 0.5), pair('b', 'c')], 9))
    expect(await listed(store)).toEqual([pair('a', 'b'), pair('b', 'c')])
    expect(await listed(store, 1)).toEqual([pair('a', 'b')])
    await store.write((tx) => tx.removeUnlabelled([['b', 'a']]))
    expect(await listed(store)).toEqual([pair('b', 'c')])
  })

  check('drops the oldest pairs without a label beyond the number to keep', async (store) => {
    await insertAll(store, ['a', 'b', 'c', 'd'])
    await store.write((tx) => tx.queueUnlabelled([pair('a', 'b'), pair('a', 'c')], 9))
    await store.write((tx) => tx.queueUnlabelled([pair('a', 'd')], 2))
    expect(await listed(store)).toEqual([pair('a', 'c'), pair('a', 'd')])
  })

  check('forgets pairs without a label when an end is buried', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    await store.write((tx) => tx.queueUnlabelled([pair('a', 'b'), pair('b', 'c')], 9))
    await store.write((tx) => tx.archiveEdgesOf([{ id: 'a', previousStatus: 'active' }]))
    expect(await listed(store)).toEqual([pair('b', 'c')])
  })

  check('lets a pair that says more take the place of one that says less', async (store) => {
    await insertAll(store, ['a', 'b'])
    const kinds = async () => {
      const [open] = await store.read((tx) => tx.openPairs(9))
      return [open?.kind, open?.foundBy]
    }
    const save = (kind: 'near_duplicate' | 'supersession' | 'contradiction', foundBy: string) =>
      store.write((tx) => tx.savePairs([aPair('a', 'b', { kind, foundBy })]))
    await save('near_duplicate', 'similarity')
    await save('supersession', 'rule:replacement')
    expect(await kinds()).toEqual(['supersession', 'rule:replacement'])
    await save('near_duplicate', 'similarity')
    expect(await kinds()).toEqual(['supersession', 'rule:replacement'])
    await store.write((tx) => tx.resolvePair('a', 'b'))
    await save('supersession', 'rule:date')
    expect(await kinds()).toEqual([undefined, undefined])
    await save('contradiction', 'model')
    expect(await kinds()).toEqual(['contradiction', 'model'])
    expect((await store.read((tx) => tx.links(['a']))).pairs).toEqual(
      await store.read((tx) => tx.openPairs(9)),
    )
  })

  check('keeps with an entry of the log what models used for it', async (store) => {
    const tokens = {
      llmInputTokens: 12,
      llmOutputTokens: 3,
      llmCalls: 1,
      embeddingTokens: 0,
      embeddingCalls: 0,
    }
    await store.write((tx) => tx.log(anOperation({ tokens })))
    const [entry] = await store.read((tx) => tx.operations({ limit: 1 }))
    expect(entry?.tokens).toEqual(tokens)
  })
}
