import { count, defined, shortened } from '../block/text.ts'
import { type Moment, nextTurn } from '../engine/engine.ts'
import type { ImportedLink } from '../engine/importers.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { attempt } from '../errors.ts'
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
import { guardSecrets } from '../intake/guard-secrets.ts'
import { readBlocks } from '../store/blocks.ts'
import { readEdgesAround } from '../store/graph.ts'
import { readClock } from '../store/log.ts'
import { savePairs } from '../store/pairs.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { claimedInstant } from './claimed-instant.ts'
import { type Importing, importTag } from './prepare.ts'
import { storable } from './storable.ts'
import type { Places } from './take-texts.ts'

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
