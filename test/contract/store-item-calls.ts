import fc from 'fast-check'
import type { SavedItem } from '../../src/ports/store/items.ts'
import { anItem } from '../../src/testing/harness.ts'
import { type Look, look } from './store-looks.ts'
import { batch, step, type Weighted } from './store-steps.ts'
import { idsOf, limit, type Names, text } from './store-values.ts'

const namespace = fc.constantFrom('', 'n\u001f', 'N\u001f', 'n\u001fm\u001f', 'n m\u001f')
const bounds = fc.constantFrom(
  undefined,
  ['n\u001f', 'n '] as const,
  ['n\u001fm\u001f', 'n\u001fm '] as const,
)
const within = fc.record({ space: fc.constantFrom('space', 'other'), bounds })

function itemOver(names: Names): fc.Arbitrary<SavedItem> {
  const { ids } = idsOf(names)
  const fields = fc.record({ namespace, value: fc.jsonValue(), space: fc.constantFrom('space', 'other') })
  return fc
    .tuple(fc.constantFrom(...names.own), ids, fc.integer({ min: 1, max: 3 }), fields, text)
    .map(([id, blockIds, version, given, key]) => anItem(id, blockIds, version, { ...given, key }))
}

/** Steps that change items; those that name a block that is not there are refused as a whole. */
export function itemSteps(names: Names): Weighted[] {
  return [
    step(batch(itemOver(names)), async (tx, given) => {
      const there = new Set((await tx.blocks(given.flatMap(({ blockIds }) => blockIds))).map(({ id }) => id))
      return tx.saveItems(
        given.map((item) => ({ ...item, blockIds: item.blockIds.filter((id) => there.has(id)) })),
      )
    }),
    step(idsOf(names).ids, (tx, given) => tx.removeItems(given)),
  ]
}

/** Questions about items. */
export function itemLooks(names: Names): fc.Arbitrary<Look>[] {
  const { ids } = idsOf(names)
  return [
    look(ids, (tx, given) => tx.items(given)),
    look(ids, (tx, given) => tx.itemsOfBlocks(given)),
    look(fc.tuple(within, limit), async (tx, [range, most]) =>
      (await tx.itemPage({ ...range, limit: most })).map(({ place: _place, ...item }) => item),
    ),
    look(within, (tx, given) => tx.itemNamespaces(given)),
    look(fc.constant(undefined), (tx) => tx.itemCount()),
  ]
}
