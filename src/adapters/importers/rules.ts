import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import { defined } from '../../block/text.ts'
import type { Imported } from '../../engine/ports.ts'
import { attempt } from '../../errors.ts'
import { blocksOf, itemsOf, type MarkdownBlock } from '../markdown/blocks.ts'
import { fieldIn, frontMatterIn } from './front-matter.ts'
import { type Importer, left, type Source, wholeTextIn } from './importer.ts'
import { entriesOf, passedOver, sizeOf } from './reader.ts'

/** The names of files with rules. */
const NAMES =
  /^(?:claude(?:\.local)?|agents?|gemini|memory|copilot-instructions)\.md$|^\.(?:cursor|windsurf|cline)rules$|\.mdc$/i
const MARKDOWN = /\.md$/i
/** Folders of a project that hold rules, and the names of their files. */
const FOLDERS: readonly (readonly [folder: string, name: RegExp])[] = [
  ['.cursor/rules', /\.mdc?$/i],
  ['.windsurf/rules', MARKDOWN],
  ['.claude/rules', MARKDOWN],
  ['.github/instructions', MARKDOWN],
  ['.github', /^copilot-instructions\.md$/],
]
/** Bytes of a file; agents read no longer one. */
const FILE_MOST = 4 << 20
const MEMORY = 'MEMORY.md'

/** Rules for coding agents: a file of them, the rules of a project, or the folder in which Claude Code keeps its notes. */
export const rules: Importer = {
  name: 'rules',
  title: 'rules for coding agents',
  detects: ({ name, names, path }) => {
    if (names === undefined) return NAMES.test(name)
    return !names.has('.obsidian') && foundIn({ path, names }).some(({ entry }) => entry.isFile())
  },
  read: readRules,
}

function* readRules(source: Source): Generator<Imported> {
  const { path, name, names, reader } = source
  if (names === undefined) return yield* readFile(source, name)
  const found = foundIn({ path, names })
  yield* found.flatMap(({ entry, place }) => passedOver(entry, place) ?? [])
  // A file may be found by two names.
  const files = [...new Set(found.filter(({ entry }) => entry.isFile()).map(({ place }) => place))]
  reader.expect(...files.map((file) => sizeOf(join(path, file))))
  for (const file of files) yield* readFile(source, file)
}

interface Found {
  readonly entry: Dirent
  readonly place: string
}

/** Returns files of rules, links in the place of a folder of rules, and all notes that Claude Code keeps. */
function foundIn({ path, names }: { readonly path: string; readonly names: ReadonlySet<string> }): Found[] {
  const notes = names.has(MEMORY) ? [['', MARKDOWN] as const] : []
  return [['', NAMES] as const, ...notes, ...FOLDERS].flatMap(([folder, wanted]): Found[] => {
    const parts = folder.split('/')
    for (const [at, part] of parts.entries()) {
      const entry = listed(path, parts.slice(0, at).join('/')).find(({ name }) => name === part)
      if (entry?.isSymbolicLink()) return [{ entry, place: parts.slice(0, at + 1).join('/') }]
    }
    return listed(path, folder)
      .filter((entry) => !entry.isDirectory() && wanted.test(entry.name))
      .map((entry) => ({ entry, place: folder === '' ? entry.name : `${folder}/${entry.name}` }))
  })
}

/** Returns the entries of a folder in a project; none if it is not there. */
function listed(path: string, folder: string): readonly Dirent[] {
  return attempt(() => entriesOf(join(path, folder))) ?? []
}

function* readFile(source: Source, place: string): Generator<Imported> {
  const whole = wholeTextIn(source, place, FILE_MOST)
  if ('kind' in whole) return yield whole
  const matter = frontMatterIn(withoutOurs(whole.text))
  const about = fieldIn(matter, 'description')
  for (const { text: content, heading } of statementsIn(matter.body)) {
    if (IMPORT.test(content))
      yield left('imports of other files', 'they are not followed; name those files', { example: content })
    else
      yield {
        kind: 'text',
        content,
        place,
        speaker: 'user',
        tags: ['rules'],
        session: `rules/${place}`,
        ...defined({ cue: heading ?? about, at: whole.changedAt }),
      }
  }
}

/** Returns a text without the part that elfmem wrote into it. */
function withoutOurs(text: string): string {
  const start = text.indexOf('<!-- elfmem:begin')
  const end = start < 0 ? -1 : text.indexOf('elfmem:end', start)
  return end < 0 ? text : text.slice(0, start) + text.slice(end).replace(/^elfmem:end(?: *-->)?/, '')
}

/** Matches a line that is only the name of another file, which its program reads in place of the line. */
const IMPORT = /^@\S+$/

/** A statement of a Markdown text, and the innermost heading above it. */
interface Statement {
  readonly text: string
  readonly heading: string | undefined
}

/** Returns the statements of a text: list items, paragraphs and imports. Code stays with the statement above it. */
function statementsIn(text: string): Statement[] {
  const found: Statement[] = []
  let heading: string | undefined
  for (const block of blocksOf(text)) {
    const last = found.at(-1)
    if (block.kind === 'heading') heading = block.text || heading
    else if (block.kind === 'code' && last && last.heading === heading && !IMPORT.test(last.text))
      found[found.length - 1] = { text: `${last.text}\n${block.text}`, heading }
    else if (block.kind !== 'rule' && !/^<!--.*-->$/s.test(block.text))
      found.push(...textsOf(block).map((each) => ({ text: each, heading })))
  }
  return found
}

function textsOf({ kind, text }: MarkdownBlock): string[] {
  if (kind === 'list') return itemsOf(text).flatMap((item) => withoutBullet(item) || [])
  if (kind !== 'prose') return [text]
  return text.split(/\n(?=@\S+$)|(?<=^@\S+)\n/m).flatMap((part) => part.trim() || [])
}

function withoutBullet(item: string): string {
  return item.replace(/^(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/, '').trim()
}
