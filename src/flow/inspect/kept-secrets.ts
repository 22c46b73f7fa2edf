import type { Block } from '../../domain/block/block.ts'
import { type ItemPlace, labelsIn } from '../../domain/block/item-place.ts'
import type { Ends } from '../../domain/graph/edge.ts'
import { fieldText, namesOf, redactSecrets } from '../../domain/safety/secrets/secrets.ts'
import { count } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import type { OperationRecord } from '../../ports/store/transaction.ts'
import type { StoredItem } from '../../store/rules/items.ts'
import { type CallContext, type Engine, Pauses } from '../engine/engine.ts'
import { type Check, ok, warn } from './checks.ts'

/** Where something that looks like a secret is kept; never the secret itself. */
interface KeptSecret {
  /** The kind that its mark would name. */
  readonly kind: string
  /** A field of a block, `note` of an edge, `item`, or `log`. */
  readonly place: string
  /** Whole ids of the blocks it belongs to; none for an entry of the log that names no block. */
  readonly blockIds: readonly string[]
  /** Number of the entry, for one in the log. */
  readonly entry?: number
  /** Of an item: where it stands, secrets taken out. */
  readonly item?: ItemPlace
}

/** The result of a walk: the first findings, and their number. */
export interface KeptSecrets {
  readonly found: readonly KeptSecret[]
  readonly total: number
}

const READ_AT_ONCE = 500
/** Places that an answer names. */
const NAMED_MOST = 200
/** Ids that the message names. */
const IDS_NAMED_MOST = 10

/** An id may be all digits by chance, and then look like the number of a card. */
const ID = /^[0-9a-f]{16}$/

const FIELDS = ['content', 'summary', 'cue', 'source', 'session', 'category'] as const

/**
 * Looks through all that a memory keeps for secrets that came in before a rule knew them: blocks that wait, are active or
 * archived, notes of edges, named items, and the log with what it keeps of earlier states. Reads 500 rows at once and lets others have
 * their turn in between; nothing is written.
 */
export async function keptSecrets(engine: Engine, context: CallContext): Promise<KeptSecrets> {
  const found: KeptSecret[] = []
  let total = 0
  const pauses = new Pauses()
  const look = async (texts: readonly string[], tell: (kind: string, text: number) => KeptSecret) => {
    await pauses.after(texts.reduce((length, text) => length + text.length, 0))
    for (const [nth, text] of texts.entries())
      for (const { kind, count: times } of redactSecrets(text).found) {
        total += times
        if (found.length < NAMED_MOST) found.push(tell(kind, nth))
      }
  }
  for await (const block of blocksOf(engine, context)) {
    const fields = FIELDS.filter((field) => block[field] !== undefined)
    const blockIds = [block.id]
    await look(
      fields.map((field) => block[field] ?? ''),
      (kind, nth) => ({ kind, place: fields[nth] ?? 'content', blockIds }),
    )
    await look([block.tags.join('\n')], (kind) => ({ kind, place: 'tags', blockIds }))
  }
  for await (const { from, to, note = '' } of edgesOf(engine, context))
    await look([note], (kind) => ({ kind, place: 'note', blockIds: [from, to] }))
  for await (const item of itemsOf(engine, context))
    await look([wordsIn([item.space, item.namespace, { key: item.key, value: item.value }])], (kind) => ({
      kind,
      place: 'item',
      blockIds: [],
      item: placeOf(item),
    }))
  for await (const entry of logOf(engine, context))
    await look([wordsOf(entry)], (kind) => ({
      kind,
      place: 'log',
      blockIds: entry.blockIds,
      entry: entry.id,
    }))
  return { found, total }
}

async function* blocksOf(engine: Engine, context: CallContext): AsyncGenerator<Block> {
  for (const status of ['inbox', 'active', 'archived'] as const)
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      stopIfCancelled(context)
      const given = cursor === undefined ? {} : { cursor }
      const page = await engine.store.read((tx) =>
        tx.page({ status, order: 'arrival', limit: READ_AT_ONCE, ...given }),
      )
      yield* page.blocks
      cursor = page.cursor
    }
}

async function* edgesOf(engine: Engine, context: CallContext) {
  for (let after: Ends = ['', '']; ; ) {
    stopIfCancelled(context)
    const page = await engine.store.read((tx) => tx.edgePage(after, READ_AT_ONCE))
    yield* page.filter(({ note }) => note !== undefined)
    const last = page.at(-1)
    if (last === undefined || page.length < READ_AT_ONCE) return
    after = [last.from, last.to]
  }
}

