import type { StoreWriter } from '../ports/store/transaction.ts'
import {
  AT,
  aBlock,
  anEdge,
  anIndex,
  anOperation,
  aPair,
  aPending,
  codeOf,
  insertAll,
  type Suite,
} from './harness.ts'

/** One change of each kind. */
async function changeEverything(tx: StoreWriter): Promise<void> {
  await tx.insertBlock(aBlock('new'))
  await tx.saveIndex([anIndex('a')])
  await tx.reinforceBlocks(['a'], 9)
  await tx.saveEdges([anEdge('a', 'new')])
  await tx.savePairs([aPair('a', 'b')])
  await tx.stagePairs([['b', 'new']], { mark: 's', threshold: 3, limit: 10, disconnectedSince: 0 })
  await tx.queueOutcomes([{ blockId: 'a', signal: 1, weight: 1, source: 'x' }], 9)
  await tx.log(anOperation({ blockIds: ['a'] }))
  await tx.saveMeta('key', 'value')
  await tx.saveSession({ id: 's', taskType: 'general', startedAt: AT, startHours: 0 })
  await tx.savePendingConnections([aPending('a', 'new')])
  await tx.saveDisconnections([{ from: 'a', to: 'new', at: 1 }])
  await tx.archiveEdgesOf([{ id: 'b', previousStatus: 'active' }])
}

/** Promises about `read`, `write` and `close`. */
export function checkTransactions({ check, expect, takesTurns }: Suite): void {
  check(
    'has another version after each commit, and the same after a look or a write that failed',
    async (store) => {
      const versions = [await store.version()]
      const isNew = async () => {
        const version = await store.version()
        return !versions.includes(version) && versions.push(version) > 0
      }
      await store.read((tx) => tx.counts())
      const failing = store.write(async (tx) => {
        await changeEverything(tx)
        throw new Error('no')
      })
      await failing.catch(() => undefined)
      expect(await isNew()).toBe(false)
      await store.write((tx) => tx.saveMeta('key', 'value'))
      expect(await isNew()).toBe(true)
      const logged = anOperation({ blockIds: [] })
      await store.within('here').write((tx) => tx.log(logged), { durable: false })
      expect(await isNew()).toBe(true)
      expect(await store.within('there').version()).toBe(await store.version())
    },
  )

  check('leaves nothing behind when a write fails', async (store) => {
    await insertAll(store, ['a', 'b'])
    const look = () =>
      store.read(async (tx) => [
        await tx.changes(0),
        await tx.counts(),
        await tx.operations({ limit: 9 }),
        await tx.meta('key'),
        await tx.latestOpenSession(),
        await tx.links(['a', 'b']),
      ])
    const before = await look()
    const failure = new Error('on purpose')
    const failed = await store
      .write(async (tx) => {
        await changeEverything(tx)
        throw failure
      })
      .catch((error: unknown) => error)
    expect(failed).toBe(failure)
    expect(await look()).toEqual(before)
  })

  check('goes on writing after a failed write', async (store) => {
    await store.write(() => Promise.reject(new Error('on purpose'))).catch(() => undefined)
    await insertAll(store, ['a'])
    expect((await store.read((tx) => tx.blocks(['a']))).length).toBe(1)
  })

  check('shows its own changes to an open write', async (store) => {
    const seen = await store.write(async (tx) => {
      await tx.insertBlock(aBlock('a'))
      await tx.insertBlock(aBlock('b'))
      await tx.saveEdges([anEdge('a', 'b')])
      return [(await tx.blocks(['a', 'b'])).length, (await tx.links(['a'])).edges.length]
    })
    expect(seen).toEqual([2, 1])
  })

  check('runs writes one after another in the order of the calls', async (store) => {
    const steps: string[] = []
    const write = (name: string) =>
      store.write(async (tx) => {
        steps.push(`${name} begins`)
        await tx.insertBlock(aBlock(name))
        await Promise.resolve()
        await tx.saveMeta(name, name)
        steps.push(`${name} ends`)
      })
    await Promise.all([write('one'), write('two'), write('three')])
    expect(steps).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends'])
    const positions = (await store.read((tx) => tx.blocks(['one', 'two', 'three']))).map(
      (each) => each.position,
    )
    expect(positions).toEqual([0, 1, 2])
  })

  check('never shows the inside of an open write to a read', async (store) => {
    const reading: Promise<number>[] = []
    const read = () => reading.push(store.read(async (tx) => (await tx.blocks(['a', 'b', 'c'])).length))
    await store.write(async (tx) => {
      await tx.insertBlock(aBlock('a'))
      read()
      await new Promise((resolve) => setImmediate(resolve))
      await tx.insertBlock(aBlock('b'))
      read()
      await new Promise((resolve) => setImmediate(resolve))
      await tx.insertBlock(aBlock('c'))
    })
    read()
    expect(await Promise.all(reading)).toEqual(takesTurns === true ? [3, 3, 3] : [0, 0, 3])
  })

  check('never shows a read what a failed write did', async (store) => {
    let reading: Promise<number> | undefined
    await store
      .write(async (tx) => {
        await tx.insertBlock(aBlock('a'))
        reading = store.read(async (reader) => (await reader.blocks(['a'])).length)
        throw new Error('on purpose')
      })
      .catch(() => undefined)
    expect(await reading).toBe(0)
  })

  check('keeps showing one state to a read while others write', async (store) => {
    await insertAll(store, ['a'])
    let writing: Promise<unknown> | undefined
    const seen = await store.read(async (tx) => {
      const before = (await tx.changes(0)).blocks.length
      writing = insertAll(store, ['b'])
      if (takesTurns !== true) await writing
      return [before, (await tx.changes(0)).blocks.length, (await tx.blocks(['a', 'b'])).length]
    })
    await writing
    expect(seen).toEqual([1, 1, 1])
    expect((await store.read((tx) => tx.changes(0))).blocks.length).toBe(2)
  })

  check('shows a finished write to the next read', async (store) => {
    for (const id of ['a', 'b', 'c']) {
      await insertAll(store, [id])
      expect((await store.read((tx) => tx.blocks([id]))).length).toBe(1)
    }
  })

  check('refuses a handle whose transaction is over', async (store) => {
    const reader = await store.read(async (tx) => ({ tx }))
    const writer = await store.write(async (tx) => ({ tx }))
    expect(await codeOf(reader.tx.blocks(['a']))).toBe('CLOSED')
    expect(await codeOf(writer.tx.insertBlock(aBlock('late')))).toBe('CLOSED')
    expect(await store.read((tx) => tx.blocks(['late']))).toEqual([])
  })

  check('counts statements, and no more of them for bigger batches', async (store) => {
    const costs: number[] = []
    for (const size of [3, 300]) {
      const ids = Array.from({ length: size }, (_, index) => `${size}-${index}`)
      await insertAll(store, ids)
      const before = store.statements
      await store.write((tx) => useBatches(tx, ids))
      costs.push(store.statements - before)
    }
    expect((costs[0] as number) > 0).toBe(true)
    expect(costs[1]).toBe(costs[0])
  })

  check('waits on close for writes begun before, and may be closed twice', async (store, reopen) => {
    const writing = insertAll(store, ['a'])
    const closing = store.close()
    await writing
    await closing
    await store.close()
    expect(await codeOf(store.read((tx) => tx.counts()))).toBe('CLOSED')
    expect(await codeOf(store.write((tx) => tx.saveMeta('a', 'b')))).toBe('CLOSED')
    if (reopen === undefined) return
    const again = await reopen()
    expect((await again.read((tx) => tx.blocks(['a']))).length).toBe(1)
    await again.close()
  })

  check('keeps everything when it is closed and opened again', async (store, reopen) => {
    if (reopen === undefined) return
    await insertAll(store, ['a', 'b'])
    await store.write(changeEverything)
    const before = await store.read(async (tx) => [await tx.changes(0), await tx.counts()])
    await store.close()
    const again = await reopen()
    expect(await again.read(async (tx) => [await tx.changes(0), await tx.counts()])).toEqual(before)
    await again.close()
  })
}

