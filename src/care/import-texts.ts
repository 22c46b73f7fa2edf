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
import type { Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import type { ImportedText } from '../engine/ports.ts'
import { attempt } from '../errors.ts'
import { IMPORT_FROM } from '../history/undone.ts'
import { admitAll, type Draft, meetingKey, textOf } from '../intake/admit.ts'
import { claimedClass } from '../intake/check-input.ts'
import { partedFromShown, sumLeftOut } from '../intake/echo.ts'
import { BELIEF, confidenceOf } from '../outcome/formulas.ts'
import { readBlocks, readSameTexts } from '../store/blocks.ts'
import { appendOutcomes, type OutcomeRecord } from '../store/log.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import {
  bounded,
  claimedInstant,
  type Importing,
  importTag,
  type Prepared,
  storable,
  WITH_SECRETS,
  withoutSecrets,
} from './importing.ts'

/** Longest source and session, in code points, as `remember` takes them. */
const SOURCE_MOST = 256
const SESSION_MOST = 128
const CUE_MOST = 200
/** Signs of the source of a report. */
const REPORT_SOURCE_MOST = 128
/** A text of more chunks than this is cut into them, since a block is found by its beginning. */
const CHUNKS_WHOLE = 4
/** Category of texts that are cut in any case. */
const DOCUMENT = 'document'
/** Reports for or against a block that a file of somebody else may claim, and that any file may. */
const EVIDENCE_MOST = { untrusted: 5, trusted: 1_000_000 }
const ID = /^[0-9a-f]{16}$/

/**
 * The blocks that a text would become: one, several if it is long, none if it has no words or a secret that is refused. What a
 * file says of class, identity and evidence counts only as far as the import is trusted.
 */
export async function prepare(importing: Importing, text: ImportedText): Promise<Prepared[]> {
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
    const draft = { ...fields, content: part, ...clean }
    if (clean !== undefined)
      prepared.push({ draft, place: storable(text.place), key: undefined, outcomes: [] })
    else tally.leave({ what: 'texts', why: WITH_SECRETS, example: text.place })
  }
  // Fields of the whole text go with its first part.
  return prepared.map((each, at) =>
    at > 0
      ? each
      : {
          ...{ place: each.place, key: text.key, outcomes: text.outcomes ?? [] },
          draft: { ...each.draft, ...defined({ id, evidence }) },
        },
  )
}

/** The text itself, or the chunks of one that is too long for a block; what was one block there is one here. */
async function partsOf(
  { chunker, settings: { memory } }: Engine,
  { category, id }: ImportedText,
  content: string,
): Promise<string[]> {
  const most = memory.chunkTokens * (category === DOCUMENT ? 1 : CHUNKS_WHOLE)
  const fits = (text: string) => Buffer.byteLength(text) <= memory.maxContentBytes
  if (fits(content) && (id !== undefined || estimateTokens(content) <= most)) return [content]
  return (await chunker.chunks(content, memory.chunkTokens)).map(({ text }) => text).filter(fits)
}

function fieldsOf(importing: Importing, text: ImportedText): Omit<Draft, 'content'> {
  const { engine, context, format, trusted, tally } = importing
  const spelledCategory = text.category && attempt(() => normaliseCategory(text.category ?? ''))
  // An item lets go of the texts of its own category.
  const category = spelledCategory && spelledCategory !== ITEM ? spelledCategory : DEFAULT_CATEGORY
  const label = `import: ${format} ${storable(text.place)}`
  const given = text.tags ?? []
  const spelled = given.flatMap((tag) => attempt(() => normaliseTag(storable(tag))) ?? [])
  const claimed = { category, tags: spelled, ...defined({ sourceClass: text.speaker, source: text.source }) }
  const sourceClass = trusted ? claimedClass(engine, context, claimed) : 'import'
  const tags = spelled.filter((tag) => mayKeep(tag, sourceClass))
  const distinct = [...new Set([importTag(format), ...tags])]
  const most = EVIDENCE_MOST[trusted ? 'trusted' : 'untrusted']
  const evidence = { successes: bounded(text.successes, most), failures: bounded(text.failures, most) }
  tally.tagsDropped += spelled.length - tags.length
  tally.leave({ what: 'tags', why: 'they are empty or too long', many: given.length - spelled.length })
  const tooMany = Math.max(0, distinct.length - TAGS_MOST)
  tally.leave({ what: 'tags', why: `a block has at most ${TAGS_MOST}`, many: tooMany })
  return {
    tags: distinct.slice(0, TAGS_MOST).sort(),
    category,
    source: shortened(trusted ? storable(text.source ?? label) : label, SOURCE_MOST).trim(),
    sourceClass,
    ...defined({
      cue: preview(storable(text.cue ?? ''), CUE_MOST) || undefined,
      session: shortened(storable(text.session ?? ''), SESSION_MOST).trim() || undefined,
      occurredAt: claimedInstant(tally, text.at),
      // The ids of a scope are made of its name, too.
      id: text.id !== undefined && ID.test(text.id) && engine.scope === undefined ? text.id : undefined,
      evidence: evidence.successes + evidence.failures === 0 ? undefined : evidence,
    }),
  }
}

/** Identity is for words that the owner vouches for, and the tags of peers for what peers said. */
function mayKeep(tag: string, sourceClass: SourceClass): boolean {
  if (isIdentityTag(tag)) return isOwn({ sourceClass })
  return !isProtectedTag(tag) || (tagNamespace(tag) === 'peer' && sourceClass === 'peer')
}

