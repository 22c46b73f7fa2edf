import { boundsOf, namespaceText } from '../../src/domain/block/item-place.ts'
import { anItem, insertAll, type Suite } from '../../src/testing/harness.ts'

/** Promises about named items. */
export function checkItems({ check, expect }: Suite): void {
  check('keeps items with the blocks they are found by, and gives them in the order asked', async (store) => {
    await insertAll(store, ['a', 'b', 'c'])
    const one = anItem('one', ['b', 'a', 'b'])
    const other = anItem('other', [], 1, { value: [1, { deep: 'x' }] })
    await store.write((tx) => tx.saveItems([one, other]))
    expect(await store.read((tx) => tx.items(['other', 'nobody', 'one']))).toEqual([other, one])
    expect(await store.read((tx) => tx.itemsOfBlocks(['b', 'c']))).toEqual([
      { item: 'one', place: 0, blockId: 'b' },
      { item: 'one', place: 2, blockId: 'b' },
    ])
    expect(await store.read((tx) => tx.itemCount())).toBe(2)
  })

  check(
    'changes an item where it stands, and lets go of the blocks it does not name any more',
    async (store) => {
      await insertAll(store, ['a', 'b'])
      await store.write((tx) => tx.saveItems([anItem('one', ['a', 'b']), anItem('other', ['a'])]))
      const now = anItem('one', ['b'], 2, { value: 'new' })
      await store.write((tx) => tx.saveItems([anItem('one', ['a'], 2), now]))
      expect(await store.read((tx) => tx.items(['one']))).toEqual([now])
      const named = await store.read((tx) => tx.itemsOfBlocks(['a', 'b']))
      expect(named.map(({ item, blockId }) => [item, blockId])).toEqual([
        ['one', 'b'],
        ['other', 'a'],
      ])
      const page = await store.read((tx) => tx.itemPage({ space: 'space', limit: 9 }))
      expect(page.map(({ id }) => id)).toEqual(['one', 'other'])
    },
  )

  check('removes items and what they name, and nothing else', async (store) => {
    await insertAll(store, ['a'])
    await store.write((tx) => tx.saveItems([anItem('one', ['a']), anItem('other', ['a'])]))
    await store.write((tx) => tx.removeItems(['one', 'nobody']))
    expect(await store.read((tx) => tx.items(['one', 'other']))).toEqual([anItem('other', ['a'])])
    expect((await store.read((tx) => tx.itemsOfBlocks(['a']))).map(({ item }) => item)).toEqual(['other'])
    expect((await store.read((tx) => tx.blocks(['a']))).length).toBe(1)
  })

  check('lists a namespace with all inside it, page by page, and each namespace once', async (store) => {
    const at = (id: string, ...labels: string[]) => anItem(id, [], 1, { namespace: namespaceText(labels) })
    const all = [at('1', 'u'), at('2', 'u', 'x'), at('3', 'u x'), at('4'), at('5', 'u'), at('6', 'U')]
    await store.write((tx) => tx.saveItems([...all, anItem('7', [], 1, { space: 'else' })]))
    const list = async (labels: string[], limit = 9, after?: number) => {
      const range = { space: 'space', bounds: boundsOf(labels), limit, after }
      return store.read((tx) => tx.itemPage(range))
    }
    const ids = (page: readonly { readonly id: string }[]) => page.map(({ id }) => id)
    expect(ids(await list([]))).toEqual(['1', '2', '3', '4', '5', '6'])
    expect(ids(await list(['u']))).toEqual(['1', '2', '5'])
    const [first] = await list(['u'], 1)
    expect(ids(await list(['u'], 1, first?.place))).toEqual(['2'])
    const names = (labels: string[]) =>
      store.read((tx) => tx.itemNamespaces({ space: 'space', bounds: boundsOf(labels) }))
    expect(await names([])).toEqual([
      '',
      namespaceText(['U']),
      ...[['u x'], ['u'], ['u', 'x']].map(namespaceText).sort(),
    ])
    expect(await names(['u'])).toEqual([namespaceText(['u']), namespaceText(['u', 'x'])])
  })

  check('shows a scope its own items, and the whole store those of none', async (store) => {
    await insertAll(store, ['a'], { scope: 'one' })
    await store.within('one').write((tx) => tx.saveItems([anItem('ours', ['a'])]))
    await store.write((tx) => tx.saveItems([anItem('all', [])]))
    const seen = (from: typeof store) =>
      from.read(async (tx) => [
        (await tx.itemPage({ space: 'space', limit: 9 })).map(({ id }) => id),
        (await tx.itemNamespaces({ space: 'space' })).length,
        await tx.itemCount(),
        (await tx.itemsOfBlocks(['a'])).length,
      ])
    expect(await seen(store.within('one'))).toEqual([['ours'], 1, 1, 1])
    expect(await seen(store.within('two'))).toEqual([[], 0, 0, 0])
    expect(await seen(store)).toEqual([['all'], 1, 1, 1])
    const anywhere = async (from: typeof store) =>
      (await from.read((tx) => tx.itemPage({ limit: 9 }))).map(({ id }) => id)
    expect([await anywhere(store.within('one')), await anywhere(store)]).toEqual([['ours'], ['ours', 'all']])
    expect(await store.within('two').read((tx) => tx.items(['ours']))).toEqual([])
  })
}
