import {
  type Block,
  DEFAULT_CATEGORY,
  firstId,
  ITEM,
  isIdentityTag,
  isOwn,
  isProtectedTag,
  normaliseCategory,
  normaliseTag,
  otherIds,
  type SourceClass,
  TAGS_MOST,
  tagNamespace,
} from '../block/block.ts'
import {
  count,
  defined,
  estimateTokens,
  isSameText,
  normaliseContent,
  preview,
  shortened,
} from '../block/text.ts'
import {
  type CallContext,
  type Engine,
  type Moment,
  type Mutation,
  mutate,
  nextTurn,
} from '../engine/engine.ts'
import type {
  ImportedLink,
  ImportedSections,
  ImportedText,
  ImportFormat,
  OpenedImport,
} from '../engine/ports.ts'
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
import { Linker, NOTE_LENGTH_MAX } from '../graph/linker.ts'
import { admitAll, type Draft, meetingKey, textOf } from '../intake/admit.ts'
import { claimedClass, guardSecrets } from '../intake/check-input.ts'
import { partedFromShown, sumLeftOut } from '../intake/echo.ts'
import { blocksById, readSameTexts } from '../store/blocks.ts'
import { savePairs } from '../store/graph.ts'
import { EDGE } from '../store/tables.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { bounded, claimedInstant, type Prepared, storable, Tally } from './import-tally.ts'

/** Texts or links in one transaction: the cost of its sync is shared by many, and other writers wait some 20 ms at most. */
const PER_WRITE = 250

/** Takes changed sections of notes in as edits. */
export type TakeSections = (importing: Importing, found: ImportedSections) => Promise<void>

/** An import has these parts, which its stages share. */
export interface Importing {
  readonly engine: Engine
  readonly context: CallContext
  readonly format: ImportFormat
  /** The owner vouches for the file: its classes, identity and evidence count as it says. */
  readonly trusted: boolean
  /** The import only reads, and writes nothing. */
  readonly dryRun: boolean
  readonly tally: Tally
  /** Ids of the blocks that the first text of each key has, or would have in a dry run. */
  readonly places: Map<string, string>
}

function importTag(format: ImportFormat): string {
  return `imported/${format}`
}

type ImportRequest = Pick<Importing, 'dryRun' | 'trusted'> & {
  readonly path: string
  readonly format: OpenedImport['format'] | 'auto'
  readonly archived: boolean
}

/** The result of an import has its counts, also for a dry run. */
export interface ImportedFrom {
  readonly format: OpenedImport['format']
  readonly tally: Tally
  /** Number of a log entry that stands for the whole import; absent if nothing was written. */
  readonly operationId: number | undefined
}

/**
 * Imports the memory of another program: texts in transactions of 250, then the links among the texts. Each transaction is
 * whole, and all are one run that `undo` takes back. After any interruption, the same call adds the missing rest.
 *
 * @throws `NOT_FOUND`, `INVALID_INPUT`, `LIMIT_EXCEEDED`, `CANCELLED` and the errors of the store
 */
