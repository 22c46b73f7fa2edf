import { expect, test } from 'vitest'
import { Connection } from '../../src/adapters/sqlite/driver.ts'
import { migrate } from '../../src/adapters/sqlite/schema.ts'
import { Scope } from '../../src/adapters/sqlite/scope.ts'
import { WriteTransaction } from '../../src/adapters/sqlite/transaction.ts'
import type { BlockFilter, StoreWriter } from '../../src/ports/store.ts'
import { AT, aBlock, anEdge, anIndex, anOperation, aPair, aPending } from '../../src/testing/store/harness.ts'

/** `counts` and `vectorTotals` report about everything; `strongest` walks its index as far as the rank asked for. */
const WALKS = /count\(\*\) FROM blocks WHERE status = 'inbox'|ORDER BY strength DESC|sum\(length\(content\)\)/

const FILTERS: readonly Omit<BlockFilter, 'order' | 'limit'>[] = [
  {},
  { status: 'inbox' },
  { status: 'active' },
  { status: 'archived' },
  { category: 'c' },
  { session: 's' },
  { tag: 't' },
  { tag: 't/*' },
  { status: 'active', tag: 't/*', category: 'c', session: 's' },
]

async function callEverything(tx: StoreWriter): Promise<void> {
  const { block } = await tx.insertBlock(aBlock('a', { tags: ['t'] }))
  await tx.insertBlock(aBlock('a'))
  await tx.insertBlock(aBlock('b'))
  await tx.insertBlocks([aBlock('a'), aBlock('c')])
  await tx.saveBlocks([block])
  await tx.saveIndex([anIndex('a')])
  await tx.saveIndex([anIndex('a', { vector: new Float32Array([1]) })])
  await tx.beginSpare()
  await tx.saveSpare([{ id: 'a', content: 'content of a', vector: new Float32Array([2]) }])
  await tx.swapVectors()
  await tx.dropSpare()
  await tx.reinforceBlocks(['a'], 1)
  await tx.stagePairs([['a', 'b']], { session: 's', threshold: 1, limit: 9, disconnectedSince: 0 })
  await tx.savePendingConnections([aPending('a', 'b')])
  await tx.removePendingConnections([['a', 'b']])
  await tx.saveDisconnections([{ from: 'a', to: 'b', at: 1 }])
  await tx.removeDisconnections([['a', 'b']])
  await tx.trimDisconnections(1)
  await tx.removeUnusedEdges([anEdge('a', 'b')])
  await tx.saveEdges([anEdge('a', 'b')])
  await tx.reinforceEdgesAmong(['a', 'b'], 1)
  await tx.removeEdges([['a', 'b']])
  await tx.removeStaleStaging()
  await tx.savePairs([aPair('a', 'b')])
  await tx.resolvePair('a', 'b')
  await tx.appendOutcomes([])
  await tx.queueOutcomes([{ blockId: 'a', signal: 1, weight: 1, source: 's' }])
  await tx.takeQueuedOutcomes(['a'])
  await tx.bury([{ id: 'a', previousStatus: 'active' }])
  await tx.entomb([anEdge('a', 'b')])
  await tx.takeTombstone('a')
  await tx.log(anOperation())
  await tx.logAll([anOperation()])
  await tx.trimLog(9, 9)
  await tx.saveMeta('k', 'v')
  await tx.saveSession({ id: 's', taskType: 't', startedAt: AT, startHours: 0 })
}

async function askEverything(tx: StoreWriter): Promise<void> {
  await tx.clock()
  await tx.changes(0)
  await tx.changes(1)
  await tx.blocks(['a'])
  await tx.vectors(['a'])
  await tx.vectorTotals()
  await tx.missingSpare(1)
  await tx.idsByPrefix(['a'])
  await tx.links(['a'])
  await tx.degrees(['a'])
  await tx.edgesAround(['a'])
  await tx.strengths(['a'])
  await tx.strongest(1, 1)
  await tx.stagedPairs({ atLeast: 1, limit: 1 })
  await tx.stagedPairs({ atLeast: 1, limit: 1, among: ['a'] })
  await tx.pendingConnections(1)
  await tx.disconnections(['a'], 0)
  await tx.counts()
  for (const filter of [{}, { blockId: 'a' }, { operation: 'o' }, { blockId: 'a', operation: 'o' }]) {
    await tx.operations({ limit: 1, ...filter })
  }
  await tx.outcomes('a', 1)
  await tx.openPairs(1)
  await tx.meta('k')
  await tx.session('s')
  await tx.latestOpenSession()
  await tx.vitalityPage('', 1)
  await tx.edgePage(['', ''], 1)
  for (const filter of FILTERS) {
    await tx.page({ ...filter, order: 'recent', limit: 1 })
    await tx.page({ ...filter, order: 'arrival', limit: 1 })
  }
}

test('no statement but the count of everything scans a table that grows', async () => {
  const connection = new Connection(':memory:')
  await migrate(connection, { milliseconds: 0, now: () => 0 })
  const tx = new WriteTransaction(new Scope(connection))
  await callEverything(tx)
  await askEverything(tx)
  const statements = connection
    .preparedTexts()
    .filter((text) => /^(SELECT|INSERT|UPDATE|DELETE)/.test(text) && !WALKS.test(text))
  expect(statements.length).toBeGreaterThan(57)
  const scans = statements.flatMap((text) => {
    const plan = connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text.replaceAll(/\?\d+/g, '1')}`)
    return plan
      .filter(({ detail }) =>
        /^SCAN (blocks|edges|operations|block_|operation_|queued|pairs|pending|disconnections|tombstones)/.test(
          detail,
        ),
      )
      .map(({ detail }) => `${detail} in ${text}`)
  })
  expect(scans).toEqual([])
  connection.close()
})
