import { join } from 'node:path'
import type { Imported } from '../../ports/importers.ts'
import type { Importer, Source } from './importer.ts'
import { entriesOf } from './reading/folder.ts'
import { frontMatterIn } from './reading/front-matter.ts'
import { factsOf } from './reading/reader.ts'
import { statementsIn, withoutPart } from './reading/statements.ts'

/** Files of rules by their names. */
const NAMES: ReadonlySet<string> = new Set(
  [
    ...[
      'CLAUDE.md',
      'CLAUDE.local.md',
      'AGENTS.md',
      'AGENT.md',
      'GEMINI.md',
      'MEMORY.md',
      'copilot-instructions.md',
    ],
    ...['.cursorrules', '.windsurfrules', '.clinerules'],
  ].map((name) => name.toLowerCase()),
)
/** Folders of a project that hold rules, and how their files end. */
const FOLDERS: readonly (readonly [folder: string, ending: RegExp])[] = [
  ['.cursor/rules', /\.mdc?$/i],
  ['.windsurf/rules', /\.md$/i],
  ['.claude/rules', /\.md$/i],
  ['.github/instructions', /\.md$/i],
]
const COPILOT = '.github/copilot-instructions.md'
/** Bytes of a file; agents read no longer one. */
const FILE_MOST = 4 << 20
const MEMORY = 'MEMORY.md'

/** Rules for coding agents: a file of them, the rules of a project, or the folder in which Claude Code keeps its notes. */
export const rules: Importer = {
  name: 'rules',
  title: 'rules for coding agents',
  detects: ({ name, names, path }) => {
    if (names === undefined) return isRules(name)
    return !names.has('.obsidian') && rulesIn({ path, names }).length > 0
  },
  read: readRules,
}

function isRules(name: string): boolean {
  return NAMES.has(name.toLowerCase()) || name.toLowerCase().endsWith('.mdc')
}

function* readRules(source: Source): Generator<Imported> {
  const { path, name, names, reader } = source
  if (names === undefined) return yield* readFile(source, path, name)
  const files = rulesIn({ path, names })
  for (const file of files) reader.expect(factsOf(join(path, file), true).size)
  for (const file of files) yield* readFile(source, join(path, file), file)
}

/** The files of rules of a project; of notes that Claude Code keeps all of them. */
function rulesIn({ path, names }: { readonly path: string; readonly names: ReadonlySet<string> }): string[] {
  const isNotes = names.has(MEMORY)
  const here = entriesOf(path).filter(
    (entry) => entry.isFile() && (isRules(entry.name) || (isNotes && /\.md$/i.test(entry.name))),
  )
  const inside = FOLDERS.flatMap(([folder, ending]) => {
    if (!names.has(folder.split('/')[0] ?? '') || !isWithin(path, folder)) return []
    const files = entriesOf(join(path, folder)).filter((entry) => entry.isFile() && ending.test(entry.name))
    return files.map((entry) => `${folder}/${entry.name}`)
  })
  const isThere =
    names.has('.github') &&
    isWithin(path, '.github') &&
    entriesOf(join(path, '.github')).some(
      (entry) => entry.isFile() && entry.name === 'copilot-instructions.md',
    )
  return [...here.map((entry) => entry.name), ...inside, ...(isThere ? [COPILOT] : [])]
}

/** True if no part of a way into a folder is a link. */
function isWithin(path: string, folder: string): boolean {
  let at = path
  for (const part of folder.split('/')) {
    if (!entriesOf(at).some((entry) => entry.name === part && entry.isDirectory())) return false
    at = join(at, part)
  }
  return true
}

function* readFile({ reader, names }: Source, path: string, place: string): Generator<Imported> {
  const isInside = names !== undefined
  const text = reader.text(path, isInside, FILE_MOST)
  if (text === undefined) {
    yield { kind: 'left', what: 'files', why: `they have more than ${FILE_MOST >> 20} MB`, example: place }
    return
  }
  const at = factsOf(path, isInside).changedAt
  const { fields, body } = frontMatterIn(withoutPart(text, '<!-- elfmem:begin', 'elfmem:end'))
  const about = fields.get('description')
  for (const { text: content, heading } of statementsIn(body)) {
    if (content.startsWith('@') && !/\s/.test(content)) {
      yield {
        kind: 'left',
        what: 'imports of other files',
        why: 'they are not followed; name those files',
        example: content,
      }
      continue
    }
    if (content === '' || (content.startsWith('<!--') && content.endsWith('-->'))) continue
    const cue = heading ?? about
    yield {
      kind: 'text',
      content,
      place,
      speaker: 'user',
      tags: ['rules'],
      session: `rules/${place}`,
      ...(cue === undefined ? {} : { cue }),
      ...(at === '' ? {} : { at }),
    }
  }
}
