import { itemId } from '../block/item-place.ts'
import { count, defined, shortened } from '../block/text.ts'
import { type CallContext, type Engine, type Moment, nextTurn } from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import type { Imported, ImportedItem, ImportedLink, OpenedImport } from '../engine/ports.ts'
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
import { readBlocks } from '../store/blocks.ts'
import { savePairs } from '../store/graph.ts'
import { readItems } from '../store/items.ts'
import { EDGE } from '../store/tables.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { prepare, takeTexts } from './import-texts.ts'
import {
  bounded,
  claimedInstant,
  type Importing,
  importTag,
  type Prepared,
  storable,
  Tally,
  WITH_SECRETS,
  withoutSecrets,
} from './importing.ts'
import { type ItemWrite, writeItems } from './items.ts'

/** Texts or links a transaction: of its sync little is left for each, and other writers wait for some 20 ms at most. */
const PER_WRITE = 250
/** Things read between two turns of the others. */
const READ_BETWEEN = 1_000
/** The space of all items that imports keep. */
const IMPORT_SPACE = 'import'
/** Items a transaction. */
const ITEMS_PER_WRITE = 100
/** A relation that has no spelling here. */
const OTHER_RELATION = 'related'

/** The result of an import, or of looking at one. */
export interface ImportedFrom {
  readonly format: OpenedImport['format']
  readonly title: string
  readonly tally: Tally
  /** An entry of the log that stands for all of it; absent if nothing was written. */
  readonly operationId: number | undefined
}

/**
 * Takes in what another program remembers: texts in transactions of 250, then data, then the links among the texts. Each
 * transaction is whole, and all are one run that `undo` takes back. Whatever ends it, the same call again adds what is missing.
 *
 * @throws `NOT_FOUND`, `INVALID_INPUT`, `LIMIT_EXCEEDED`, `CANCELLED` and what the store throws
 */
export async function importFrom(
  engine: Engine,
  given: CallContext,
  {
    path,
    format,
    archived,
    dryRun,
    trusted,
  }: {
    readonly path: string
    readonly format: OpenedImport['format'] | 'auto'
    /** Only looks, and writes nothing. */
    readonly dryRun: boolean
    /** The owner vouches for it: classes, identity and evidence count as the file says. */
    readonly trusted: boolean
    /** Also what the other program had put away. */
    readonly archived: boolean
  },
): Promise<ImportedFrom> {
  const run = engine.ids.random()
  const context: CallContext = { ...given, run }
  const importers = await engine.importers()
  const mostBytes = engine.settings.limits.importBytes
  const opened = await importers.open({ path, format, archived, mostBytes, signal: context.signal })
  const tally = new Tally()
  const importing: Importing = {
    ...{ engine, context, format: opened.format, trusted, dryRun, tally },
    places: new Map(),
  }
  try {
    const { links, items } = await takeAllTexts(importing, opened)
    await keepItems(importing, items)
    await joinAll(importing, links)
    const [entry] = dryRun
      ? []
      : await engine.store.read((tx) => tx.queries.operations({ run, operation: IMPORT_FROM, limit: 1 }))
    return { format: opened.format, title: opened.title, tally, operationId: entry?.id }
  } catch (error) {
    if (!ElfmemError.is(error) || error.code !== 'CANCELLED') throw error
    throw new ElfmemError('CANCELLED', `The import was cancelled after ${tally.created} new blocks.`, {
      recovery: 'Call it again with the same to have the rest, or undo() to take back what came.',
      details: { done: tally.created },
    })
  } finally {
    opened.close()
  }
}

/** Reads the file to its end and takes its texts in; returns the rest. */
async function takeAllTexts(
  importing: Importing,
  opened: OpenedImport,
): Promise<{ readonly links: readonly ImportedLink[]; readonly items: readonly ImportedItem[] }> {
  const { context, dryRun, tally } = importing
  const links: ImportedLink[] = []
  const items: ImportedItem[] = []
  const seen = new Set<string>()
  const waiting: Prepared[] = []
  const write = async (least: number) => {
    while (waiting.length >= least) {
      if (context.signal?.aborted) throw new ElfmemError('CANCELLED', 'It was cancelled.', { recovery: '' })
      await takeTexts(importing, waiting.splice(0, PER_WRITE), seen)
      await nextTurn()
      context.progress?.({ stage: dryRun ? 'reading' : 'importing', ...opened.progress(), isKept: true })
    }
  }
  const take = async (each: Imported) => {
    if (each.kind === 'left') tally.leave(each)
    else if (each.kind === 'link') links.push(each)
    else if (each.kind === 'item') items.push(each)
    else {
      for (const prepared of await prepare(importing, each)) waiting.push(prepared)
      await write(PER_WRITE)
    }
  }
  let read = 0
  for await (const each of opened.read()) {
    read += 1
    if (read % READ_BETWEEN === 0) await nextTurn()
    await take(each)
  }
  await write(1)
  return { links, items }
}

