import type { Block } from '../../src/domain/block/block.ts'
import type { OutcomeRecord } from '../../src/ports/store/transaction.ts'
import {
  AT,
  anEdge,
  anIndex,
  aPair,
  aPending,
  codeOf,
  insertAll,
  type Suite,
} from '../../src/testing/harness.ts'
import { fill } from '../../src/testing/scopes.ts'

const IDS = ['one-a', 'one-b', 'one-c', 'two-a', 'two-b', 'two-c', 'none-a', 'none-b', 'none-c']
const ACROSS = ['one-b', 'two-b'] as const

/** Nobody's business: what leads out of the scope, by either end, and what lies outside. */
const OUTWARD: readonly (readonly [string, string])[] = [
  ['one-c', 'two-a'],
  ['none-a', 'one-c'],
  ['one-c', 'none-b'],
  ['none-b', 'two-a'],
]

function anOutcome(blockId: string): OutcomeRecord {
  return { blockId, signal: 1, weight: 1, source: 's', confidenceBefore: 0, confidenceAfter: 1, at: AT }
}

/** Promises about what a view changes. */
export function checkScopeRules({ check, expect }: Suite): void {
  check('lets a view change nothing but what it shows', async (store) => {
    await fill(store)
    const before = await store.read((tx) => tx.blocks(['two-a', 'none-a']))
    const counts = await store.read((tx) => tx.counts())
    await store.within('one').write(async (tx) => {
      await tx.saveBlocks(before.map((block): Block => ({ ...block, content: 'changed' })))
      await tx.saveIndex([anIndex('two-a', { vector: new Float32Array([1]) })])
      await tx.reinforceBlocks(IDS, 7)
      await tx.saveEdges(OUTWARD.map((ends) => anEdge(...ends)))
      await tx.savePairs(OUTWARD.map((ends) => aPair(...ends)))
      await tx.savePendingConnections(OUTWARD.map((ends) => aPending(...ends)))
      await tx.saveDisconnections(OUTWARD.map(([from, to]) => ({ from, to, at: 1 })))
      await tx.stagePairs(OUTWARD, { mark: 's', threshold: 9, limit: 99, disconnectedSince: 0 })
      await tx.removeUnusedEdges([anEdge('two-a', 'two-b'), anEdge('one-a', 'two-a')])
      await tx.reinforceEdgesAmong(IDS, 7)
      await tx.removeEdges([['two-a', 'two-b']])
      await tx.resolvePair('one-b', 'two-b')
      await tx.removePendingConnections([['two-a', 'two-b'], ACROSS])
      await tx.removeDisconnections([['two-a', 'two-b'], ACROSS])
      await tx.takeQueuedOutcomes(['two-a', 'none-a'])
      await tx.archiveEdgesOf([{ id: 'two-a', previousStatus: 'active' }])
      await tx.appendOutcomes([anOutcome('two-a')], 9)
    })
    const after = await store.read(async (tx) => ({
      blocks: await tx.blocks(['two-a', 'none-a']),
      vectors: (await tx.vectors(['two-a'])).size,
      counts: await tx.counts(),
      edges: (await tx.links(['two-a', 'none-a'])).edges.map(({ reinforcementCount }) => reinforcementCount),
      apart: (await tx.disconnections(IDS, 0)).length,
      outcomes: await tx.outcomes('two-a', 9),
    }))
    expect(after).toEqual({ blocks: before, vectors: 0, counts, edges: [0, 0, 0, 0], apart: 4, outcomes: [] })
  })

  check('lets a view drop what is old or too much of its own alone', async (store) => {
    await fill(store)
    const left = await store.within('one').write(async (tx) => {
      const stage = (limit: number) =>
        tx.stagePairs([['one-b', 'one-c']], { mark: 's', threshold: 1, limit, disconnectedSince: 0 })
      const counts = [(await stage(2)).length, (await stage(1)).length, (await tx.counts()).stagedPairs]
      await tx.saveEdges([anEdge('one-b', 'one-c')])
      return [...counts, await tx.trimDisconnections(5), await tx.removeStaleStaging()]
    })
    expect(left).toEqual([1, 0, 1, 1, 1])
    const whole = await store.read(async (tx) => ({
      apart: (await tx.disconnections(IDS, 0)).length,
      staged: (await tx.counts()).stagedPairs,
    }))
    expect(whole).toEqual({ apart: 3, staged: 3 })
  })

  check('gives what a view inserts its scope, and a place in a session of that scope', async (store) => {
    await insertAll(store, ['n1'], { session: 's' })
    const one = store.within('one')
    await insertAll(one, ['a1', 'a2'], { session: 's', scope: 'two' })
    await insertAll(store, ['n2'], { session: 's' })
    const blocks = await store.read((tx) => tx.blocks(['n1', 'a1', 'a2', 'n2']))
    expect(blocks.map(({ scope, position }) => [scope, position])).toEqual([
      [undefined, 0],
      ['one', 0],
      ['one', 1],
      [undefined, 1],
    ])
    expect(await codeOf(insertAll(one, ['n1']))).toBe('INVALID_INPUT')
  })

  check('keeps a block in its scope for life', async (store) => {
    const [block] = await insertAll(store, ['a'], { scope: 'one' })
    await store.write((tx) => tx.saveBlocks([{ ...(block as Block), content: 'new', scope: 'two' }]))
    const { scope: _scope, ...unscoped } = { ...(block as Block), content: 'newer' }
    await store.write((tx) => tx.saveBlocks([unscoped]))
    expect(await store.read((tx) => tx.blocks(['a']))).toEqual([{ ...unscoped, scope: 'one' }])
  })

  check('takes a buried block out of all edges, and gives its view back what lies within', async (store) => {
    await fill(store)
    const one = store.within('one')
    await one.write((tx) => tx.archiveEdgesOf([{ id: 'one-a', previousStatus: 'active' }]))
    expect((await store.read((tx) => tx.degrees(['one-a']))).get('one-a')).toBe(0)
    const archivedEdges = await one.write((tx) => tx.takeArchivedEdges('one-a'))
    expect(archivedEdges?.edges).toEqual([anEdge('one-a', 'one-b')])
    expect(await store.within('two').write((tx) => tx.takeArchivedEdges('one-a'))).toBe(undefined)
  })
}
