import { expect } from 'vitest'
import { readBlocks, reinforceBlocks, saveIndex } from '../../src/store/blocks.ts'
import {
  archiveEdgesOf,
  readLinks,
  saveDisconnections,
  saveEdges,
  savePairs,
  savePendingConnections,
  stagePairs,
} from '../../src/store/graph.ts'
import {
  logOperation,
  queueOutcomes,
  readLatestOpenSession,
  readMeta,
  saveMeta,
  saveSession,
} from '../../src/store/log.ts'
import type { Store, Transaction } from '../../src/store/transaction.ts'
import { insertBlock } from '../helpers/rows.ts'
import {
  AT,
  aBlock,
  anEdge,
  anIndex,
  anOperation,
  aPair,
  aPending,
  aQueued,
  blocksOf,
  codeOf,
  countsOf,
  failingWrite,
  idsIn,
  insertAll,
} from './harness.ts'
import type { Suite } from './suite.ts'

/** Makes one change of each kind. */
async function changeEverything(tx: Transaction): Promise<void> {
  await insertBlock(tx, aBlock('new'))
  await saveIndex(tx, [anIndex('a')])
  await reinforceBlocks(tx, ['a'], 9)
  await saveEdges(tx, [anEdge('a', 'new')])
  await savePairs(tx, [aPair('a', 'b')])
  await stagePairs(tx, [['b', 'new']], { mark: 's', threshold: 3, limit: 10, disconnectedSince: 0 })
  await queueOutcomes(tx, [aQueued('a')], 9)
  await logOperation(tx, anOperation({ blockIds: ['a'] }))
  await saveMeta(tx, 'key', 'value')
  await saveSession(tx, { id: 's', taskType: 'general', startedAt: AT, startHours: 0 })
  await savePendingConnections(tx, [aPending('a', 'new')])
  await saveDisconnections(tx, [{ from: 'a', to: 'new', at: 1 }])
  await archiveEdgesOf(tx, [{ id: 'b', previousStatus: 'active' }])
}

const lookAt = (store: Store) =>
  store.read(async (tx) => [
    await tx.queries.changes(0),
    await tx.queries.counts(),
    await tx.queries.operations({ limit: 9 }),
    await readMeta(tx, 'key'),
    await readLatestOpenSession(tx),
    await readLinks(tx, ['a', 'b', 'new']),
  ])

/** Registers tests of `read`, `write`, `version` and `close`. */
export function checkTransactions({ check }: Suite): void {
  check('a write that throws leaves nothing behind, and the next one succeeds', async (store) => {
    await insertAll(store, ['a', 'b'])
    const before = await lookAt(store)
    await failingWrite(store, changeEverything)
    expect(await lookAt(store)).toEqual(before)
    await store.write(changeEverything, { durable: false })
    expect(idsIn(await blocksOf(store, 'new'))).toEqual(['new'])
  })

  check('a read beside an open write sees nothing of it or all of it', async (store) => {
    const reading: Promise<number>[] = []
    const read = (brief: boolean) =>
      reading.push(store.read(async (tx) => (await readBlocks(tx, ['a', 'b'])).length, { brief }))
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    await store.write(async (tx) => {
      await insertBlock(tx, aBlock('a'))
      read(false)
      read(true)
      await turn()
      expect(await readBlocks(tx, ['a'])).toHaveLength(1)
      await insertBlock(tx, aBlock('b'))
      read(false)
      await turn()
    })
    for (const seen of await Promise.all(reading)) expect([0, 2]).toContain(seen)
    expect(await blocksOf(store, 'a', 'b')).toHaveLength(2)
  })

  check('a read within a read is part of it', async (store) => {
    await insertAll(store, ['a'])
    for (const brief of [true, false]) {
      const seen = await store.read(
        async () => {
          const inner = store.read(async (tx) => idsIn(await readBlocks(tx, ['a', 'b'])))
          const scoped = store.within('other').read(async (tx) => (await readBlocks(tx, ['a'])).length)
          return [await inner, await scoped, typeof (await store.version())]
        },
        { brief },
      )
      expect(seen).toEqual([['a'], 0, 'number'])
    }
  })

  check('a write within a write is refused and leaves nothing behind', async (store) => {
    const refused = store.write(async (tx) => {
      await insertBlock(tx, aBlock('a'))
      await insertAll(store, ['b'])
    })
    expect(await codeOf(refused)).toBe('STORE_FAILED')
    expect(await blocksOf(store, 'a', 'b')).toEqual([])
    await insertAll(store, ['c'])
  })

  check('a read keeps one state while another call writes', async (store) => {
    await insertAll(store, ['a'])
    const seen = await store.read(async (tx) => {
      const before = (await tx.queries.changes(0)).blocks.length
      await insertAll(store, ['b'])
      return [before, (await tx.queries.changes(0)).blocks.length, (await readBlocks(tx, ['a', 'b'])).length]
    })
    expect(seen).toEqual([1, 1, 1])
    expect(await blocksOf(store, 'a', 'b')).toHaveLength(2)
  })

  check(
    'two connections to one memory write in turn and see what the other committed',
    async (store, again) => {
      const other = await again()
      const before = await other.version()
      await Promise.all([
        ...['a', 'b', 'c'].map((id) => insertAll(store, [id])),
        ...['d', 'e', 'f'].map((id) => insertAll(other, [id])),
      ])
      expect(await other.version()).not.toBe(before)
      for (const each of [store, other]) {
        const blocks = await blocksOf(each, 'a', 'b', 'c', 'd', 'e', 'f')
        expect(blocks.map(({ position }) => position).sort()).toEqual([0, 1, 2, 3, 4, 5])
      }
    },
  )

  check('version is another number after each commit alone', async (store) => {
    const versions = [await store.version()]
    const isNew = async () => {
      const version = await store.version()
      return !versions.includes(version) && versions.push(version) > 0
    }
    await countsOf(store)
    await failingWrite(store, (tx) => insertBlock(tx, aBlock('a')))
    expect(await isNew()).toBe(false)
    await store.write((tx) => saveMeta(tx, 'key', 'value'))
    expect(await isNew()).toBe(true)
    await store.within('here').write((tx) => logOperation(tx, anOperation()), { durable: false })
    expect(await isNew()).toBe(true)
    expect(await store.within('there').version()).toBe(await store.version())
  })

  check('a call on a handle whose transaction is over answers CLOSED', async (store) => {
    const reader = await store.read(async (tx) => ({ tx }))
    const writer = await store.write(async (tx) => ({ tx }))
    expect(await codeOf(readBlocks(reader.tx, ['a']))).toBe('CLOSED')
    expect(await codeOf(insertBlock(writer.tx, aBlock('late')))).toBe('CLOSED')
    expect(await blocksOf(store, 'late')).toEqual([])
  })

  check(
    'close waits for writes begun before, and the memory is the same when it is opened again',
    async (store, again) => {
      await insertAll(store, ['a', 'b'])
      const writing = store.write(changeEverything)
      const closing = store.close()
      await writing
      await closing
      await store.close()
      expect(await codeOf(countsOf(store))).toBe('CLOSED')
      expect(await codeOf(store.write((tx) => saveMeta(tx, 'a', 'b')))).toBe('CLOSED')
      const reopened = await again()
      expect(idsIn(await blocksOf(reopened, 'a', 'b', 'new'))).toEqual(['a', 'b', 'new'])
      expect(await reopened.read((tx) => readMeta(tx, 'key'))).toBe('value')
    },
  )
}
