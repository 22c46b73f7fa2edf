import { withoutEnd } from '../../block/text.ts'
import type { Imported, ImportedText } from '../../engine/ports.ts'
import { type FrontMatter, fieldIn, frontMatterIn, listIn } from './front-matter.ts'
import { type Importer, left, type Source, wantedFiles, wholeTextIn } from './importer.ts'
import { filesIn } from './reader.ts'

/** The most bytes of a note. */
const NOTE_MOST = 16 << 20
const IS_NOTE = /\.(?:md|markdown)$/i

/** Reads notes in Markdown: a folder of Obsidian or basic-memory, any other folder with notes, or one note. */
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

/** A link as a note has it. */
interface Relation {
  readonly relation: string
  readonly target: string
}

function* readNotes(source: Source): Generator<Imported> {
  const { files, losses } = wantedFiles(source, isNote)
  yield* losses
  /** The files of notes by the names that links may use. */
  const known = new Map<string, string>()
  const wanted: (Relation & { readonly from: string })[] = []
  for (const file of files) {
    const note = noteIn(source, file)
    if ('kind' in note) {
      yield note
      continue
    }
    yield* note.texts
    for (const each of note.names.map(nameOf)) known.set(each, known.get(each) ?? file)
    // A spread into `push` could exceed the number of arguments that a call takes.
    for (const relation of note.relations) wanted.push({ from: file, ...relation })
  }
  yield* wanted.map(({ from, relation, target }): Imported => {
    const to = known.get(nameOf(target))
    if (to === undefined || to === from)
      return left('links', 'there is no such note, or it has no text', { example: target })
    return { kind: 'link', from, to, relation, declaredBy: from }
  })
}

/** The texts of a note, the names that links to it may use, and its own links. */
function noteIn(source: Source, file: string) {
  const whole = wholeTextIn(source, file, NOTE_MOST)
  if ('kind' in whole) return whole
  const matter = frontMatterIn(whole.text)
  const parts = partsOf(matter.body)
  const name = file.split('/').at(-1) ?? ''
  const title = fieldIn(matter, 'title') ?? name.replace(IS_NOTE, '')
  const texts = textsOf(parts, matter, { title, file, changedAt: whole.changedAt })
  const names = texts.length > 0 ? [file, name, title, fieldIn(matter, 'permalink') ?? ''] : []
  return { texts, names, relations: parts.relations }
}

/** Returns each observation as a statement, and the rest as one text, which is cut if it is too long. */
function textsOf(
  { observations, rest, tags }: NoteParts,
  matter: FrontMatter,
  { title, file, changedAt }: { readonly title: string; readonly file: string; readonly changedAt: string },
): ImportedText[] {
  const at = fieldIn(matter, 'created') ?? fieldIn(matter, 'date') ?? changedAt
  const own = [...listIn(matter, 'tags'), ...listIn(matter, 'tag')].map((tag) => tag.replace(/^#/, ''))
  const common = {
    kind: 'text',
    key: file,
    place: file,
    session: `notes/${file}`,
    speaker: 'user',
    cue: title,
    at,
  } as const
  const statements = observations.map(({ category, text, tags: said }) => {
    return { ...common, content: `${title}: ${text}`, category, tags: [...own, ...said] }
  })
  const whole = { ...common, content: rest, category: 'document', tags: [...own, ...tags] }
  return hasWords(rest) ? [...statements, whole] : statements
}

/** Returns false for a text of headings and rules alone. */
function hasWords(text: string): boolean {
  return text.split('\n').some((line) => !/^#{1,6} /.test(line) && /[\p{L}\p{N}]/u.test(line))
}

/** Returns the name by which a note is known: in lower case, without its ending. */
function nameOf(target: string): string {
  return withoutEnd(target.trim(), '/').replace(IS_NOTE, '').toLowerCase()
}

/** A statement as basic-memory writes it: `- [category] text #tag (context)`. */
interface Observation {
  readonly category: string
  readonly text: string
  readonly tags: readonly string[]
}

/** The parts of a note: its observations, its relations, the other lines, and the tags in them. */
type NoteParts = ReturnType<typeof partsOf>

/** The relation of a link without a relation of its own. */
const LINKS_TO = 'links_to'
/** The most characters of a line that are searched for links and tags. */
const LINE_MOST = 10_000

/** Splits a note into its parts in one pass over its lines; code stays as it is. */
function partsOf(body: string) {
  const observations: Observation[] = []
  const relations: Relation[] = []
  const rest: string[] = []
  const tags: string[] = []
  let isCode = false
  for (const whole of body.split('\n')) {
    const line = whole.trimEnd()
    const isFence = /^\s*(?:```|~~~)/.test(line)
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
      tags.push(...tagsIn(line).tags)
      rest.push(line)
    }
  }
  return { observations, relations, rest: rest.join('\n').trim(), tags: [...new Set(tags)] }
}

function observationIn(line: string): Observation | undefined {
  // A category has two characters or more, as one is a box to tick, and two brackets are a link. A context may follow the tags.
  const [, category, said = '', context = ''] =
    /^- \[([^\s[\]]{2,80})\] +(.*?)( \([^()]*\))?$/.exec(line) ?? []
  const { text, tags } = tagsIn(said.trim())
  return category === undefined || text === ''
    ? undefined
    : { category: category.toLowerCase(), text: `${text}${context}`, tags }
}

/** A line of a list that is some words and one link, and nothing behind it. */
function relationIn(line: string, [target, ...others]: readonly string[]): Relation | undefined {
  const [, words] = /^- ([^[.]{0,60})\[\[.*\]\]$/.exec(line) ?? []
  if (target === undefined || words === undefined || others.length > 0) return undefined
  return { relation: words.trim() || LINKS_TO, target }
}

/**
 * Returns the targets of `[[Target]]`, `[[Target|words]]`, in a table `[[Target\|words]]`, and `[[Target#heading]]`, and
 * none of `![[…]]`.
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
