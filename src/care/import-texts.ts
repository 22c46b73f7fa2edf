import { type Block, DEFAULT_CATEGORY, firstId, ITEM, normaliseCategory, otherIds } from '../block/block.ts'
import { isSameText } from '../block/same-text.ts'
import { isOwn, type SourceClass } from '../block/source-class.ts'
import { isIdentityTag, isProtectedTag, normaliseTag, TAGS_MOST, tagNamespace } from '../block/tags.ts'
import { count, defined, estimateTokens, normaliseContent, preview, shortened } from '../block/text.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import type { ImportedText, ImportFormat } from '../engine/importers.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { attempt, ElfmemError } from '../errors.ts'
import { IMPORT_FROM } from '../history/undone.ts'
import { meetingKey, textOf } from '../intake/admit.ts'
import { admitAll } from '../intake/admit-all.ts'
import { claimedClass } from '../intake/caller.ts'
import { guardSecrets } from '../intake/check-input.ts'
import type { Draft } from '../intake/draft.ts'
import { partedFromShown, sumLeftOut } from '../intake/echo.ts'
import { BELIEF, confidenceOf } from '../outcome/formulas.ts'
import { readBlocks, readSameTexts } from '../store/blocks.ts'
import { appendOutcomes, type OutcomeRecord } from '../store/log.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { claimedInstant, type Prepared, storable, type Tally } from './importing.ts'

/** Longest source and session, in code points, as `remember` takes them. */
const SOURCE_MOST = 256
const SESSION_MOST = 128
const CUE_MOST = 200
/** A text of more chunks than this is cut into them, since a block is found by its beginning. */
const CHUNKS_WHOLE = 4
/** Category of texts that are cut in any case. */
const DOCUMENT = 'document'
/** Reports for or against a block that a file of somebody else may claim, and that any file may. */
const EVIDENCE_MOST = { untrusted: 5, trusted: 1_000_000 }
const ID = /^[0-9a-f]{16}$/

/** An import, as its stages see it. */
export interface Importing {
  readonly engine: Engine
  readonly context: CallContext
  readonly format: ImportFormat
  /** The owner vouches for the file. */
  readonly trusted: boolean
  readonly tally: Tally
}

/** The tag of all blocks that came from a format. */
export function importTag(format: ImportFormat): string {
  return `imported/${format}`
}

/**
 * The blocks that a text would become: one, several if it is long, none if it has no words or a secret that is refused. What a
 * file says of class, identity and evidence counts only as far as the import is trusted.
 */
export async function prepare(importing: Importing, text: ImportedText): Promise<Prepared[]> {
  const { engine, tally } = importing
  const given = storable(text.content)
  const parted = partedFromShown(engine, given)
  tally.leftOut = sumLeftOut([tally.leftOut, parted?.leftOut])
  const content = parted?.own ?? given
  if (parted?.own === '') return []
  if (normaliseContent(content) === '') {
    tally.leave({ what: 'entries without words', why: 'there is nothing to keep', example: text.place })
    return []
  }
  const common = fieldsOf(importing, text)
  const parts = isLong(engine, text, content) ? await partsOf(engine, content) : [content]
  const prepared: Prepared[] = []
  for (const [at, part] of parts.entries()) {
    const draft = await withoutSecrets(importing, { ...common, content: part }, text.place)
    if (draft === undefined) continue
    const isFirst = at === 0
    const { evidence, id, ...rest } = draft
    prepared.push({
      draft: isFirst ? draft : rest,
      place: storable(text.place),
      key: isFirst ? text.key : undefined,
      outcomes: isFirst ? (text.outcomes ?? []) : [],
    })
  }
  return prepared
}

function isLong({ settings: { memory } }: Engine, { category, id }: ImportedText, content: string): boolean {
  if (Buffer.byteLength(content) > memory.maxContentBytes) return true
  // What was one block there is one here.
  if (id !== undefined) return false
  const tokens = estimateTokens(content)
  return tokens > memory.chunkTokens * (category === DOCUMENT ? 1 : CHUNKS_WHOLE)
}

