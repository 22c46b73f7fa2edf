import { expect } from 'vitest'
import { boundsOf, namespaceText } from '../../src/block/item-place.ts'
import {
  NAMED,
  readItemNamespaces,
  readItemPage,
  readItems,
  removeItems,
  saveItems,
} from '../../src/store/items.ts'
import { anItem, blocksOf, idsIn, insertAll } from './harness.ts'
import type { Suite } from './suite.ts'

/** Registers tests of named items. */
export function checkItems({ check }: Suite): void {
  check(
    'saveItems keeps items with the blocks they are found by, and changes them in place',
    async (store) => {
      await insertAll(store, ['a', 'b', 'c'])
      const one = anItem('one', ['b', 'a', 'b'])
      const other = anItem('other', [], 1, { value: [1, { deep: 'x' }] })
      await store.write((tx) => saveItems(tx, [one, other]))
      expect(await store.read((tx) => readItems(tx, ['other', 'nobody', 'one']))).toEqual([other, one])
      const found = () => store.read((tx) => tx.rows.touching(NAMED, ['b', 'c']))
      expect(await found()).toEqual([
        { item: 'one', place: 0, blockId: 'b' },
        { item: 'one', place: 2, blockId: 'b' },
      ])
      const now = anItem('one', ['c'], 2, { value: 'new' })
      await store.write((tx) => saveItems(tx, [now]))
      expect(await found()).toEqual([{ item: 'one', place: 0, blockId: 'c' }])
      const page = await store.read((tx) => readItemPage(tx, { space: 'space', limit: 9 }))
      expect(idsIn(page)).toEqual(['one', 'other'])
      await store.write((tx) => removeItems(tx, ['one', 'nobody']))
      expect(await store.read((tx) => readItems(tx, ['one', 'other']))).toEqual([other])
      expect([await found(), idsIn(await blocksOf(store, 'c'))]).toEqual([[], ['c']])
    },
  )

  check('itemPage lists a namespace with all inside it, and itemNamespaces each once', async (store) => {
    const at = (id: string, ...labels: string[]) => anItem(id, [], 1, { namespace: namespaceText(labels) })
    const all = [at('1', 'u'), at('2', 'u', 'x'), at('3', 'u x'), at('4'), at('5', 'u'), at('6', 'U')]
    await store.write((tx) => saveItems(tx, [...all, anItem('7', [], 1, { space: 'else' })]))
    const list = (labels: string[], limit = 9, after?: number) =>
      store.read((tx) => readItemPage(tx, { space: 'space', bounds: boundsOf(labels), limit, after }))
    expect(idsIn(await list([]))).toEqual(['1', '2', '3', '4', '5', '6'])
    expect(idsIn(await list(['u']))).toEqual(['1', '2', '5'])
    const [first] = await list(['u'], 1)
    expect(idsIn(await list(['u'], 1, first?.place))).toEqual(['2'])
    const names = await store.read((tx) =>
      readItemNamespaces(tx, { space: 'space', bounds: boundsOf(['u']) }),
    )
    expect(names).toEqual([namespaceText(['u']), namespaceText(['u', 'x'])])
  })
}