async function useBatches(tx: StoreWriter, ids: readonly string[]): Promise<void> {
  const first = ids[0] as string
  const ends = ids.slice(1).map((id) => [first, id] as const)
  const blocks = await tx.blocks(ids)
  await tx.insertBlocks(ids.flatMap((id) => [aBlock(id), aBlock(`new ${id}`, { session: id })]))
  await tx.saveBlocks(blocks.map((block) => ({ ...block, successes: 1 })))
  await tx.saveIndex(ids.map((id) => anIndex(id, { vector: new Float32Array([1, 0]) })))
  await tx.vectors(ids)
  await tx.idsByPrefix(ids)
  await tx.reinforceBlocks(ids, 2)
  await tx.stagePairs(ends, { mark: 's', threshold: 1, limit: 1000, disconnectedSince: 0 })
  await tx.stagedPairs({ atLeast: 1, limit: 1000, among: ids })
  await tx.saveEdges(ends.map((pair) => anEdge(...pair)))
  await tx.savePairs(ends.map((pair) => aPair(...pair)))
  await tx.reinforceEdgesAmong(ids, 2)
  await tx.links(ids)
  await tx.degrees(ids)
  await tx.edgesAround(ids)
  await tx.strengths(ids)
  await tx.savePendingConnections(ends.map((pair) => aPending(...pair)))
  await tx.removePendingConnections(ends)
  await tx.saveDisconnections(ends.map(([from, to]) => ({ from, to, at: 1 })))
  await tx.disconnections(ids, 0)
  await tx.removeDisconnections(ends)
  await tx.removeUnusedEdges(ends.map((pair) => anEdge(...pair)))
  await tx.queueOutcomes(
    ids.map((blockId) => ({ blockId, signal: 1, weight: 1, source: 'x' })),
    9,
  )
  await tx.takeQueuedOutcomes(ids)
  await tx.removeEdges(ends.slice(0, 1))
  await tx.removeStaleStaging()
  await tx.log(anOperation({ blockIds: ids }))
  await tx.logAll(ids.map((id) => anOperation({ blockIds: [id] })))
  await tx.archiveEdgesOf(ids.map((id) => ({ id, previousStatus: 'active' })))
}
