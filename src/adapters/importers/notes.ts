import { join } from 'node:path'
import { defined, withoutEnd } from '../../block/text.ts'
import type { Imported, ImportedText } from '../../engine/ports.ts'
import { type FrontMatter, fieldIn, frontMatterIn, listIn } from './front-matter.ts'
import { type Importer, left, type Source, wantedFiles, wholeTextIn } from './importer.ts'
import { filesIn } from './reader.ts'

/** Bytes of a note. */
const NOTE_MOST = 16 << 20
const IS_NOTE = /\.(?:md|markdown)$/i

/** Notes in Markdown: a folder of Obsidian or basic-memory, any other folder with notes, or one note. */
export const markdownFolder: Importer = {
  name: 'markdown',
  title: 'notes in Markdown',
  detects: ({ name, names, path }) =>
    names === undefined ? isNote(name) : names.has('.obsidian') || !filesIn(path, isNote).next().done,
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
  const { files, losses, folder } = wantedFiles(source, isNote)
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
  const name = file.split('/').at(-1) ?? ''
  const title = fieldIn(matter, 'title') ?? name.replace(IS_NOTE, '')
  const texts = [...textsOf(parts, matter, { title, file, changedAt: whole.changedAt })]
  if (texts.length > 0)
    for (const each of [file, name, title, fieldIn(matter, 'permalink') ?? ''])
      if (!known.has(nameOf(each))) known.set(nameOf(each), file)
  yield* texts
  // There may be more than one call takes.
  for (const relation of parts.relations) wanted.push({ from: file, ...relation })
}

interface About {
  readonly title: string
  readonly file: string
  readonly changedAt: string | undefined
}

/** Observations as statements of their own; the rest as one text, which is cut where it is too long. */
function* textsOf(
  { observations, rest, tags }: NoteParts,
  matter: FrontMatter,
  { title, file, changedAt }: About,
): Generator<ImportedText> {
  const at = fieldIn(matter, 'created') ?? fieldIn(matter, 'date') ?? changedAt
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
  for (const { category, text, tags: said } of observations)
    yield { ...common, content: `${title}: ${text}`, category, tags: [...own, ...said] }
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

/** The parts of a note: its observations, its relations, and the rest. */
interface NoteParts {
  /** `- [category] text #tag (context)`, as basic-memory writes them. */
  readonly observations: readonly {
    readonly category: string
    readonly text: string
    readonly tags: readonly string[]
  }[]
  /** `- relation [[Target]]`, and wikilinks of other lines as `links_to`. */
  readonly relations: readonly { readonly relation: string; readonly target: string }[]
  /** The lines that are no heading of the note. */
  readonly rest: string
  /** Tags in the rest. */
  readonly tags: readonly string[]
}

/** The relation of a link that names none. */
const LINKS_TO = 'links_to'
/** Signs of a relation, the words before a link in a list; longer ones are a sentence. */
const RELATION_MOST = 60
/** A line is looked through so far for links and tags. */
const LINE_MOST = 10_000

/** Parts a note; one pass over its lines, code left as it is. */
function partsOf(body: string): NoteParts {
  const observations: NoteParts['observations'][number][] = []
  const relations: NoteParts['relations'][number][] = []
  const rest: string[] = []
  const tags = new Set<string>()
  let isCode = false
  for (const whole of body.split('\n')) {
    const line = whole.trimEnd()
    const isFence = line.trimStart().startsWith('```') || line.trimStart().startsWith('~~~')
    if (isFence) isCode = !isCode
    if (isFence || isCode) {
      rest.push(line)
      continue
    }
    const observation = observationIn(line)
    const links = linksIn(line)
    const relation = relationIn(line, links)
    if (observation !== undefined) observations.push(observation)
    else if (relation !== undefined) relations.push(relation)
    else {
      relations.push(...links.map((target) => ({ relation: LINKS_TO, target })))
      for (const tag of tagsIn(line).tags) tags.add(tag)
      rest.push(line)
    }
  }
  return { observations, relations, rest: rest.join('\n').trim(), tags: [...tags] }
}

function observationIn(line: string): NoteParts['observations'][number] | undefined {
  if (!line.startsWith('- [')) return undefined
  const end = line.indexOf('] ', 3)
  const category = line.slice(3, end).trim().toLowerCase()
  // One sign is a box to tick, and two brackets are a link.
  if (end < 5 || category.length < 2 || category.startsWith('[') || /\s/.test(category)) return undefined
  // A context in brackets may stand behind the tags.
  const [, said = '', context = ''] = /^(.*?)( \([^()]*\))?$/.exec(line.slice(end + 2).trim()) ?? []
  const { text, tags } = tagsIn(said.trim())
  return text === '' ? undefined : { category, text: `${text}${context}`, tags }
}

/** A line of a list that is some words and one link, and nothing behind it. */
function relationIn(line: string, links: readonly string[]): NoteParts['relations'][number] | undefined {
  const [target] = links
  const open = line.indexOf('[[')
  if (
    target === undefined ||
    links.length > 1 ||
    !line.startsWith('- ') ||
    line.indexOf(']]') + 2 < line.length
  )
    return undefined
  const relation = line.slice(2, open).trim()
  if (relation === '') return { relation: LINKS_TO, target }
  return relation.length <= RELATION_MOST && !relation.includes('.') ? { relation, target } : undefined
}

/**
 * The targets of `[[Target]]`, `[[Target|other words]]`, in a table `[[Target\|other words]]`, and `[[Target#heading]]`; what
 * `![[…]]` embeds is none.
 */
function linksIn(whole: string): string[] {
  const found = whole.slice(0, LINE_MOST).matchAll(/(?<!!)\[\[((?:(?!\]\]|\[\[).){1,500})\]\]/g)
  return [...found].flatMap(([, link = '']) => link.split(/\\?\||#/, 1)[0]?.trim() || [])
}

/** Returns the words that begin with `#` and hold a letter, and the text without those at its end. */
function tagsIn(whole: string): { readonly text: string; readonly tags: string[] } {
  const words = whole.slice(0, LINE_MOST).split(' ')
  const isTag = (word: string) => /^#[\p{L}\p{N}_/-]+$/u.test(word) && /\p{L}/u.test(word)
  const tags = words.filter(isTag).map((word) => word.slice(1))
  let last = words.length
  while (last > 0 && isTag(words[last - 1] as string)) last -= 1
  const text = last === words.length ? whole : words.slice(0, last).join(' ')
  return { text: text.trim(), tags }
}
