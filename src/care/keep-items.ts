import { itemId } from '../block/item-place.ts'
import type { ImportedItem } from '../engine/importers.ts'
import { ElfmemError } from '../errors.ts'
import { guardSecrets } from '../intake/guard-secrets.ts'
import { readItems } from '../store/items.ts'
import type { Importing } from './prepare.ts'
import { storable } from './storable.ts'
import { type ItemWrite, writeItems } from './write.ts'

/** The space of all items that imports keep. */
const IMPORT_SPACE = 'import'
/** Items a transaction. */
const ITEMS_PER_WRITE = 100

/**
 * Keeps data that nothing uses yet as named items, without texts: no recall shows them. What is there already stays.
 *
 * @param dryRun true: only counts them
 */
export async function keepItems(
  importing: Importing,
  items: readonly ImportedItem[],
  dryRun: boolean,
): Promise<void> {
  const { engine, context, tally } = importing
  tally.items += items.length
  for (let at = 0; at < items.length; at += ITEMS_PER_WRITE) {
    const writes: ItemWrite[] = []
    for (const item of items.slice(at, at + ITEMS_PER_WRITE))
      writes.push(...(await writesOf(importing, item)))
    const ids = writes.map((write) => itemId(write, engine.scope, engine.ids.sha256))
    const known = new Set((await engine.store.read((tx) => readItems(tx, ids))).map(({ id }) => id))
    const fresh = writes.filter((_, place) => !known.has(ids[place] as string))
    if (fresh.length === 0) continue
    try {
      if (!dryRun) await writeItems(engine, context, fresh)
      tally.itemsKept += fresh.length
    } catch (error) {
      if (!ElfmemError.is(error) || error.code !== 'LIMIT_EXCEEDED') throw error
      tally.leave({ what: 'named items', why: 'there are too many (limits.items)', many: fresh.length })
    }
  }
}

async function writesOf(
  { engine, format, tally }: Importing,
  { group, key, value }: ImportedItem,
): Promise<ItemWrite[]> {
  const clean = Object.entries(value).map(([name, each]) => [
    storable(name),
    typeof each === 'string' ? storable(each) : each,
  ])
  try {
    const given = { value: Object.fromEntries(clean) }
    const { input, redacted } = await guardSecrets(given, engine.settings.memory.secrets)
    tally.redact(redacted)
    const place = { space: IMPORT_SPACE, namespace: [format, group], key: storable(key) || '-' }
    return [{ ...place, value: input.value, drafts: [], keepsTexts: false }]
  } catch (error) {
    if (!ElfmemError.is(error) || error.code !== 'SECRET_REFUSED') throw error
    tally.leave({ what: group, why: 'they hold what looks like a secret (memory.secrets)', example: key })
    return []
  }
}