/** How a text stands to the memory. */
interface Standing {
  /** `moved on`: a block said it and is archived, or says something else by now. */
  readonly how: 'new' | 'known' | 'moved on'
  /** The block that says or said it, if there is one. */
  readonly blockId?: string
  /** The place in the batch of the text that says it before this one. */
  readonly first?: number
}

/** The standing of each of some texts. At most two statements. */
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
  const holders = new Map(
    (await readBlocks(tx, [...new Set(lives.flat())])).map((block) => [block.id, block]),
  )
  const first = new Map<string, number>()
  return drafts.map((draft, at): Standing => {
    const key = meetingKey(draft)
    const same = living.get(key)
    if (same !== undefined) return { how: 'known', blockId: same.id }
    const held = lives[at]?.map((id) => holders.get(id)) ?? []
    const former = formerOf(draft.content, held, importTag(format))
    if (former !== undefined) return { how: 'moved on', blockId: former.id }
    const before = first.get(key)
    if (before !== undefined) return { how: 'known', first: before }
    first.set(key, at)
    return { how: 'new' }
  })
}

/**
 * The block that a text was: archived with these words, or edited since. A block that has the id by chance, or by a crafted
 * file, is another one.
 *
 * @param held the blocks at the ids that the text may have: its given one, its first one, and those of later lives
 */
function formerOf(content: string, held: readonly (Block | undefined)[], tag: string): Block | undefined {
  const archived = held.find((block) => block?.status === 'archived' && isSameText(block.content, content))
  if (archived !== undefined) return archived
  const isEdited = (block: Block | undefined) =>
    block?.tags.includes(tag) === true && normaliseContent(block.content) !== normaliseContent(content)
  return held.slice(0, 2).find(isEdited)
}

/**
 * Takes texts in, in one transaction; nothing is written when all are known, or in a dry run. What is known stays as it is: an
 * import adds nothing to a block that was there, so the same file can be taken in at any time. Evidence and reports come with
 * their block or not at all.
 *
 * @param seen in a dry run the ids that texts before would have; gains those of these
 */
export async function takeTexts(
  importing: Importing,
  texts: readonly Prepared[],
  seen: Set<string>,
): Promise<void> {
  const { engine, context, format, dryRun } = importing
  const looked = await engine.store.read((tx) => standingsOf(importing, tx, texts))
  if (dryRun) {
    const found = looked.map((standing, at): Standing => {
      const { draft } = texts[at] as Prepared
      const blockId = draft.id ?? firstId(textOf(engine, draft), engine.ids.sha256)
      const isKnown = standing.how === 'new' && seen.has(blockId)
      seen.add(blockId)
      return isKnown ? { how: 'known', blockId } : standing.how === 'new' ? { how: 'new', blockId } : standing
    })
    return note(importing, texts, found)
  }
  if (looked.every(({ how }) => how !== 'new')) return note(importing, texts, looked)
  await mutate(engine, context, async (mutation) => {
    // Another process may have written since.
    const found = await standingsOf(importing, mutation.tx, texts)
    const fresh = texts.filter((_, at) => found[at]?.how === 'new')
    const drafts = fresh.map(({ draft }) => draft)
    const ids = (await admitAll(engine, mutation, { drafts, first: 0 })).map(({ block }) => block.id)
    await keepOutcomes(importing, mutation, fresh, ids)
    await mutation.log({
      operation: IMPORT_FROM,
      blockIds: ids,
      summary: `${count(ids.length, 'new block')} of ${texts.length} from ${format}`,
      before: importing.tally.nextPart(),
    })
    const given = ids.values()
    const placed = found.map((each) =>
      each.how === 'new' ? { ...each, ...defined({ blockId: given.next().value }) } : each,
    )
    note(importing, texts, placed)
  })
}

/** Counts texts, and keeps where those with a key are. */
function note({ tally, places }: Importing, texts: readonly Prepared[], found: readonly Standing[]): void {
  for (const [at, prepared] of texts.entries()) {
    const { how, first = at, blockId = found[first]?.blockId } = found[at] as Standing
    tally.texts += 1
    if (how === 'new') tally.add(prepared)
    else if (how === 'moved on') tally.movedOn += 1
    else tally.known += 1
    if (prepared.key !== undefined && blockId !== undefined && !places.has(prepared.key))
      places.set(prepared.key, blockId)
  }
}

/** Keeps the reports that led to the evidence of new blocks; those of other files say only that somebody reported. */
async function keepOutcomes(
  importing: Importing,
  { tx, moment }: Mutation,
  fresh: readonly Prepared[],
  ids: readonly string[],
): Promise<void> {
  const records: OutcomeRecord[] = []
  for (const [at, { draft, outcomes }] of fresh.entries()) {
    const confidence = confidenceOf(draft.evidence ?? { successes: 0, failures: 0 })
    for (const { signal, weight, source, at: when } of outcomes) {
      const clean = await withoutSecrets(importing, { source: storable(source) })
      records.push({
        blockId: ids[at] as string,
        signal: bounded(signal, 1),
        weight: bounded(weight, 100),
        source: shortened(clean?.source ?? '', REPORT_SOURCE_MOST),
        confidenceBefore: confidence,
        confidenceAfter: confidence,
        at: claimedInstant(importing.tally, when) ?? moment.at,
      })
    }
  }
  if (records.length > 0) await appendOutcomes(tx, records, BELIEF.reportsKept)
}
