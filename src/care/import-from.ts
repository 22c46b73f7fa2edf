import { itemId } from '../block/item-place.ts'
import { count, defined, shortened } from '../block/text.ts'
import { type CallContext, type Engine, type Moment, nextTurn } from '../engine/engine.ts'
import type { Imported, ImportedItem, ImportedLink, ImportedText, OpenedImport } from '../engine/importers.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { attempt, ElfmemError } from '../errors.ts'
import {
  CONTRADICTS,
  contradictionOf,
  type Edge,
  type Ends,
  normaliseRelation,
  orderedPair,
  relationDefaultWeight,
} from '../graph/edge.ts'
import { Linker } from '../graph/linker.ts'
import { NOTE_LENGTH_MAX } from '../graph/rules.ts'
import { IMPORT_FROM } from '../history/undone.ts'
import { guardSecrets } from '../intake/check-input.ts'
import { readBlocks } from '../store/blocks.ts'
import { readEdgesAround } from '../store/graph.ts'
import { readItems } from '../store/items.ts'
import { readClock, readOperations } from '../store/log.ts'
import { savePairs } from '../store/pairs.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { type Importing, importTag, lookAtTexts, type Places, prepare, takeTexts } from './import-texts.ts'
import { claimedInstant, type Prepared, storable, Tally } from './importing.ts'
import { type ItemWrite, writeItems } from './items.ts'

/** Texts a transaction: of its sync little is left for each, and other writers wait for some 20 ms at most. */
const TEXTS_PER_WRITE = 250

/** Things read between two turns of the others. */
const READ_BETWEEN = 1_000

/** The file or folder to take in, and how. */
export interface ImportFromRequest {
  readonly path: string
  readonly format: OpenedImport['format'] | 'auto'
  /** Only looks, and writes nothing. */
  readonly dryRun: boolean
  /** The owner vouches for it: classes, identity and evidence count as the file says. */
  readonly trusted: boolean
  /** Also what the other program had put away. */
  readonly archived: boolean
}

/** The result of an import, or of looking at one. */
export interface ImportedFrom {
  readonly format: OpenedImport['format']
  readonly title: string
  readonly tally: Tally
  /** An entry of the log that stands for all of it; absent if nothing was written. */
  readonly operationId: number | undefined
}

/**
 * Takes in what another program remembers: texts in transactions of 250, then the links among them, then data. Each transaction is
 * whole, and all are one run that `undo` takes back. Whatever ends it, the same call again adds what is missing.
 *
 * @throws `NOT_FOUND`, `INVALID_INPUT`, `LIMIT_EXCEEDED`, `CANCELLED` and what the store throws
 */
export async function importFrom(
  engine: Engine,
  given: CallContext,
  request: ImportFromRequest,
): Promise<ImportedFrom> {
  const { path, format, archived, dryRun, trusted } = request
  const run = engine.ids.random()
  const context: CallContext = { ...given, run }
  const importers = await engine.importers()
  const mostBytes = engine.settings.limits.importBytes
  const opened = await importers.open({ path, format, archived, mostBytes, signal: context.signal })
  const tally = new Tally()
  try {
    const importing: Importing = { engine, context, format: opened.format, trusted, tally }
    await new Import(importing, opened, dryRun).run()
    const of = { format: opened.format, title: opened.title, tally }
    if (dryRun) return { ...of, operationId: undefined }
    return await engine.store.read(async (tx) => {
      const [entry] = await readOperations(tx, { run, operation: IMPORT_FROM, limit: 1 })
      return { ...of, operationId: entry?.id }
    })
  } catch (error) {
    throw ElfmemError.is(error) && error.code === 'CANCELLED' ? cancelled(tally.created) : error
  } finally {
    opened.close()
  }
}

/** One import while it lasts. */
class Import {
  readonly #importing: Importing
  readonly #opened: OpenedImport
  readonly #dryRun: boolean
  readonly #places: Places = new Map()
  readonly #seen = new Set<string>()
  readonly #links: ImportedLink[] = []
  readonly #items: ImportedItem[] = []
  #waiting: Prepared[] = []
  #read = 0

  constructor(importing: Importing, opened: OpenedImport, dryRun: boolean) {
    this.#importing = importing
    this.#opened = opened
    this.#dryRun = dryRun
  }

