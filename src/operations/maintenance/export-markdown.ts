import { join } from 'node:path'
import { ITEM, tagNamespace } from '../../block/block.ts'
import { sectionOf } from '../../block/section.ts'
import { defined, preview, takeCodePoints } from '../../block/text.ts'
import { endOf, saidAt } from '../../block/validity.ts'
import { mustBeThere, noteCopyElsewhere } from '../../care/files-of.ts'
import type { CallContext, Engine } from '../../engine/engine.ts'
import type { Imported } from '../../engine/ports.ts'
import { ElfmemError } from '../../errors.ts'
import { pagesOf } from '../../store/records.ts'
import { blocks, EDGE } from '../../store/tables.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import { escapedJson } from '../wording.ts'

/** Signs of the hash of a section's words. */
const HASH_SIGNS = 16
/** Names that Windows keeps for devices, and folders in which no importer looks for notes. */
const RESERVED = /^(?:(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|node_modules$|__pycache__$)/
/** Folders within each other, and signs of a name: a file system takes 255 bytes. */
const LEVELS_MOST = 8
const NAME_SIGNS = 40

/** A block as a note has it, with the connections to other living blocks. */
interface NoteBlock {
  readonly id: string
  readonly content: string
  /** The tag or category of the note, and the facts for its front matter. */
  readonly key: Readonly<Record<'tag', string>> | Readonly<Record<'category', string>>
  readonly facts: Readonly<Record<string, unknown>>
  readonly links: { readonly to: string; readonly relation: string }[]
}

/**
 * Writes living blocks as notes into a folder: a block stands in the note of its first tag, or else in that of its category. Notes of an
 * earlier export are replaced or removed, unless they have words that the memory has not. Each note is whole at any time.
 */
export async function exportMarkdown(engine: Engine, context: CallContext, folder: string) {
  mustBeThere(engine)
  const { found, left } = await engine.store.read(livingBlocks)
  const former = await formerNotes(engine, context, folder, found)
  const notes = Map.groupBy(found.values(), ({ key }) => noteName(engine, Object.values(key)[0] ?? ''))
  let bytes = 0
  try {
    for (const [name, all] of notes) {
      if (context.signal?.aborted)
        throw new ElfmemError('CANCELLED', 'The export was cancelled.', {
          recovery: 'Call it again with the same folder; each note is whole.',
        })
      const replace = former.delete(name)
      bytes += await engine.texts.write(join(folder, name), linesOf(engine, all), { replace })
    }
    for (const name of former) await engine.texts.remove(join(folder, name))
  } finally {
    if (bytes > 0) await noteCopyElsewhere(engine, folder)
  }
  const links = [...found.values()].reduce((sum, each) => sum + each.links.length, 0)
  return { path: folder, bytes, blocks: found.size, records: found.size + links, files: notes.size, left }
}

/** Reads the living blocks by id, but for the texts of items, which belong to their items; counts the others. */
async function livingBlocks(tx: ReadTransaction) {
  const found = new Map<string, NoteBlock>()
  let left = 0
  for await (const page of pagesOf(tx.rows, blocks)) {
    const living = page.filter(({ status, category }) => status !== 'archived' && category !== ITEM)
    left += page.length - living.length
    for (const { id, content, category, tags, ...block } of living) {
      const tag = tags.find((each) => tagNamespace(each) !== 'imported')
      const { validFrom, sourceClass, status } = block
      const facts = {
        ...{ at: saidAt(block), class: sourceClass, category, tags },
        ...defined({ validFrom, validUntil: endOf(block), waiting: status === 'inbox' || undefined }),
      }
      found.set(id, { id, content, key: tag === undefined ? { category } : { tag }, facts, links: [] })
    }
  }
  for await (const page of pagesOf(tx.rows, EDGE))
    for (const { from, to, relation } of page) {
      if (!found.has(from) || !found.has(to)) continue
      found.get(from)?.links.push({ to, relation })
      found.get(to)?.links.push({ to: from, relation })
    }
  return { found, left }
}

/**
 * Returns the notes of an earlier export into a folder. Throws `CONFLICT` if one of them has words of a person that the memory has not:
 * they would be lost.
 */
async function formerNotes(
  engine: Engine,
  { signal }: CallContext,
  folder: string,
  found: ReadonlyMap<string, NoteBlock>,
): Promise<Set<string>> {
  const contents = new Set([...found.values()].map(({ content }) => content))
  const files = new Set<string>()
  const lost: string[] = []
  for await (const each of notesIn(engine, folder, signal)) {
    if (each.kind === 'text' && !contents.has(each.content)) lost.push(each.place)
    if (each.kind !== 'sections') continue
    for (const file of each.files) files.add(file)
    const changed = each.sections.filter(({ content, hash }) => hashOf(engine, content) !== hash)
    const unknown = changed.filter(({ id, content }) => content !== found.get(id)?.content)
    lost.push(...unknown.map(({ place }) => place))
  }
  if (lost.length === 0) return files
  throw new ElfmemError('CONFLICT', `${lost[0]} has words that the memory has not; they would be lost.`, {
    recovery: 'Take them in first with importFrom(), or export to a new folder. Nothing was written.',
    details: { places: lost.slice(0, 50) },
  })
}

/** Yields what the notes of an earlier export hold; nothing if there is no such folder. */
async function* notesIn(
  engine: Engine,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Imported> {
  const importers = await engine.importers()
  const { importBytes: mostBytes } = engine.settings.limits
  try {
    const request = { path, format: 'elfmem-markdown', archived: false, mostBytes, signal } as const
    const opened = await importers.open(request)
    yield* opened.read()
  } catch (error) {
    if (!ElfmemError.is(error) || error.code !== 'NOT_FOUND') throw error
  }
}

/**
 * Returns the path of a note in the folder. Signs that a file system may not take become dashes, and a hash keeps such names apart. The
 * ending of the name keeps a tag from making a file that agents obey, such as `claude.md`.
 */
function noteName({ ids }: Engine, key: string): string {
  const parts = key.split('/', LEVELS_MOST).map((part) => {
    const plain = part.normalize('NFC').replace(/[^\p{L}\p{M}\p{N} _.-]|^[.-]|[. ]$/gu, '-')
    const short = takeCodePoints(plain, NAME_SIGNS).trim()
    return RESERVED.test(short) || short === '' ? `-${short}` : short
  })
  const name = parts.join('/')
  return `${name === key ? name : `${name}-${ids.sha256(key).slice(0, 8)}`}-notes.md`
}

async function* linesOf(engine: Engine, all: readonly NoteBlock[]): AsyncGenerator<string> {
  const [first] = all as readonly [NoteBlock, ...NoteBlock[]]
  const [[kind, key]] = Object.entries(first.key) as [[string, string]]
  yield* ['---', 'elfmem: 1', `${kind}: ${jsonOf(key)}`, 'blocks:']
  for (const { id, content, facts, links } of all)
    yield `  - ${jsonOf({ id, hash: hashOf(engine, content), ...facts, links })}`
  yield* ['---', `# ${preview(key, 200)}`]
  for (const { id, content } of all) yield* ['', `## ${id}`, '', sectionOf(content)]
}

function jsonOf(value: unknown): string {
  return escapedJson(JSON.stringify(value))
}

function hashOf({ ids }: Engine, content: string): string {
  return ids.sha256(content).slice(0, HASH_SIGNS)
}