/** Keeps data that nothing uses yet as named items, without texts: no recall shows them. What is there already stays. */
async function keepItems(importing: Importing, items: readonly ImportedItem[]): Promise<void> {
  const { engine, context, format, tally } = importing
  tally.items += items.length
  for (let at = 0; at < items.length; at += ITEMS_PER_WRITE) {
    const writes: ItemWrite[] = []
    for (const { group, key, value } of items.slice(at, at + ITEMS_PER_WRITE)) {
      const clean = await withoutSecrets(importing, {
        value: Object.fromEntries(
          Object.entries(value).map(([name, each]) => [
            storable(name),
            typeof each === 'string' ? storable(each) : each,
          ]),
        ),
      })
      if (clean === undefined) tally.leave({ what: group, why: WITH_SECRETS, example: key })
      else
        writes.push({
          ...{ space: IMPORT_SPACE, namespace: [format, group], key: storable(key) || '-' },
          ...{ value: clean.value, drafts: [], keepsTexts: false },
        })
    }
    const ids = writes.map((write) => itemId(write, engine.scope, engine.ids.sha256))
    const known = new Set((await engine.store.read((tx) => readItems(tx, ids))).map(({ id }) => id))
    const fresh = writes.filter((_, place) => !known.has(ids[place] as string))
    if (fresh.length === 0) continue
    try {
      if (!importing.dryRun) await writeItems(engine, context, fresh)
      tally.itemsKept += fresh.length
    } catch (error) {
      if (!ElfmemError.is(error) || error.code !== 'LIMIT_EXCEEDED') throw error
      tally.leave({ what: 'named items', why: 'there are too many (limits.items)', many: fresh.length })
    }
  }
}

/** A link between two blocks. */
interface Placed extends Omit<ImportedLink, 'from' | 'to'> {
  readonly ends: Ends
  /** The block that declared it. */
  readonly by: string | undefined
}

/**
 * Joins blocks as the file says, or counts in a dry run what would be joined. An edge that is there stays, unless similarity
 * alone made it, and what was disconnected here stays apart.
 */
async function joinAll(importing: Importing, links: readonly ImportedLink[]): Promise<void> {
  const { engine, context, dryRun, format, tally } = importing
  const placed = placedIn(importing, links)
  tally.links += placed.length
  for (let at = 0; at < placed.length; at += PER_WRITE) {
    const batch = placed.slice(at, at + PER_WRITE)
    await engine.store.read(async (tx) => {
      const open = await joinable(importing, tx, batch)
      batch.splice(0, batch.length, ...open)
      if (!dryRun || open.length === 0) return
      const moment = engine.session.moment((await tx.state()).clock)
      tally.linksMade += (
        await admitted(importing, await openLinker(engine, tx, moment, open), moment, open)
      ).length
    })
    if (!dryRun && batch.length > 0)
      await mutate(engine, context, async ({ tx, moment, log }) => {
        const linker = await openLinker(engine, tx, moment, batch)
        const made = await admitted(importing, linker, moment, batch)
        const { displaced } = await linker.save(tx)
        const contradictions = made.filter(({ relation }) => relation === CONTRADICTS)
        await savePairs(
          tx,
          contradictions.map((edge) => contradictionOf(edge, 'agent')),
        )
        await log({
          operation: IMPORT_FROM,
          blockIds: [...new Set(made.flatMap(({ from, to }) => [from, to]))],
          summary: `${count(made.length, 'connection')} from ${format}`,
          before: { ...tally.nextPart(), displaced },
        })
        tally.linksMade += made.length
      })
    await nextTurn()
    const done = Math.min(at + PER_WRITE, placed.length)
    if (!dryRun) context.progress?.({ stage: 'joining', done, total: placed.length })
  }
}

