import { dirname, join } from 'node:path'
import { defined, withoutEnd } from '../../block/text.ts'
import type { Imported, ImportedText } from '../../engine/ports.ts'
import { expectFiles, type Importer, left, type Source, wholeTextIn } from './importer.ts'
import { filesIn } from './reading/folder.ts'
import { type FrontMatter, frontMatterIn, listIn } from './reading/front-matter.ts'
import { type NoteParts, partsOf } from './reading/notes.ts'

/** Bytes of a note. */
const NOTE_MOST = 16 << 20
const IS_NOTE = /\.(?:md|markdown)$/i

/** Notes in Markdown: a folder of Obsidian or basic-memory, any other folder with notes, or one note. */
export const markdownFolder: Importer = {
  name: 'markdown',
  title: 'notes in Markdown',
  detects: ({ name, names, path }) =>
    names === undefined
      ? IS_NOTE.test(name)
      : names.has('.obsidian') ||
        filesIn(path, { wants: isNote, left: () => undefined }).next().done === false,
  read: readNotes,
}

function isNote(name: string): boolean {
  return IS_NOTE.test(name)
}

interface Wanted {
  readonly from: string
  readonly relation: string
  readonly target: string
}

function* readNotes(source: Source): Generator<Imported> {
  const { path, name, names } = source
  const losses: Imported[] = []
  const files =
    names === undefined ? [name] : [...filesIn(path, { wants: isNote, left: (loss) => losses.push(loss) })]
  const folder = names === undefined ? dirname(path) : path
  expectFiles(source, files)
  yield* losses
  const known = new Map<string, string>()
  const wanted: Wanted[] = []
  for (const file of files) yield* readNote(source, { file, path: join(folder, file), known, wanted })
  for (const { from, relation, target } of wanted) {
    const to = known.get(nameOf(target))
    if (to === undefined || to === from)
      yield left('links', 'there is no such note, or it has no text', { example: target })
    else yield { kind: 'link', from, to, relation, declaredBy: from }
  }
}

interface Note {
  /** The path of the note in the folder. */
  readonly file: string
  readonly path: string
  /** The notes by the names that links may use. */
  readonly known: Map<string, string>
  readonly wanted: Wanted[]
}

function* readNote(source: Source, { file, path, known, wanted }: Note): Generator<Imported> {
  const whole = wholeTextIn(source, { path, place: file, most: NOTE_MOST })
  if ('kind' in whole) return yield whole
  const matter = frontMatterIn(whole.text)
  const parts = partsOf(matter.body)
  const title = matter.fields.get('title') ?? (file.split('/').at(-1) as string).replace(IS_NOTE, '')
  const texts = [...textsOf(parts, { title, file, matter, changedAt: whole.changedAt })]
  if (texts.length > 0)
    for (const each of [
      file,
      file.replace(IS_NOTE, ''),
      file.split('/').at(-1) ?? '',
      title,
      matter.fields.get('permalink') ?? '',
    ])
      if (!known.has(nameOf(each))) known.set(nameOf(each), file)
  yield* texts
  // There may be more than one call takes.
  for (const relation of parts.relations) wanted.push({ from: file, ...relation })
}

interface About {
  readonly title: string
  readonly file: string
  readonly matter: FrontMatter
  readonly changedAt: string | undefined
}

/** Observations as statements of their own; the rest as one text, which is cut where it is too long. */
function* textsOf(
  { observations, rest, tags }: NoteParts,
  { title, file, matter, changedAt }: About,
): Generator<ImportedText> {
  const { fields } = matter
  const at = fields.get('created') ?? fields.get('date') ?? changedAt
  const own = [...listIn(matter, 'tags'), ...listIn(matter, 'tag')].map((tag) => tag.replace(/^#/, ''))
  const common = {
    kind: 'text' as const,
    key: file,
    place: file,
    session: `notes/${file}`,
    speaker: 'user' as const,
    cue: title,
    ...defined({ at }),
  }
  for (const { category, text, context, tags: said } of observations)
    yield {
      ...common,
      content: `${title}: ${text}${context === undefined ? '' : ` (${context})`}`,
      category,
      tags: [...own, ...said],
    }
  if (hasWords(rest)) yield { ...common, content: rest, category: 'document', tags: [...own, ...tags] }
}

/** False of headings and rules alone. */
function hasWords(text: string): boolean {
  return text.split('\n').some((line) => !/^#{1,6} /.test(line) && /[\p{L}\p{N}]/u.test(line))
}

/** Names of notes are the same without case, ending and the dashes that some programs put for blanks. */
function nameOf(target: string): string {
  return withoutEnd(target.trim(), '/').replace(IS_NOTE, '').toLowerCase()
}
