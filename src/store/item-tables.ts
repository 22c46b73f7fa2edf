import { integer, json, table, text } from '../ports/store/description.ts'

const scope = text().maybe({ blank: '' })
const time = text().always({ isTime: true })

/**
 * The named items, in the order they came. `id` stands for scope, space, namespace and key; `texts` counts the places in
 * `itemBlocks`. An item that holds words of an erased block goes with them, because no part of a value stands for the whole.
 */
export const items = table(
  'items',
  {
    arrival: integer.always(),
    id: text().always(),
    space: text().always(),
    namespace: text().always(),
    key: text().always(),
    value: json<unknown>().always({ called: 'value' }),
    texts: integer.always({ least: 0 }),
    createdAt: time,
    updatedAt: time,
    version: integer.always({ least: 1 }),
    scope,
  },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['id'],
    undo: { whenChanged: 'refuse' },
    goesWithWords: true,
    told: { of: 'item', names: ['space', 'namespace', 'key'], whole: ['value'] },
    indexes: [
      'items_by_space (space, scope, arrival)',
      'items_by_namespace (space, scope, namespace)',
      "items_of_scope (scope, arrival) WHERE scope <> ''",
    ],
  },
)

/**
 * The blocks by whose words items are found; `place` counts the texts of an item from 0. A row never changes, so that an undo
 * takes it away before the block it names. In a list of tables they stand before
 * the items, so that an import sees which items are new.
 */
export const itemBlocks = table(
  'item_blocks',
  {
    arrival: integer.always(),
    item: text().always(),
    place: integer.always({ least: 0 }),
    blockId: text().always({ block: 'id' }),
    scope,
  },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['item', 'place'],
    undo: { whenChanged: 'refuse' },
    indexes: ['item_blocks_by_block (block_id)', "item_blocks_of_scope (scope, arrival) WHERE scope <> ''"],
  },
)
