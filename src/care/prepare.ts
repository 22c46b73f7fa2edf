import { DEFAULT_CATEGORY, normaliseCategory } from '../block/category.ts'
import { ITEM } from '../block/kept-as-said.ts'
import { isOwn, type SourceClass } from '../block/source-class.ts'
import { isIdentityTag, isProtectedTag, normaliseTag, TAGS_MOST, tagNamespace } from '../block/tags.ts'
import { defined, estimateTokens, normaliseContent, preview, shortened } from '../block/text.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import type { ImportedText, ImportFormat } from '../engine/importers.ts'
import { attempt, ElfmemError } from '../errors.ts'
import type { Draft } from '../intake/admit.ts'
import { claimedClass } from '../intake/caller.ts'
import { partedFromShown, sumLeftOut } from '../intake/echo.ts'
import { guardSecrets } from '../intake/guard-secrets.ts'
import { claimedInstant } from './claimed-instant.ts'
import { storable } from './storable.ts'
import type { Prepared, Tally } from './tally.ts'

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
