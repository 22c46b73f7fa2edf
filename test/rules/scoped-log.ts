import type { Store } from '../../src/ports/store/store.ts'
import {
  AT,
  aBlock,
  anEdge,
  anOperation,
  codeOf,
  insertAll,
  type Suite,
  trimLog,
} from '../../src/testing/harness.ts'

/** Promises about what a view has of the log, the sessions and the store itself. */
export function checkScopedLog({ check, expect }: Suite): void {
  check('gives a view the log of its scope, and of the whole what names its blocks alone', async (store) => {
    await insertAll(store, ['one-a', 'one-b'], { scope: 'one' })
    await insertAll(store, ['two-a'], { scope: 'two' })
    await insertAll(store, ['none-a'])
    const log = (within: Store, summary: string, blockIds: readonly string[], before?: unknown) =>
      within.write((tx) => tx.log(anOperation({ summary, blockIds, before })))
    await log(store.within('two'), 'other', [])
    await log(store.within('one'), 'own', [])
    await log(store, 'its blocks', ['one-a', 'one-b'], { edges: [anEdge('one-a', 'one-b')] })
    await log(store, 'an edge of another scope', ['one-a'], { edges: [anEdge('one-a', 'two-a')] })
    await log(store, 'an unscoped block', ['one-a', 'none-a'])
    await log(store, 'a block nobody knows', ['one-a', 'nobody'])
    await log(store, 'nothing', [])
    const seen = await store.within('one').read((tx) => tx.operations({ limit: 9 }))
    expect(seen.map(({ summary, scope }) => [summary, scope])).toEqual([
      ['its blocks', 'one'],
      ['own', 'one'],
    ])
    expect((await store.read((tx) => tx.operations({ limit: 9 }))).length).toBe(7)
    expect(await store.within('one').write((tx) => trimLog(tx, 1, 9))).toBe(1)
    expect((await store.within('two').read((tx) => tx.operations({ limit: 9 }))).length).toBe(1)
  })

  check('begins and resumes sessions of a view apart from those of others', async (store) => {
    const session = (id: string) => ({ id, taskType: 't', startedAt: AT, startHours: 0 })
    await store.within('one').write((tx) => tx.saveSession(session('a')))
    await store.within('two').write((tx) => tx.saveSession(session('b')))
    await store.within('two').write((tx) => tx.saveSession({ ...session('a'), endedAt: AT }))
    expect(await store.within('one').read((tx) => tx.latestOpenSession())).toEqual(session('a'))
    expect(await store.within('one').read((tx) => tx.session('b'))).toBe(undefined)
    await store.write((tx) => tx.saveSession({ ...session('a'), endedAt: AT }))
    expect(await store.within('one').read((tx) => tx.latestOpenSession())).toBe(undefined)
  })

  check('trims through a view only the sessions and outcomes of its scope', async (store) => {
    await insertAll(store, ['one-a'], { scope: 'one' })
    await insertAll(store, ['two-a'], { scope: 'two' })
    const [one, two] = [store.within('one'), store.within('two')]
    const session = (id: string) => ({ id, taskType: 't', startedAt: AT, startHours: 0, endedAt: AT })
    for (const [view, ids] of [
      [one, ['a', 'b']],
      [two, ['c', 'd']],
    ] as const)
      for (const id of ids) await view.write((tx) => tx.saveSession(session(id)))
    expect(await one.write((tx) => tx.trimSessions(1, 9))).toBe(1)
    expect(await two.read((tx) => tx.session('c'))).toEqual(session('c'))
    const outcome = { blockId: 'two-a', signal: 1, weight: 1, source: 's' }
    const told = { ...outcome, confidenceBefore: 0, confidenceAfter: 1, at: AT }
    await two.write((tx) => tx.appendOutcomes([told], 9))
    await two.write((tx) => tx.queueOutcomes([outcome], 9))
    await one.write((tx) => tx.appendOutcomes([told], 0))
    await one.write((tx) => tx.queueOutcomes([outcome], 0))
    expect((await two.read((tx) => tx.outcomes('two-a', 9))).length).toBe(1)
    expect((await two.write((tx) => tx.takeQueuedOutcomes(['two-a']))).length).toBe(1)
  })

  check('shares clock, sequence and settings with its views', async (store) => {
    await store.within('one').write(async (tx) => {
      await tx.insertBlock(aBlock('a'))
      await tx.log(anOperation({ hours: 3 }))
      await tx.saveMeta('key', 'value')
    })
    const two = await store.within('two').read(async (tx) => ({
      clock: await tx.clock(),
      sequence: await tx.sequence(),
      changes: await tx.changes(0),
      meta: await tx.meta('key'),
    }))
    const clock = { hours: 3, wallMs: Date.parse(AT) }
    expect(two).toEqual({
      clock,
      sequence: 1,
      changes: { clock, sequence: 1, generation: 0, blocks: [] },
      meta: 'value',
    })
  })

  check('makes of a view no view of another scope', async (store) => {
    const one = store.within('one')
    await insertAll(one, ['a'])
    const again = await one.within('one').read((tx) => tx.blocks(['a']))
    expect(again.length).toBe(1)
    expect(await codeOf((async () => one.within('two'))())).toBe('OUT_OF_SCOPE')
  })
}
