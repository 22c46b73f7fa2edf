import { AT, anOperation, insertAll, type Suite, trimLog, undoably } from '../../src/testing/harness.ts'

/** Promises about the log, outcomes, sessions and settings. */
export function checkLog({ check, expect }: Suite): void {
  check('gives back log entries exactly, newest first', async (store) => {
    const full = anOperation({
      operation: 'edit',
      actor: 'mcp:Ünï',
      session: 's',
      blockIds: ['b', 'a', 'not a block'],
      reason: 'why — "so"',
      before: { content: 'was', nested: [1, null, { deep: true }] },
    })
    const ids = [
      await store.write((tx) => tx.log(anOperation())),
      await store.write((tx) => tx.log(full)),
    ] as const
    expect(ids[1] > ids[0]).toBe(true)
    const records = await store.read((tx) => tx.operations({ limit: 9 }))
    expect(records).toEqual([
      { id: ids[1], ...full },
      { id: ids[0], ...anOperation() },
    ])
    expect('before' in (records[1] as object)).toBe(false)
    expect((await store.read((tx) => tx.operations({ limit: 1 }))).map((record) => record.id)).toEqual([
      ids[1],
    ])
  })

  check('never lets the hours of the clock fall', async (store) => {
    await store.write((tx) => tx.log(anOperation({ hours: 5 })))
    await store.write((tx) => tx.log(anOperation({ hours: 4 })))
    expect((await store.read((tx) => tx.clock())).hours).toBe(5)
  })

  check('appends many entries in their order, as one after the other', async (store) => {
    await store.write((tx) => tx.log(anOperation({ hours: 2 })))
    const full = anOperation({
      operation: 'edit',
      hours: 3,
      session: 's',
      blockIds: ['a', 'b'],
      reason: 'why — "so"',
      before: { nested: [1, null, 'é'] },
    })
    const given = [anOperation({ hours: 1, blockIds: ['a'] }), full, anOperation({ hours: 2.5 })]
    await store.write(async (tx) => {
      await tx.logAll(given)
      await tx.logAll([])
    })
    const records = await store.read((tx) => tx.operations({ limit: 9 }))
    const [third, second, first, zeroth] = records.map(({ id: _, ...record }) => record)
    expect([first, second, third]).toEqual([{ ...given[0], hours: 2 }, full, { ...given[2], hours: 3 }])
    expect(zeroth?.hours).toBe(2)
    expect(new Set(records.map(({ id }) => id)).size).toBe(4)
    expect((await store.read((tx) => tx.clock())).hours).toBe(3)
    const ofBlock = await store.read((tx) => tx.operations({ limit: 9, blockId: 'a' }))
    expect(ofBlock.map(({ operation }) => operation)).toEqual(['edit', 'remember'])
  })

  check('keeps the newest entries when trimmed, and always the clock', async (store) => {
    for (const hours of [1, 2, 3, 4])
      await store.write((tx) => tx.log(anOperation({ hours, blockIds: ['a'] })))
    expect(await store.write((tx) => trimLog(tx, 9, 9))).toBe(0)
    expect(await store.write((tx) => trimLog(tx, 2, 0))).toBe(0)
    expect(await store.write((tx) => trimLog(tx, 2, 1))).toBe(1)
    expect(await store.write((tx) => trimLog(tx, 2, 9))).toBe(1)
    const left = await store.read((tx) => tx.operations({ limit: 9, blockId: 'a' }))
    expect(left.map((record) => record.hours)).toEqual([4, 3])
    const newest = left[0]?.id as number
    await store.write((tx) => trimLog(tx, 0, 9))
    expect((await store.read((tx) => tx.clock())).hours).toBe(4)
    expect((await store.write((tx) => tx.log(anOperation({ hours: 6 })))) > newest).toBe(true)
  })

  check('keeps outcomes of known blocks, newest first', async (store) => {
    await insertAll(store, ['a', 'b'])
    const outcome = (blockId: string, signal: number) => ({
      blockId,
      signal,
      weight: 0.5,
      source: 'agent',
      confidenceBefore: 0.1 + 0.2,
      confidenceAfter: 2 / 3,
      at: AT,
    })
    await store.write((tx) =>
      tx.appendOutcomes([outcome('a', 0.1), outcome('b', 0.2), outcome('nobody', 1), outcome('a', 0.3)], 9),
    )
    await store.write((tx) => tx.appendOutcomes([outcome('a', 0.4)], 9))
    expect(await store.read((tx) => tx.outcomes('a', 2))).toEqual([outcome('a', 0.4), outcome('a', 0.3)])
    expect((await store.read((tx) => tx.outcomes('a', 9))).length).toBe(3)
    expect(await store.read((tx) => tx.outcomes('nobody', 9))).toEqual([])
  })

  check('keeps of every block the newest outcomes, and of those that wait', async (store) => {
    await insertAll(store, ['a', 'b'])
    const queued = (blockId: string, signal: number) => ({ blockId, signal, weight: 1, source: 'x' })
    const outcome = (blockId: string, signal: number) => ({
      ...queued(blockId, signal),
      confidenceBefore: 0.5,
      confidenceAfter: 0.6,
      at: AT,
    })
    await store.write((tx) => tx.appendOutcomes([outcome('a', 0.1), outcome('b', 0.2), outcome('a', 0.3)], 2))
    await store.write((tx) => tx.appendOutcomes([outcome('a', 0.4)], 2))
    const kept = (id: string) =>
      store.read(async (tx) => (await tx.outcomes(id, 9)).map(({ signal }) => signal))
    expect(await kept('a')).toEqual([0.4, 0.3])
    expect(await kept('b')).toEqual([0.2])
    await store.write((tx) => tx.queueOutcomes([queued('b', 0.1), queued('a', 0.2), queued('a', 0.3)], 1))
    await store.write((tx) => tx.queueOutcomes([queued('a', 0.4)], 1))
    expect(await store.write((tx) => tx.takeQueuedOutcomes(['a', 'b']))).toEqual([
      queued('b', 0.1),
      queued('a', 0.4),
    ])
  })

  check('brings back with an undo the outcomes that a new one had pushed out', async (store) => {
    await insertAll(store, ['a'])
    const outcome = (signal: number) => ({
      ...{ blockId: 'a', signal, weight: 1, source: 'x', confidenceBefore: 0, confidenceAfter: 1, at: AT },
    })
    await store.write((tx) => tx.appendOutcomes([outcome(0.1), outcome(0.2)], 2))
    const made = await undoably(store, (tx) => tx.appendOutcomes([outcome(0.3)], 2))
    const kept = () => store.read(async (tx) => (await tx.outcomes('a', 9)).map(({ signal }) => signal))
    expect(await kept()).toEqual([0.3, 0.2])
    await store.write((tx) => tx.revert(made))
    expect(await kept()).toEqual([0.2, 0.1])
  })

  check('hands out queued outcomes once, oldest first', async (store) => {
    await insertAll(store, ['a', 'b', 'c'], { status: 'inbox' })
    const queued = (blockId: string, signal: number) => ({ blockId, signal, weight: 1, source: 'x' })
    await store.write((tx) => tx.queueOutcomes([queued('b', 0.1), queued('a', 0.2), queued('c', 0.3)], 9))
    await store.write((tx) => tx.queueOutcomes([queued('b', 0.4)], 9))
    const take = () => store.write((tx) => tx.takeQueuedOutcomes(['b', 'nobody', 'a']))
    expect(await take()).toEqual([queued('b', 0.1), queued('a', 0.2), queued('b', 0.4)])
    expect(await take()).toEqual([])
    expect((await store.read((tx) => tx.counts())).queuedOutcomes).toBe(1)
  })

  check('remembers sessions and which open one began last', async (store) => {
    expect(await store.read((tx) => tx.latestOpenSession())).toBe(undefined)
    const session = (id: string, day: number, endedAt?: string) => ({
      id,
      taskType: 'allgemein',
      startedAt: `2026-03-0${day}T00:00:00.000Z`,
      startHours: day / 3,
      ...(endedAt === undefined ? {} : { endedAt }),
    })
    await store.write(async (tx) => {
      for (const each of [session('b', 2), session('c', 3), session('a', 1)]) await tx.saveSession(each)
    })
    expect(await store.read((tx) => tx.latestOpenSession())).toEqual(session('c', 3))
    await store.write((tx) => tx.saveSession(session('c', 3, AT)))
    expect(await store.read((tx) => tx.latestOpenSession())).toEqual(session('b', 2))
    expect(await store.read((tx) => tx.session('c'))).toEqual(session('c', 3, AT))
    expect(await store.read((tx) => tx.session('nobody'))).toBe(undefined)
  })

  check('keeps the newest sessions and the open one begun last', async (store) => {
    const save = (id: string, day: number, endedAt?: string) =>
      store.write((tx) =>
        tx.saveSession({
          id,
          taskType: 't',
          startedAt: `2026-03-0${day}T00:00:00.000Z`,
          startHours: day,
          ...(endedAt === undefined ? {} : { endedAt }),
        }),
      )
    await save('a', 1)
    await save('b', 2)
    for (const [at, id] of ['c', 'd', 'e'].entries()) await save(id, at + 3, AT)
    const left = () =>
      store.read(async (tx) => {
        const found = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => tx.session(id)))
        return found.flatMap((each) => each?.id ?? [])
      })
    const trim = (keep: number, most: number) => store.write((tx) => tx.trimSessions(keep, most))
    expect(await trim(9, 9)).toBe(0)
    expect(await trim(2, 0)).toBe(0)
    expect(await trim(2, 1)).toBe(1)
    expect(await left()).toEqual(['b', 'c', 'd', 'e'])
    expect(await trim(2, 9)).toBe(1)
    expect(await left()).toEqual(['b', 'd', 'e'])
    expect(await trim(2, 9)).toBe(0)
  })

  check('remembers settings of its own', async (store) => {
    expect(await store.read((tx) => tx.meta('model'))).toBe(undefined)
    await store.write((tx) => tx.saveMeta('model', 'one'))
    await store.write((tx) => tx.saveMeta('model', ''))
    expect(await store.read((tx) => tx.meta('model'))).toBe('')
  })
}