function openLinker(engine: Engine, tx: ReadTransaction, moment: Moment, links: readonly Placed[]) {
  const ids = links.flatMap(({ ends }) => ends)
  return Linker.open(engine, { tx, moment }, ids, { heedDisconnections: true })
}

/** The links between two blocks, one a pair. */
function placedIn({ tally, places }: Importing, links: readonly ImportedLink[]): Placed[] {
  const placed = new Map<string, Placed>()
  const leave = (why: string, example?: string) =>
    tally.leave({ what: 'links', why, ...defined({ example }) })
  for (const { from, to, ...link } of links) {
    const [source, target] = [places.get(from), places.get(to)]
    if (source === undefined || target === undefined)
      leave('one end is not in the file, or is not taken in', `${from} → ${to}`)
    else if (source === target) leave('both ends say the same')
    else {
      const ends = orderedPair(source, target)
      const key = ends.join(' ')
      const by = link.declaredBy === undefined ? undefined : places.get(link.declaredBy)
      if (placed.has(key)) leave('two blocks have one connection; the first counts')
      else placed.set(key, { ...link, ends, by })
    }
  }
  return [...placed.values()]
}

/** The links that may be made. A file that is not trusted joins only what came by imports, so that no file moves what was here before. */
async function joinable(
  { format, trusted, dryRun, tally }: Importing,
  tx: ReadTransaction,
  links: readonly Placed[],
): Promise<Placed[]> {
  const ids = [...new Set(links.flatMap(({ ends }) => ends))]
  const blocks = new Map((await readBlocks(tx, ids)).map((block) => [block.id, block]))
  const edges = await tx.rows.touching(EDGE, ids)
  const joined = new Map(edges.map((edge) => [`${edge.from} ${edge.to}`, edge]))
  const leave = (why: string) => void tally.leave({ what: 'links', why })
  return links.filter(({ ends }) => {
    const both = ends.flatMap((id) => blocks.get(id) ?? [])
    const edge = joined.get(ends.join(' '))
    // In a dry run a block that is not there is new.
    if ((!dryRun && both.length < 2) || both.some(({ status }) => status === 'archived'))
      return leave('what they join is archived here')
    if (!trusted && !both.every(({ tags }) => tags.includes(importTag(format))))
      return leave('they end at what was here before; only a trusted import joins it')
    if (edge === undefined || isBySimilarity(edge)) return true
    tally.linksKnown += 1
    return false
  })
}

function isBySimilarity({ origin, relation, note }: Edge): boolean {
  return origin === 'similarity' && relation === 'similar' && note === undefined
}

/** Adds links to a linker; counts those that it refuses. */
async function admitted(
  importing: Importing,
  linker: Linker,
  moment: Moment,
  links: readonly Placed[],
): Promise<Edge[]> {
  const { engine, tally } = importing
  const why = {
    no_room: `a block keeps at most ${engine.settings.memory.edgeDegreeCap} connections`,
    disconnected: 'they were disconnected here',
  }
  const made: Edge[] = []
  for (const link of links) {
    const edge = await edgeOf(importing, link, moment)
    const before = linker.between(...link.ends)
    if (before !== undefined && isBySimilarity(before))
      linker.replace({ ...edge, createdAt: before.createdAt })
    else if (before === undefined) {
      const admission = linker.add(edge)
      if (!admission.admitted) {
        tally.leave({ what: 'links', why: why[admission.because] })
        continue
      }
    }
    made.push(edge)
  }
  return made
}

async function edgeOf(importing: Importing, link: Placed, { at, hours }: Moment): Promise<Edge> {
  const [from, to] = link.ends
  const relation = attempt(() => normaliseRelation(storable(link.relation))) ?? OTHER_RELATION
  const { weight = Number.NaN } = link
  const note = shortened(storable(link.note ?? '').trim(), NOTE_LENGTH_MAX)
  const clean = await withoutSecrets(importing, { note })
  return {
    ...{ from, to, relation },
    origin: link.origin ?? 'agent',
    weight: Number.isFinite(weight) ? bounded(weight, 1) : relationDefaultWeight(relation),
    reinforcementCount: 0,
    lastActiveAt: hours,
    createdAt: claimedInstant(importing.tally, link.at) ?? at,
    ...defined({ note: clean?.note || undefined, declaredBy: link.by }),
  }
}