async function partsOf({ chunker, settings: { memory } }: Engine, content: string): Promise<string[]> {
  const chunks = await chunker.chunks(content, memory.chunkTokens)
  return chunks.map(({ text }) => text).filter((text) => Buffer.byteLength(text) <= memory.maxContentBytes)
}

function fieldsOf(importing: Importing, text: ImportedText): Omit<Draft, 'content'> {
  const { engine, format, trusted, tally } = importing
  const category = categoryOf(text.category)
  const label = `import: ${format} ${storable(text.place)}`
  const source = shortened(trusted ? storable(text.source ?? label) : label, SOURCE_MOST).trim()
  const given = text.tags ?? []
  const spelled = given.flatMap((tag) => attempt(() => normaliseTag(storable(tag))) ?? [])
  const sourceClass = classOf(importing, { text, category, tags: spelled })
  const tags = spelled.filter((tag) => mayKeep(tag, sourceClass))
  tally.tagsDropped += spelled.length - tags.length
  const unspelled = given.length - spelled.length
  if (unspelled > 0) tally.leave({ what: 'tags', why: 'they are empty or too long', many: unspelled })
  const distinct = [...new Set([importTag(format), ...tags])]
  const tooMany = distinct.length - TAGS_MOST
  if (tooMany > 0) tally.leave({ what: 'tags', why: `a block has at most ${TAGS_MOST}`, many: tooMany })
  const occurredAt = claimedInstant(tally, text.at)
  const session = shortened(storable(text.session ?? ''), SESSION_MOST).trim()
  const cue = preview(storable(text.cue ?? ''), CUE_MOST)
  return {
    tags: distinct.slice(0, TAGS_MOST).sort(),
    category,
    source,
    sourceClass,
    ...defined({
      cue: cue || undefined,
      session: session || undefined,
      occurredAt,
      // The ids of a scope are made of its name, too.
      id: text.id !== undefined && ID.test(text.id) && engine.scope === undefined ? text.id : undefined,
      evidence: evidenceOf(text, trusted),
    }),
  }
}

interface Claimed {
  readonly text: ImportedText
  readonly category: string
  readonly tags: readonly string[]
}

function classOf({ engine, context, trusted }: Importing, { text, category, tags }: Claimed): SourceClass {
  if (!trusted) return 'import'
  const { speaker: sourceClass, source } = text
  return claimedClass(engine, context, { category, tags, ...defined({ sourceClass, source }) })
}

/** Identity is for words that the owner vouches for, and the tags of peers for what peers said. */
function mayKeep(tag: string, sourceClass: SourceClass): boolean {
  if (isIdentityTag(tag)) return isOwn({ sourceClass })
  return !isProtectedTag(tag) || (tagNamespace(tag) === 'peer' && sourceClass === 'peer')
}

/** An item lets go of the texts of its own category. */
function categoryOf(given: string | undefined): string {
  const category = given === undefined ? undefined : attempt(() => normaliseCategory(given))
  return category === undefined || category === ITEM ? DEFAULT_CATEGORY : category
}

function evidenceOf({ successes, failures }: ImportedText, trusted: boolean): Draft['evidence'] {
  const most = trusted ? EVIDENCE_MOST.trusted : EVIDENCE_MOST.untrusted
  const bounded = (value = 0) => (Number.isFinite(value) ? Math.min(most, Math.max(0, value)) : 0)
  const evidence = { successes: bounded(successes), failures: bounded(failures) }
  return evidence.successes + evidence.failures === 0 ? undefined : evidence
}