export async function importFrom(
  engine: Engine,
  given: CallContext,
  { path, format, archived, dryRun, trusted }: ImportRequest,
  takeSections: TakeSections,
): Promise<ImportedFrom> {
  const run = engine.ids.random()
  const context: CallContext = { ...given, run }
  const importers = await engine.importers()
  const mostBytes = engine.settings.limits.importBytes
  const opened = await importers.open({ path, format, archived, mostBytes, signal: context.signal })
  const tally = new Tally()
  const places = new Map<string, string>()
  const importing = { engine, context, format: opened.format, trusted, dryRun, tally, places }
  try {
    const links = await takeAllTexts(importing, opened, takeSections)
    await joinAll(importing, links)
    const [entry] = dryRun
      ? []
      : await engine.store.read((tx) => tx.queries.operations({ run, operation: 'import_from', limit: 1 }))
    return { format: opened.format, tally, operationId: entry?.id }
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

/** Reads the file to its end and takes its texts in; returns its links. */
async function takeAllTexts(importing: Importing, opened: OpenedImport, takeSections: TakeSections) {
  const { context, dryRun, tally } = importing
  const links: ImportedLink[] = []
  const waiting: Prepared[] = []
  const add = async (text: ImportedText) => {
    for (const prepared of await prepare(importing, text)) waiting.push(prepared)
    while (waiting.length >= PER_WRITE) await write()
  }
  const write = async () => {
    if (context.signal?.aborted) throw new ElfmemError('CANCELLED', 'It was cancelled.', { recovery: '' })
    await takeTexts(importing, waiting.splice(0, PER_WRITE))
    await nextTurn()
    const done = tally.created + tally.known
    const total = done + waiting.length
    context.progress?.({ stage: dryRun ? 'reading' : 'importing', done, total, isKept: true })
  }
  let read = 0
  for await (const each of opened.read()) {
    read += 1
    if (read % 1_000 === 0) await nextTurn()
    if (each.kind === 'left') tally.leave(each)
    else if (each.kind === 'link') links.push(each)
    else if (each.kind === 'sections') await takeSections(importing, each)
    else await add(each)
  }
  if (waiting.length > 0) await write()
  return links
}

/**
 * Returns the blocks that a text would become: one, several if it is long, none if it has no words or only refused secrets. Class, identity
 * and evidence of a file count only as far as the import is trusted.
 */
async function prepare(importing: Importing, text: ImportedText): Promise<Prepared[]> {
  const { engine, tally } = importing
  const given = storable(text.content)
  const parted = partedFromShown(engine, given)
  tally.leftOut = sumLeftOut([tally.leftOut, parted?.leftOut])
  if (parted?.own === '') return []
  const content = parted?.own ?? given
  if (normaliseContent(content) === '') {
    tally.leave({ what: 'entries without words', why: 'there is nothing to keep', example: text.place })
    return []
  }
  const { id, evidence, ...fields } = fieldsOf(importing, text)
  const { cue, source, session, tags } = fields
  const prepared: Prepared[] = []
  for (const part of await partsOf(engine, text, content)) {
    const words = defined({ content: part, cue, source, session, tags })
    const clean = await withoutSecrets(importing, words, text.place)
    if (clean === undefined) {
      tally.leave({ what: 'texts', why: WITH_SECRETS, example: text.place })
      continue
    }
    // Fields of the whole text go with its first part.
    const isFirst = prepared.length === 0
    const draft = { ...fields, content: part, ...clean, ...(isFirst ? defined({ id, evidence }) : {}) }
    prepared.push({ draft, place: storable(text.place), key: isFirst ? text.key : undefined })
  }
  return prepared
}

/** Returns the text itself, or its chunks if it is too long for a block; a text that was one block there is one here. */
async function partsOf(
  { chunker, settings: { memory } }: Engine,
  { category, id }: ImportedText,
  content: string,
): Promise<string[]> {
  // A block is found by its beginning, so that a text of more than four chunks is cut, and a document in any case.
  const most = memory.chunkTokens * (category === 'document' ? 1 : 4)
  const fits = (text: string) => Buffer.byteLength(text) <= memory.maxContentBytes
  if (fits(content) && (id !== undefined || estimateTokens(content) <= most)) return [content]
  return (await chunker.chunks(content, memory.chunkTokens)).map(({ text }) => text).filter(fits)
}

function fieldsOf(importing: Importing, text: ImportedText): Omit<Draft, 'content'> {
  const { engine, context, format, trusted, tally } = importing
  const spelledCategory = text.category && attempt(() => normaliseCategory(text.category ?? ''))
  // An item forgets texts of its own category, so that imported texts never have it.
  const category = spelledCategory && spelledCategory !== ITEM ? spelledCategory : DEFAULT_CATEGORY
  const label = `import: ${format} ${storable(text.place)}`
  const given = text.tags ?? []
  const spelled = given.flatMap((tag) => attempt(() => normaliseTag(storable(tag))) ?? [])
  const claimed = { category, tags: spelled, ...defined({ sourceClass: text.speaker, source: text.source }) }
  const sourceClass = trusted ? claimedClass(engine, context, claimed) : 'import'
  const tags = spelled.filter((tag) => mayKeep(tag, sourceClass))
  const distinct = [...new Set([importTag(format), ...tags])]
  // A file that nobody vouches for may claim only a few reports.
  const most = trusted ? 1_000_000 : 5
  const evidence = { successes: bounded(text.successes, most), failures: bounded(text.failures, most) }
  tally.leave({ what: 'tags', why: 'only a trusted import brings them', many: spelled.length - tags.length })
  tally.leave({ what: 'tags', why: 'they are empty or too long', many: given.length - spelled.length })
  const tooMany = Math.max(0, distinct.length - TAGS_MOST)
  tally.leave({ what: 'tags', why: `a block has at most ${TAGS_MOST}`, many: tooMany })
  return {
    tags: distinct.slice(0, TAGS_MOST).sort(),
    category,
    source: shortened(trusted ? storable(text.source ?? label) : label, 256).trim(),
    sourceClass,
    ...defined({
      cue: preview(storable(text.cue ?? ''), 200) || undefined,
      session: shortened(storable(text.session ?? ''), 128).trim() || undefined,
      occurredAt: claimedInstant(tally, text.at),
      // The ids of a scope depend on its name, too.
      id:
        text.id !== undefined && /^[0-9a-f]{16}$/.test(text.id) && engine.scope === undefined
          ? text.id
          : undefined,
      evidence: evidence.successes + evidence.failures === 0 ? undefined : evidence,
    }),
  }
}

/** Returns true if a block may have a tag: identity is for words that the owner vouches for, peer tags for words of peers. */
function mayKeep(tag: string, sourceClass: SourceClass): boolean {
  if (isIdentityTag(tag)) return isOwn({ sourceClass })
  return !isProtectedTag(tag) || (tagNamespace(tag) === 'peer' && sourceClass === 'peer')
}

/** The relation of a text to the memory. */
interface Standing {
  /** `known`: a block has the text, or an archived or edited block had it. */
  readonly how: 'new' | 'known'
  /** Id of the block that has or had the text, if there is one. */
  readonly blockId?: string | undefined
  /** The place in the batch of an earlier text with the same words. */
  readonly first?: number
}

/** Returns the standing of each of some texts. Runs at most two statements. */
async function standingsOf(
  { engine, format }: Importing,
  tx: ReadTransaction,
  texts: readonly Prepared[],
): Promise<Standing[]> {
  const { sha256 } = engine.ids
  const drafts = texts.map(({ draft }) => draft)
  const said = drafts.map((draft) => textOf(engine, draft))
  const living = new Map((await readSameTexts(tx, said)).map((block) => [meetingKey(block), block]))
  const lives = said.map((text, at) => [
    drafts[at]?.id ?? '',
    firstId(text, sha256),
    ...otherIds(text, sha256),
  ])
  const holders = await blocksById(tx, [...new Set(lives.flat())])
  const first = new Map<string, number>()
  return drafts.map((draft, at): Standing => {
    const key = meetingKey(draft)
    const same = living.get(key)
    if (same !== undefined) return { how: 'known', blockId: same.id }
    const held = lives[at]?.map((id) => holders.get(id)) ?? []
    const former = formerOf(draft.content, held, importTag(format))
    if (former !== undefined) return { how: 'known', blockId: former.id }
    const before = first.get(key)
    if (before !== undefined) return { how: 'known', first: before }
    first.set(key, at)
    return { how: 'new' }
  })
}

/**
 * Returns the former block of a text, from those with its given, its first and its later ids: archived with these words, or edited since. A
 * block that has the id by chance, or by a crafted file, is not meant.
 */
function formerOf(content: string, held: readonly (Block | undefined)[], tag: string): Block | undefined {
  const archived = held.find((block) => block?.status === 'archived' && isSameText(block.content, content))
  if (archived !== undefined) return archived
  const isEdited = (block: Block | undefined) =>
    block?.tags.includes(tag) === true && normaliseContent(block.content) !== normaliseContent(content)
  return held.slice(0, 2).find(isEdited)
}

/**
 * Takes texts in, in one transaction; writes nothing if all are known, or in a dry run. An import adds nothing to a known block, so the
 * same file can be imported at any time. Evidence comes with a new block or not at all. A dry run gives new texts the ids that they would
 * have.
 */
async function takeTexts(importing: Importing, texts: readonly Prepared[]): Promise<void> {
  const { engine, context, format, dryRun } = importing
  const looked = await engine.store.read((tx) => standingsOf(importing, tx, texts))
  if (dryRun) {
    const ids = texts.map(({ draft }) => draft.id ?? firstId(textOf(engine, draft), engine.ids.sha256))
    const placed = looked.map((each, at) => (each.how === 'new' ? { ...each, blockId: ids[at] } : each))
    return note(importing, texts, placed)
  }
  if (looked.every(({ how }) => how !== 'new')) return note(importing, texts, looked)
  await mutate(engine, context, async (mutation) => {
    // Another process may have written since.
    const found = await standingsOf(importing, mutation.tx, texts)
    const fresh = texts.filter((_, at) => found[at]?.how === 'new')
    const drafts = fresh.map(({ draft }) => draft)
    const ids = (await admitAll(engine, mutation, { drafts, first: 0 })).map(({ block }) => block.id)
    await mutation.log({
      operation: 'import_from',
      blockIds: ids,
      summary: `${count(ids.length, 'new block')} of ${texts.length} from ${format}`,
      before: importing.tally.nextPart(),
    })
    const given = ids.values()
    const placed = found.map((each) => (each.how === 'new' ? { ...each, blockId: given.next().value } : each))
    note(importing, texts, placed)
  })
}

/** Counts texts, and keeps the block ids of those with a key. */
function note({ tally, places }: Importing, texts: readonly Prepared[], found: readonly Standing[]): void {
  for (const [at, prepared] of texts.entries()) {
    const { how, first = at, blockId = found[first]?.blockId } = found[at] as Standing
    if (how === 'new') tally.created += 1
    else tally.known += 1
    if (prepared.key !== undefined && blockId !== undefined && !places.has(prepared.key))
      places.set(prepared.key, blockId)
  }
}

interface Placed extends Omit<ImportedLink, 'from' | 'to'> {
  readonly ends: Ends
  /** Id of the block that declared the link. */
  readonly by: string | undefined
}

/**
 * Joins blocks as the file says, or counts in a dry run the links that would be made if all blocks have room. An existing edge stays,
 * unless similarity alone made it, and blocks that were disconnected here stay apart.
 */
async function joinAll(importing: Importing, links: readonly ImportedLink[]): Promise<void> {
  const { engine, context, dryRun, tally } = importing
  const placed = placedIn(importing, links)
  for (let at = 0; at < placed.length; at += PER_WRITE) {
    const batch = placed.slice(at, at + PER_WRITE)
    const open = await engine.store.read((tx) => joinable(importing, tx, batch))
    if (dryRun) tally.linksMade += open.length
    else if (open.length > 0)
      await mutate(engine, context, (mutation) => joinBatch(importing, mutation, open))
    await nextTurn()
    const done = Math.min(at + PER_WRITE, placed.length)
    if (!dryRun) context.progress?.({ stage: 'joining', done, total: placed.length })
  }
}

async function joinBatch(importing: Importing, mutation: Mutation, links: readonly Placed[]): Promise<void> {
  const { engine, tally, format } = importing
  const { tx, moment, log } = mutation
  const ids = links.flatMap(({ ends }) => ends)
  const linker = await Linker.open(engine, mutation, ids, { heedDisconnections: true })
  const made: Edge[] = []
  for (const link of links) {
    const edge = await edgeOf(importing, link, moment)
    const before = linker.between(...link.ends)
    const admission = before === undefined ? linker.add(edge) : { admitted: true as const }
    if (!admission.admitted) tally.leave({ what: 'links', why: REFUSED[admission.because] })
    else made.push(edge)
    if (before !== undefined && isBySimilarity(before))
      linker.replace({ ...edge, createdAt: before.createdAt })
  }
  const { displaced } = await linker.save(tx)
  const disputes = made.filter(({ relation }) => relation === CONTRADICTS)
  const open = disputes.map((edge) => contradictionOf(edge, 'agent'))
  await savePairs(tx, open)
  await log({
    operation: 'import_from',
    blockIds: [...new Set(made.flatMap(({ from, to }) => [from, to]))],
    summary: `${count(made.length, 'connection')} from ${format}`,
    before: { ...tally.nextPart(), displaced },
  })
  tally.linksMade += made.length
}

const REFUSED = {
  no_room: 'a block has no room for more connections (memory.edgeDegreeCap)',
  disconnected: 'they were disconnected here',
} as const

/** Returns the links whose ends are two different blocks, one for each pair. */
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

/** Returns the links that may be made. A file that is not trusted joins only imported blocks, so that it moves no other blocks. */
async function joinable(
  { format, trusted, dryRun, tally }: Importing,
  tx: ReadTransaction,
  links: readonly Placed[],
): Promise<Placed[]> {
  const ids = [...new Set(links.flatMap(({ ends }) => ends))]
  const blocks = await blocksById(tx, ids)
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
    return edge === undefined || isBySimilarity(edge)
  })
}

function isBySimilarity({ origin, relation, note }: Edge): boolean {
  return origin === 'similarity' && relation === 'similar' && note === undefined
}

async function edgeOf(importing: Importing, link: Placed, { at, hours }: Moment): Promise<Edge> {
  const [from, to] = link.ends
  const relation = attempt(() => normaliseRelation(storable(link.relation))) ?? 'related'
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

/** The reason for leaving out texts that `withoutSecrets` refuses. */
const WITH_SECRETS = 'they hold what looks like a secret (memory.secrets)'

/** Returns words without the secrets in them, which the tally names; undefined if `memory.secrets` refuses the words. */
async function withoutSecrets<T>(
  { engine, tally }: Importing,
  words: T,
  place?: string,
): Promise<T | undefined> {
  try {
    const { input, redacted } = await guardSecrets(words, engine.settings.memory.secrets)
    const at = place === undefined ? '' : `${shortened(place, 128)}: `
    tally.redact(redacted.map((each) => ({ ...each, field: `${at}${each.field}` })))
    return input
  } catch (error) {
    if (!ElfmemError.is(error) || error.code !== 'SECRET_REFUSED') throw error
    return undefined
  }
}
