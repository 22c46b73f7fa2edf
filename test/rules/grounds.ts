import type { Ground } from '../../src/domain/block/grounds.ts'
import { AT, insertAll, type Suite } from '../../src/testing/harness.ts'

function aGround(blockId: string, ground: string, foundBy: Ground['foundBy'] = 'given'): Ground {
  return { blockId, ground, foundBy, createdAt: AT }
}

/** Promises about what rests on what. */
export function checkGrounds({ check, expect }: Suite): void {
  check('keeps what blocks rest on, and gives it from either end', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    const kept = [aGround('a', 'b'), aGround('b', 'c', 'host'), aGround('c', 'b', 'rule')]
    await store.write((tx) =>
      tx.saveGrounds([kept[2], kept[0], kept[1], aGround('a', 'nobody'), aGround('a', 'a')] as Ground[]),
    )
    expect(await store.read((tx) => tx.groundsOf(['a', 'b', 'nobody']))).toEqual(kept.slice(0, 2))
    expect(await store.read((tx) => tx.restingOn(['b']))).toEqual([kept[0], kept[2]])
    expect(await store.read((tx) => tx.groundPage(['a', 'b'], 1))).toEqual([kept[1]])
    expect(await store.read((tx) => tx.groundsOf([]))).toEqual([])
    await store.write((tx) => tx.removeGrounds([{ blockId: 'a', ground: 'b' }]))
    expect(await store.read((tx) => tx.restingOn(['b']))).toEqual([kept[2]])
  })

  check('lets what somebody said outlast what a rule read', async (store) => {
    await insertAll(store, ['a', 'b'])
    const save = (foundBy: Ground['foundBy']) =>
      store.write((tx) => tx.saveGrounds([aGround('a', 'b', foundBy)]))
    const found = async () => (await store.read((tx) => tx.groundsOf(['a'])))[0]?.foundBy
    await save('rule')
    expect(await found()).toBe('rule')
    await save('given')
    await save('rule')
    expect(await found()).toBe('given')
  })

  check('shows a scope only what rests on its own', async (store) => {
    await insertAll(store, ['a', 'b'], { scope: 'one' })
    await insertAll(store, ['c'])
    await store.write((tx) => tx.saveGrounds([aGround('a', 'b'), aGround('a', 'c')]))
    expect(await store.within('one').read((tx) => tx.groundsOf(['a']))).toEqual([aGround('a', 'b')])
    expect(await store.within('two').read((tx) => tx.groundsOf(['a']))).toEqual([])
  })
}