async function withoutSecrets(
  { engine, tally }: Importing,
  draft: Draft,
  place: string,
): Promise<Draft | undefined> {
  const { content, cue, source, session, tags } = draft
  const words = defined({ content, cue, source, session, tags })
  try {
    const { input, redacted } = await guardSecrets(words, engine.settings.memory.secrets)
    tally.redact(
      redacted.map((each) => ({ ...each, field: `${shortened(place, SESSION_MOST)}: ${each.field}` })),
    )
    return { ...draft, ...input }
  } catch (error) {
    if (!ElfmemError.is(error) || error.code !== 'SECRET_REFUSED') throw error
    tally.leave({ what: 'texts', why: 'they hold what looks like a secret (memory.secrets)', example: place })
    return undefined
  }
}

/**
 * How a text stands to the memory: it is new; a block says it; a text before it in the batch says it; or a block said it and
 * is archived, or says something else by now.
 */
export type Standing =
  | { readonly how: 'new' }
  | { readonly how: 'known' | 'moved on'; readonly blockId: string }
  | { readonly how: 'again'; readonly at: number }

/** The standing of each of some texts. At most two statements. */
export async function standingsOf(
  { engine, format }: Importing,
  tx: ReadTransaction,
  texts: readonly Prepared[],
): Promise<Standing[]> {
  const { sha256 } = engine.ids
  const drafts = texts.map(({ draft }) => draft)
  const said = drafts.map((draft) => textOf(engine, draft))
  const living = new Map((await readSameTexts(tx, said)).map((block) => [meetingKey(block), block]))
  const lives = said.map((text) => [firstId(text, sha256), ...otherIds(text, sha256)])
  const wanted = new Set([...lives.flat(), ...drafts.flatMap(({ id }) => id ?? [])])
  const holders = new Map((await readBlocks(tx, [...wanted])).map((block) => [block.id, block]))
  const first = new Map<string, number>()
  const found: Standing[] = []
  for (const [at, draft] of drafts.entries()) {
    const key = meetingKey(draft)
    const same = living.get(key)
    const former = formerOf(draft, { lives: lives[at] ?? [], holders, tag: importTag(format) })
    const before = first.get(key)
    if (same !== undefined) found.push({ how: 'known', blockId: same.id })
    else if (former !== undefined) found.push({ how: 'moved on', blockId: former.id })
    else if (before !== undefined) found.push({ how: 'again', at: before })
    else {
      first.set(key, at)
      found.push({ how: 'new' })
    }
  }
  return found
}

interface Lives {
  /** The ids that a text gets, one life after the other. */
  readonly lives: readonly string[]
  readonly holders: ReadonlyMap<string, Block>
  /** The tag of what came from this format. */
  readonly tag: string
}

/**
 * The block that a text was: archived with these words, or edited since. Who has the id by chance, or by a crafted file, is
 * none.
 */
function formerOf({ id, content }: Draft, { lives, holders, tag }: Lives): Block | undefined {
  const archived = [id ?? '', ...lives]
    .flatMap((each) => holders.get(each) ?? [])
    .find((block) => block.status === 'archived' && isSameText(block.content, content))
  if (archived !== undefined) return archived
  const isEdited = (block: Block | undefined) =>
    block?.tags.includes(tag) === true && normaliseContent(block.content) !== normaliseContent(content)
  return [id ?? '', lives[0] ?? ''].flatMap((each) => holders.get(each) ?? []).find(isEdited)
}

/** Signs of the source of a report. */
const REPORT_SOURCE_MOST = 128

/** Where the first text of each key is. */
export type Places = Map<string, string>

/**
 * Takes texts in, in one transaction; nothing is written when all are known. What is known stays as it is: an import adds
 * nothing to a block that was there, so the same file can be taken in at any time. Evidence and reports come with their
 * block or not at all.
 *
 * @param places gains where the texts are
 */
