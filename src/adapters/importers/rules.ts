import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import type { Imported } from '../../ports/importers.ts'
import type { Importer, Probe, Source } from './importer.ts'
import { entriesOf, passedOver } from './reading/folder.ts'
import { frontMatterIn } from './reading/front-matter.ts'
import { factsOf } from './reading/reader.ts'
import { isImport, statementsIn, withoutPart } from './reading/statements.ts'

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
  const losses = foundIn({ path, names }).map(({ entry, place }) => passedOver(entry, place))
  // Two ways may lead through one link.
  const told = new Set<string>()
  for (const loss of losses)
    if (loss !== undefined && !told.has(JSON.stringify(loss))) {
      told.add(JSON.stringify(loss))
      yield loss
    }
  const files = rulesIn({ path, names })
  for (const file of files) reader.expect(factsOf(join(path, file), true).size)
  for (const file of files) yield* readFile(source, join(path, file), file)
}

/** The files of rules of a project; of notes that Claude Code keeps all of them. */
function rulesIn(folder: Pick<Probe, 'path'> & { readonly names: ReadonlySet<string> }): string[] {
  return foundIn(folder).flatMap(({ entry, place }) => (entry.isFile() ? [place] : []))
}

interface Found {
  readonly entry: Dirent
  readonly place: string
}

/** Entries with the name of rules, be they files or none, and links where a folder of rules should be. */
function foundIn({ path, names }: { readonly path: string; readonly names: ReadonlySet<string> }): Found[] {
  const isNotes = names.has(MEMORY)
  const inFolder = (folder: string, wants: (name: string) => boolean): Found[] => {
    const link = linkOnWay(path, folder)
    if (link !== undefined) return [link]
    return entriesOf(join(path, folder))
      .filter((entry) => !entry.isDirectory() && wants(entry.name))
      .map((entry) => ({ entry, place: folder === '' ? entry.name : `${folder}/${entry.name}` }))
  }
  return [
    ...inFolder('', (name) => isRules(name) || (isNotes && /\.md$/i.test(name))),
    ...FOLDERS.flatMap(([folder, ending]) => inFolder(folder, (name) => ending.test(name))),
    ...inFolder('.github', (name) => name === 'copilot-instructions.md'),
  ]
}

/** The first link on a way into a folder. */
function linkOnWay(path: string, folder: string): Found | undefined {
  let place = ''
  for (const part of folder.split('/').filter(Boolean)) {
    const entry = entriesOf(join(path, place)).find((each) => each.name === part)
    place = place === '' ? part : `${place}/${part}`
    if (entry === undefined) return undefined
    if (entry.isSymbolicLink()) return { entry, place }
  }
  return undefined
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
    if (isImport(content)) {
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