  async run(): Promise<void> {
    const importing = this.#importing
    for await (const each of this.#opened.read()) await this.#take(each)
    await this.#write(true)
    await keepItems(importing, this.#items, this.#dryRun)
    if (this.#dryRun) await lookAtLinks(importing, this.#links, this.#places)
    else await joinAll(importing, this.#links, this.#places)
  }

  async #take(each: Imported): Promise<void> {
    this.#read += 1
    if (this.#read % READ_BETWEEN === 0) await nextTurn()
    if (each.kind === 'left') this.#importing.tally.leave(each)
    else if (each.kind === 'link') this.#links.push(each)
    else if (each.kind === 'item') this.#items.push(each)
    else await this.#takeText(each)
  }

  async #takeText(text: ImportedText): Promise<void> {
    for (const prepared of await prepare(this.#importing, text)) this.#waiting.push(prepared)
    await this.#write(false)
  }

  async #write(isLast: boolean): Promise<void> {
    const { context } = this.#importing
    while (this.#waiting.length >= (isLast ? 1 : TEXTS_PER_WRITE)) {
      if (context.signal?.aborted) throw cancelled(this.#importing.tally.created)
      const batch = this.#waiting.slice(0, TEXTS_PER_WRITE)
      this.#waiting = this.#waiting.slice(TEXTS_PER_WRITE)
      if (this.#dryRun) await lookAtTexts(this.#importing, batch, { places: this.#places, seen: this.#seen })
      else await takeTexts(this.#importing, batch, this.#places)
      await nextTurn()
      context.progress?.({
        stage: this.#dryRun ? 'reading' : 'importing',
        ...this.#opened.progress(),
        isKept: true,
      })
    }
  }
}

function cancelled(done: number): ElfmemError {
  return new ElfmemError('CANCELLED', `The import was cancelled after ${done} new blocks.`, {
    recovery: 'Call it again with the same to have the rest, or undo() to take back what came.',
    details: { done },
  })
}

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

/** Links a transaction; other writers wait for some 20 ms at most. */
const LINKS_PER_WRITE = 250
/** A relation that has no spelling here. */
const OTHER_RELATION = 'related'

/** A link between two blocks. */
interface Placed extends Omit<ImportedLink, 'from' | 'to'> {
  readonly ends: Ends
  /** The block that declared it. */
  readonly by: string | undefined
}

/** Joins blocks as the file says. An edge that is there stays, unless similarity alone made it, and what was disconnected here stays apart. */
export async function joinAll(
  importing: Importing,
  links: readonly ImportedLink[],
  places: Places,
): Promise<void> {
  const { engine, context } = importing
  const placed = placedIn(importing, links, places)
  for (let at = 0; at < placed.length; at += LINKS_PER_WRITE) {
    const batch = placed.slice(at, at + LINKS_PER_WRITE)
    const sorted = await engine.store.read((tx) => sort(importing, tx, batch, true))
    tell(importing, sorted)
    if (sorted.open.length > 0)
      await mutate(engine, context, async (mutation) => joinBatch(importing, mutation, sorted.open))
    await nextTurn()
    context.progress?.({
      stage: 'joining',
      done: Math.min(at + batch.length, placed.length),
      total: placed.length,
    })
  }
}

/** Says what would become of links, and writes nothing. What a dream would join by similarity is not counted. */
export async function lookAtLinks(
  importing: Importing,
  links: readonly ImportedLink[],
  places: Places,
): Promise<void> {
  const { engine, tally } = importing
  const placed = placedIn(importing, links, places)
  await engine.store.read(async (tx) => {
    const moment = engine.session.moment(await readClock(tx))
    const linker = await openLinker(importing, { tx, moment }, placed)
    for (let at = 0; at < placed.length; at += LINKS_PER_WRITE) {
      const sorted = await sort(importing, tx, placed.slice(at, at + LINKS_PER_WRITE), false)
      tell(importing, sorted)
      const made = await admitted(importing, { linker, moment }, sorted.open)
      tally.linksMade += made.length
    }
  })
}

function placedIn({ tally }: Importing, links: readonly ImportedLink[], places: Places): Placed[] {
  const placed = new Map<string, Placed>()
  for (const { from, to, ...link } of links) {
    const [source, target] = [places.get(from), places.get(to)]
    if (source === undefined || target === undefined)
      tally.leave({
        what: 'links',
        why: 'one end is not in the file, or is not taken in',
        example: `${from} → ${to}`,
      })
    else if (source === target) tally.leave({ what: 'links', why: 'both ends say the same' })
    else {
      const ends = orderedPair(source, target)
      const key = ends.join(' ')
      const by = link.declaredBy === undefined ? undefined : places.get(link.declaredBy)
      if (placed.has(key))
        tally.leave({ what: 'links', why: 'two blocks have one connection; the first counts' })
      else placed.set(key, { ...link, ends, by })
    }
  }
  tally.links += placed.size
  return [...placed.values()]
}

interface Sorted {
  readonly open: Placed[]
  readonly known: Placed[]
  readonly archived: Placed[]
  readonly foreign: Placed[]
}

function tell({ tally }: Importing, { known, archived, foreign }: Sorted): void {
  tally.linksKnown += known.length
  if (archived.length > 0)
    tally.leave({ what: 'links', why: 'what they join is archived here', many: archived.length })
  if (foreign.length > 0)
    tally.leave({
      what: 'links',
      why: 'they end at what was here before; only a trusted import joins it',
      many: foreign.length,
    })
}

/**
 * A file that is not trusted joins only what came by imports, so that nobody's file moves what was here before.
 *
 * @param areThere false before the texts are taken in: who is not there is new then
 */
async function sort(
  { format, trusted }: Importing,
  tx: ReadTransaction,
  links: readonly Placed[],
  areThere: boolean,
): Promise<Sorted> {
  const ids = [...new Set(links.flatMap(({ ends }) => ends))]
  const blocks = new Map((await readBlocks(tx, ids)).map((block) => [block.id, block]))
  const joined = new Map(
    (await readEdgesAround(tx, ids)).map(({ edge }) => [`${edge.from} ${edge.to}`, edge]),
  )
  const sorted: Sorted = { open: [], known: [], archived: [], foreign: [] }
  for (const link of links) {
    const both = link.ends.flatMap((id) => blocks.get(id) ?? [])
    const edge = joined.get(link.ends.join(' '))
    if ((areThere && both.length < 2) || both.some(({ status }) => status === 'archived'))
      sorted.archived.push(link)
    else if (!trusted && !both.every(({ tags }) => tags.includes(importTag(format))))
      sorted.foreign.push(link)
    else if (edge !== undefined && !isBySimilarity(edge)) sorted.known.push(link)
    else sorted.open.push(link)
  }
  return sorted
}

function isBySimilarity({ origin, relation, note }: Edge): boolean {
  return origin === 'similarity' && relation === 'similar' && note === undefined
}

async function joinBatch(
  importing: Importing,
  { tx, moment, log }: Mutation,
  links: readonly Placed[],
): Promise<void> {
  const { tally, format } = importing
  const linker = await openLinker(importing, { tx, moment }, links)
  const made = await admitted(importing, { linker, moment }, links)
  const { displacements } = await linker.save(tx)
  const contradictions = made.filter(({ relation }) => relation === CONTRADICTS)
  await savePairs(
    tx,
    contradictions.map((edge) => contradictionOf(edge, 'agent')),
  )
  await log({
    operation: IMPORT_FROM,
    blockIds: [...new Set(made.flatMap(({ from, to }) => [from, to]))],
    summary: `${count(made.length, 'connection')} from ${format}`,
    before: { ...tally.nextPart(), displacements },
  })
  tally.linksMade += made.length
}

function openLinker(
  { engine }: Importing,
  now: { readonly tx: ReadTransaction; readonly moment: Moment },
  links: readonly Placed[],
): Promise<Linker> {
  const ids = links.flatMap(({ ends }) => ends)
  return Linker.open(engine, now, ids, { heedDisconnections: true })
}

/** Adds links to a linker; tells of those that it refuses. */
async function admitted(
  importing: Importing,
  { linker, moment }: { readonly linker: Linker; readonly moment: Moment },
  links: readonly Placed[],
): Promise<Edge[]> {
  const { engine, tally } = importing
  const made: Edge[] = []
  const refused = { no_room: 0, disconnected: 0 }
  for (const link of links) {
    const edge = await edgeOf(importing, link, moment)
    const before = linker.between(...link.ends)
    if (before !== undefined && isBySimilarity(before))
      linker.replace({ ...edge, createdAt: before.createdAt })
    else if (before === undefined) {
      const admission = linker.add(edge)
      if (!admission.admitted) {
        refused[admission.because] += 1
        continue
      }
    }
    made.push(edge)
  }
  const cap = engine.settings.memory.edgeDegreeCap
  if (refused.no_room > 0)
    tally.leave({ what: 'links', why: `a block keeps at most ${cap} connections`, many: refused.no_room })
  if (refused.disconnected > 0)
    tally.leave({ what: 'links', why: 'they were disconnected here', many: refused.disconnected })
  return made
}

async function edgeOf({ engine, tally }: Importing, link: Placed, { at, hours }: Moment): Promise<Edge> {
  const [from, to] = link.ends
  const relation = attempt(() => normaliseRelation(storable(link.relation))) ?? OTHER_RELATION
  const { weight = relationDefaultWeight(relation) } = link
  const words = { note: shortened(storable(link.note ?? '').trim(), NOTE_LENGTH_MAX) }
  const { input, redacted } = await guardSecrets(words, engine.settings.memory.secrets).catch(() => ({
    ...{ input: { note: '' }, redacted: [] },
  }))
  tally.redact(redacted)
  return {
    ...{ from, to, relation },
    origin: link.origin ?? 'agent',
    weight: Number.isFinite(weight) ? Math.min(1, Math.max(0, weight)) : relationDefaultWeight(relation),
    reinforcementCount: 0,
    lastActiveAt: hours,
    createdAt: claimedInstant(tally, link.at) ?? at,
    ...defined({ note: input.note || undefined, declaredBy: link.by }),
  }
}
