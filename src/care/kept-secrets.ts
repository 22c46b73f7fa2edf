import type { Block } from '../block/block.ts'
import { type ItemPlace, labelsIn } from '../block/item-place.ts'
import { count } from '../block/text.ts'
import { type CallContext, type Engine, Pauses } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import type { Ends } from '../graph/edge.ts'
import { textsIn } from '../intake/check-input.ts'
import { redactSecrets } from '../secrets/secrets.ts'
import { readPage } from '../store/blocks.ts'
import { readItemPage } from '../store/items.ts'
import { EDGE } from '../store/tables.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { type Check, ok, warn } from './checks.ts'

/** The place of a text that looks like a secret; never the secret itself. */
interface KeptSecret {
  /** The kind that its mark would name. */
  readonly kind: string
  /** The place: a field of a block, `note` of an edge, `item`, or `log`. */
  readonly place: string
  /** Whole ids of the blocks that have the text; none for a log entry that names no block. */
  readonly blockIds: readonly string[]
  /** Number of the log entry, for a text in the log. */
  readonly entry?: number
  /** Place of the item, with secrets taken out. */
  readonly item?: ItemPlace
}

/** Kept secrets are the result of a search: the first 200 findings, and the number of all. */
export interface KeptSecrets {
  readonly found: readonly KeptSecret[]
  readonly total: number
}

/** A place that is searched, with the value that is kept there. */
interface Looked extends Omit<KeptSecret, 'kind'> {
  readonly value: unknown
}

/**
 * Searches everything that a memory keeps for secrets that came in before a rule knew them: waiting, active and archived blocks, notes of
 * edges, named items, and the log with its earlier states. Reads 500 rows at once, and other calls have their turn in between; writes
 * nothing. Throws `CANCELLED`.
 */
export async function keptSecrets(engine: Engine, context: CallContext): Promise<KeptSecrets> {
  const found: KeptSecret[] = []
  let total = 0
  const pauses = new Pauses()
  for await (const { value, ...place } of allKept(engine, context))
    for (const { text } of textsIn(value, true)) {
      await pauses.after(text.length)
      for (const { kind, count: times } of redactSecrets(text).found) {
        total += times
        if (found.length < 200) found.push({ kind, ...place })
      }
    }
  return { found, total }
}

async function* allKept(engine: Engine, context: CallContext): AsyncGenerator<Looked> {
  const limit = 500
  for (const status of ['inbox', 'active', 'archived'] as const)
    yield* pages(engine, context, async (tx, after: string | undefined) => {
      const { blocks, cursor } = await readPage(tx, {
        status,
        order: 'arrival',
        limit,
        ...(after && { cursor: after }),
      })
      return { places: blocks.flatMap(placesIn), next: cursor }
    })
  yield* pages(engine, context, async (tx, after: Ends = ['', '']) => {
    const edges = await tx.rows.scan(EDGE, { order: ['from', 'to'], after, limit })
    const last = edges.length < limit ? undefined : edges.at(-1)
    const places = edges.map(({ from, to, note }) => ({ place: 'note', blockIds: [from, to], value: note }))
    return { places, next: last && ([last.from, last.to] as const) }
  })
  yield* pages(engine, context, async (tx, after: number = 0) => {
    const items = await readItemPage(tx, { after, limit })
    const places = items.map(({ space, namespace, key, value }) => {
      const item = { space: bare(space), namespace: labelsIn(namespace).map(bare), key: bare(key) }
      return { place: 'item', blockIds: [], item, value: [space, namespace, key, value] }
    })
    return { places, next: items.length < limit ? undefined : items.at(-1)?.place }
  })
  yield* pages(engine, context, async (tx, before: number | undefined) => {
    const entries = await tx.queries.operations({ limit, ...(before && { before }) })
    const places = entries.map(({ id, blockIds, summary, reason, before: states }) => ({
      ...{ place: 'log', blockIds, entry: id },
      value: [summary, reason, states],
    }))
    return { places, next: entries.length < limit ? undefined : entries.at(-1)?.id }
  })
}

const FIELDS = ['content', 'summary', 'cue', 'source', 'session', 'category', 'tags'] as const

function placesIn(block: Block): Looked[] {
  return FIELDS.map((field) => ({ place: field, blockIds: [block.id], value: block[field] }))
}

function bare(text: string): string {
  return redactSecrets(text).text
}

/** Yields the places of all pages, each read in a transaction of its own. */
async function* pages<C>(
  engine: Engine,
  { signal }: CallContext,
  read: (
    tx: ReadTransaction,
    after?: C,
  ) => Promise<{ readonly places: readonly Looked[]; readonly next?: C | undefined }>,
): AsyncGenerator<Looked> {
  for (let after: C | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    if (signal?.aborted)
      throw new ElfmemError('CANCELLED', 'doctor was cancelled while it looked for secrets.', {
        recovery: 'Call it again; nothing was changed.',
      })
    const { places, next } = await engine.store.read((tx) => read(tx, after))
    yield* places
    after = next
  }
}

/** Returns the finding about kept secrets as a check. */
export function checkSecrets({ found, total }: KeptSecrets): Check {
  const check = { name: 'secrets', title: 'Secrets in what is kept' }
  if (total === 0) return { ...check, ...ok('Nothing that is kept looks like a secret.') }
  const ids = [...new Set(found.flatMap(({ blockIds }) => blockIds))]
  const kinds = [...new Set(found.map(({ kind }) => kind))].join(', ')
  const named = ids.slice(0, 10)
  const more = ids.length > named.length ? ` and ${ids.length - named.length} more` : ''
  const items = found.filter(({ item }) => item !== undefined).length
  const where = [
    ...(ids.length > 0 || items === 0
      ? [`in ${count(ids.length, 'block')}: ${named.join(', ')}${more}`]
      : []),
    ...(items > 0 ? [`${count(items, 'place')} in named items`] : []),
  ]
  const warning = warn(
    `${count(total, 'place')} with what looks like a secret (${kinds}), ${where.join('; ')}.`,
    `Change these secrets where they are used. The owner erases the blocks with every trace of their words: elfmem erase ${named.join(' ') || '<ids>'}. A program puts an item anew without them.`,
  )
  return { ...check, ...warning }
}