export async function takeTexts(
  importing: Importing,
  texts: readonly Prepared[],
  places: Places,
): Promise<void> {
  const { engine, context, format } = importing
  const looked = await engine.store.read((tx) => standingsOf(importing, tx, texts))
  if (looked.every(({ how }) => how !== 'new'))
    return note(importing, { texts, found: looked, ids: [] }, places)
  await mutate(engine, context, async (mutation) => {
    // Another process may have written since.
    const found = await standingsOf(importing, mutation.tx, texts)
    const fresh = texts.filter((_, at) => found[at]?.how === 'new')
    const drafts = fresh.map(({ draft }) => draft)
    const ids = (await admitAll(engine, mutation, { drafts, first: 0 })).map(({ block }) => block.id)
    await keepOutcomes(importing, mutation, { fresh, ids })
    await mutation.log({
      operation: IMPORT_FROM,
      blockIds: ids,
      summary: `${count(ids.length, 'new block')} of ${texts.length} from ${format}`,
      before: importing.tally.nextPart(),
    })
    note(importing, { texts, found, ids }, places)
  })
}

/**
 * Says what would become of texts, and writes nothing.
 *
 * @param seen the ids that texts before would have; gains those of these
 */
export async function lookAtTexts(
  importing: Importing,
  texts: readonly Prepared[],
  { places, seen }: { readonly places: Places; readonly seen: Set<string> },
): Promise<void> {
  const { engine } = importing
  const looked = await engine.store.read((tx) => standingsOf(importing, tx, texts))
  const ids: string[] = []
  const found = looked.map((standing, at): Standing => {
    const { draft } = texts[at] as Prepared
    const blockId = draft.id ?? firstId(textOf(engine, draft), engine.ids.sha256)
    if (standing.how === 'new' && seen.has(blockId)) return { how: 'known', blockId }
    if (standing.how === 'new') ids.push(blockId)
    seen.add(blockId)
    return standing
  })
  note(importing, { texts, found, ids }, places)
}

interface Placed {
  readonly texts: readonly Prepared[]
  readonly found: readonly Standing[]
  /** Of the new ones, in their order. */
  readonly ids: readonly string[]
}

function note({ tally }: Importing, { texts, found, ids }: Placed, places: Places): void {
  let fresh = 0
  const placed = found.map((standing) => {
    if (standing.how === 'new') return ids[fresh++]
    return standing.how === 'again' ? undefined : standing.blockId
  })
  for (const [at, prepared] of texts.entries()) {
    const standing = found[at] as Standing
    tally.texts += 1
    if (standing.how === 'new') tally.add(prepared)
    else if (standing.how === 'moved on') tally.movedOn += 1
    else tally.known += 1
    const blockId = placed[standing.how === 'again' ? standing.at : at]
    if (prepared.key !== undefined && blockId !== undefined && !places.has(prepared.key))
      places.set(prepared.key, blockId)
  }
}

interface Fresh {
  readonly fresh: readonly Prepared[]
  readonly ids: readonly string[]
}

/** Reports that led to the evidence of new blocks; those of other files say only that somebody reported. */
async function keepOutcomes(
  { engine, tally }: Importing,
  { tx, moment }: Mutation,
  { fresh, ids }: Fresh,
): Promise<void> {
  const records: OutcomeRecord[] = []
  for (const [at, { draft, outcomes }] of fresh.entries()) {
    const confidence = confidenceOf(draft.evidence ?? { successes: 0, failures: 0 })
    for (const { signal, weight, source, at: when } of outcomes) {
      const { input, redacted } = await guardSecrets(
        { source: storable(source) },
        engine.settings.memory.secrets,
      ).catch(() => ({ input: { source: '' }, redacted: [] }))
      tally.redact(redacted)
      records.push({
        blockId: ids[at] as string,
        signal: within(signal, 1),
        weight: within(weight, 100),
        source: shortened(input.source, REPORT_SOURCE_MOST),
        confidenceBefore: confidence,
        confidenceAfter: confidence,
        at: claimedInstant(tally, when) ?? moment.at,
      })
    }
  }
  if (records.length > 0) await appendOutcomes(tx, records, BELIEF.reportsKept)
}

function within(value: number, most: number): number {
  return Number.isFinite(value) ? Math.min(most, Math.max(0, value)) : 0
}