async function* itemsOf(engine: Engine, context: CallContext): AsyncGenerator<StoredItem> {
  for (let after = 0; ; ) {
    stopIfCancelled(context)
    const page = await engine.store.read((tx) => tx.itemPage({ after, limit: READ_AT_ONCE }))
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < READ_AT_ONCE) return
    after = last.place
  }
}

function placeOf({ space, namespace, key }: StoredItem): ItemPlace {
  const without = (text: string) => redactSecrets(text).text
  return { space: without(space), namespace: labelsIn(namespace).map(without), key: without(key) }
}

async function* logOf(engine: Engine, context: CallContext): AsyncGenerator<OperationRecord> {
  for (let before: number | undefined, isFirst = true; isFirst || before !== undefined; isFirst = false) {
    stopIfCancelled(context)
    const given = before === undefined ? {} : { before }
    const page = await engine.store.read((tx) => tx.operations({ limit: READ_AT_ONCE, ...given }))
    yield* page
    before = page.length < READ_AT_ONCE ? undefined : page.at(-1)?.id
  }
}

function stopIfCancelled({ signal }: CallContext): void {
  if (signal?.aborted)
    throw new ElfmemError('CANCELLED', 'doctor was cancelled while it looked for secrets.', {
      recovery: 'Call it again; nothing was changed.',
    })
}

/** All that is said in an entry of the log, text by text, so that no name in one reaches a value in the next. */
function wordsOf({ summary, reason, before }: OperationRecord): string {
  return wordsIn([summary, reason, before])
}

/** The texts of a value that may hold secrets, to count them; empty if nothing does, which one look over all of it says. */
function wordsIn(given: unknown): string {
  const all = join(given, (text, names) => [text, ...names.map((name) => fieldText(name, text))])
  return redactSecrets(all).found.length === 0 ? '' : join(given, countedOnce)
}

type Say = (text: string, names: readonly string[]) => readonly string[]

/** All texts in a value and the names of its fields, each text as `say` has it with the names that say what it is. */
function join(given: unknown, say: Say): string {
  return [...saidIn(given, [], say)].join('\n;\n')
}

function* saidIn(value: unknown, names: readonly string[], say: Say): Generator<string> {
  if (typeof value === 'string') {
    if (!ID.test(value)) yield* say(value, names)
  } else if (Array.isArray(value)) {
    for (const each of value) yield* saidIn(each, names, say)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      yield name
      yield* saidIn(each, namesOf(name, value), say)
    }
  }
}

/** A secret that its shape gives away is not counted again for its name. */
function countedOnce(text: string, names: readonly string[]): readonly string[] {
  if (redactSecrets(text).found.length > 0) return [text]
  const named = names
    .map((name) => fieldText(name, text))
    .find((said) => redactSecrets(said).found.length > 0)
  return named === undefined ? [text] : [named]
}

/** The finding as a check. */
export function checkSecrets(kept: KeptSecrets): Check {
  const check = { name: 'secrets', title: 'Secrets in what is kept' }
  if (kept.total === 0) return { ...check, ...ok('Nothing that is kept looks like a secret.') }
  const ids = [...new Set(kept.found.flatMap(({ blockIds }) => blockIds))]
  const kinds = [...new Set(kept.found.map(({ kind }) => kind))].join(', ')
  const named = ids.slice(0, IDS_NAMED_MOST)
  const more = ids.length > named.length ? ` and ${ids.length - named.length} more` : ''
  const inItems = kept.found.filter(({ item }) => item !== undefined).length
  const where = [
    ...(ids.length > 0 || inItems === 0
      ? [`in ${count(ids.length, 'block')}: ${named.join(', ')}${more}`]
      : []),
    ...(inItems > 0 ? [`${count(inItems, 'place')} in named items`] : []),
  ].join('; ')
  const found = warn(
    `${count(kept.total, 'place')} with what looks like a secret (${kinds}), ${where}.`,
    `Change these secrets where they are used. The owner erases the blocks with every trace of their words: elfmem erase ${named.join(' ') || '<ids>'}. A program puts an item anew without them.`,
  )
  return { ...check, ...found }
}
