import { posix } from 'node:path'
import { defined } from '../../block/text.ts'
import type { Memory } from '../../engine/memory.ts'
import { ElfmemError } from '../../errors.ts'
import { fenced } from '../../frames/index.ts'
import { mustWork, taken } from '../shared/options.ts'
import { piecesOf } from '../shared/turns.ts'
import {
  changeShown,
  type Listed,
  linesWith,
  listing,
  numberedFile,
  type Parts,
  ROOT,
  refuse,
} from './wording.ts'

/** The options of the files of a memory. */
export interface MemoryFilesOptions {
  /** True: files are viewed and not written. */
  readonly readOnly?: boolean
  /** False: there are no files of who the agent is and of what bears on a question. */
  readonly virtual?: boolean
  /** The scope they belong to, in a memory without one. */
  readonly scope?: string
}

/** The arguments of each command of the memory tool of the Claude API. */
interface Commands {
  readonly view: { readonly path: string; readonly view_range?: readonly number[] | null | undefined }
  readonly create: { readonly path: string; readonly file_text: string }
  readonly str_replace: { readonly path: string; readonly old_str: string; readonly new_str: string }
  readonly insert: { readonly path: string; readonly insert_line: number; readonly insert_text: string }
  readonly delete: { readonly path: string }
  readonly rename: { readonly old_path: string; readonly new_path: string }
}

/** The commands of the memory tool, as `betaMemoryTool` takes them; each resolves to the text that the model reads. */
export type MemoryFileHandlers = {
  readonly [Name in keyof Commands]: (command: Commands[Name]) => Promise<string>
}

/**
 * Returns handlers for the memory tool of the Claude API whose files lie in a memory: `betaMemoryTool(memoryFiles(memory))`. Models read
 * what the SDK's own files would tell them, word for word. What is written is found by `recall`, too, as the agent's own words. A file
 * has at most 1 MiB as JSON. A refusal is an error whose message the model reads; nothing is written then.
 *
 * @throws ElfmemError `INVALID_INPUT` for what is no memory or no scope
 */
export function memoryFiles(memory: Memory, options: MemoryFilesOptions = {}): MemoryFileHandlers {
  mustWork(memory, options, {
    ...{ maker: 'memoryFiles', needs: 'items', example: '{ readOnly: true }' },
    shape: { readOnly: taken.flag, virtual: taken.flag, scope: taken.scope },
  })
  const folder = new Folder(memory, options)
  return {
    view: (command) => told(() => folder.view(command.path, command.view_range)),
    create: (command) => told(() => folder.create(command.path, textIn(command, 'file_text'))),
    str_replace: (command) =>
      told(() => folder.replace(command.path, textIn(command, 'old_str'), textIn(command, 'new_str'))),
    insert: (command) =>
      told(() => folder.insert(command.path, lineIn(command), textIn(command, 'insert_text'))),
    delete: (command) => told(() => folder.delete(command.path)),
    rename: (command) => told(() => folder.rename(command.old_path, command.new_path)),
  }
}

/** A file as it was read. */
interface MemoryFile {
  readonly parts: Parts
  readonly text: string
  readonly version: number
}

/** A change of one file: its new text, or none if it goes. */
interface FileWrite {
  readonly parts: Parts
  readonly text?: string
  /** The version it was read at, 0 if it was not there. */
  readonly ifVersion: number
}

type Items = ReturnType<Memory['items']>
type Kept = NonNullable<Awaited<ReturnType<Items['get']>>>

/** The space of the files, and the name under which the log has what is done here. */
const SPACE = 'memories'
const CONTEXT = { actor: 'anthropic' }
/** Attempts at a change of a file that somebody else changes at the same time. */
const ATTEMPTS = 20

/** The commands on files and folders. Each file is a named item; the last part of its path is the key. */
class Folder {
  readonly #items: Items
  readonly #recall: (request: Parameters<Memory['recall']>[0]) => Promise<string>
  readonly #options: MemoryFilesOptions

  constructor(memory: Memory, options: MemoryFilesOptions) {
    const own = defined({ scope: options.scope })
    this.#items = memory.items(SPACE, own)
    this.#recall = async (request) => {
      const { text, blockIds } = await memory.recall({ ...request, ...own }, CONTEXT)
      return fenced(text, blockIds)
    }
    this.#options = options
  }

  async view(path: string, range: unknown): Promise<string> {
    const parts = partsOf(path)
    const text = this.#isVirtual(parts) ? await this.#virtual(parts) : (await this.#read(parts))?.text
    if (text !== undefined) return numberedFile(path, text, range)
    const written = await this.#below(parts)
    const all: Listed[] = [
      ...written.map((file) => ({ parts: file.parts, bytes: Buffer.byteLength(file.text) })),
      ...(this.#options.virtual === false ? [] : VIRTUAL),
    ]
    const inside = all.filter((each) => isBelow(each.parts, parts))
    if (inside.length === 0 && parts.length > 0)
      refuse(`The path ${path} does not exist. Please provide a valid path.`)
    const names = inside.map((each) => ({ ...each, parts: each.parts.slice(parts.length) }))
    return listing(path, names)
  }

  async create(path: string, text: string): Promise<string> {
    const parts = this.#writable(path)
    return this.#changed(async () => {
      if (parts.length === 0 || (await this.#isThere(parts))) refuse(`File ${path} already exists`)
      await this.#mustLieInFolders(parts)
      return this.#written(`File created successfully at: ${path}`, [{ parts, text, ifVersion: 0 }])
    })
  }

  async replace(path: string, old: string, text: string): Promise<string> {
    const parts = this.#writable(path)
    return this.#changed(async () => {
      const file = await this.#file(parts, path)
      const lines = linesWith(file.text, old)
      const [line] = lines
      if (line === undefined)
        return refuse(`No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path}.`)
      if (lines.length > 1)
        refuse(
          `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${[...new Set(lines)].join(', ')}. Please ensure it is unique`,
        )
      const changed = file.text.replace(old, () => text)
      const write = { parts, text: changed, ifVersion: file.version }
      return this.#written(changeShown(changed, line), [write])
    })
  }

  async insert(path: string, line: number, text: string): Promise<string> {
    const parts = this.#writable(path)
    return this.#changed(async () => {
      const file = await this.#file(parts, path)
      const lines = file.text.split('\n')
      if (!(line >= 0 && line <= lines.length))
        refuse(
          `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
        )
      lines.splice(line, 0, text.replace(/\n$/, ''))
      const write = { parts, text: lines.join('\n'), ifVersion: file.version }
      return this.#written(`The file ${path} has been edited.`, [write])
    })
  }

  async delete(path: string): Promise<string> {
    const parts = this.#writable(path)
    if (parts.length === 0) refuse('Cannot delete the /memories directory itself')
    return this.#changed(async () => {
      const gone = await this.#moved(parts)
      if (gone.length === 0) refuse(`The path ${path} does not exist`)
      const writes = gone.map((file) => ({ parts: file.parts, ifVersion: file.version }))
      return this.#written(`Successfully deleted ${path}`, writes)
    })
  }

  async rename(from: string, to: string): Promise<string> {
    const [old, next] = [this.#writable(from), this.#writable(to)]
    if (old.length === 0) refuse('Cannot rename the /memories directory itself')
    return this.#changed(async () => {
      if (await this.#isThere(next)) refuse(`The destination ${to} already exists`)
      const files = await this.#moved(old)
      if (files.length === 0) refuse(`The path ${from} does not exist`)
      await this.#mustLieInFolders(next)
      if (isBelow(next, old)) refuse(`The path ${from} cannot be moved into itself.`)
      const writes = files.flatMap(({ parts, text, version }): FileWrite[] => [
        { parts, ifVersion: version },
        { parts: [...next, ...parts.slice(old.length)], text, ifVersion: 0 },
      ])
      return this.#written(`Successfully renamed ${from} to ${to}`, writes)
    })
  }

  /** The parts of a path that may be written to. */
  #writable(path: unknown): Parts {
    const parts = partsOf(path)
    if (this.#isVirtual(parts)) refuse(`The path ${String(path)} is read-only.`)
    if (this.#options.readOnly) refuse('The memory is read-only here; nothing was changed.')
    return parts
  }

  /** Reads and writes again if somebody else wrote between. */
  async #changed(work: () => Promise<string>): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work()
      } catch (error) {
        if (attempt === ATTEMPTS || !ElfmemError.is(error) || error.code !== 'CONFLICT') throw error
      }
    }
  }

  /** Writes all files or none, and returns the text for the model. Rejects with `CONFLICT` if a file was changed since it was read. */
  async #written(done: string, writes: readonly FileWrite[]): Promise<string> {
    const kept = await this.#items.batch(writes.map(stepOf), CONTEXT)
    const isOther = writes.some(
      ({ text }, at) => text !== undefined && textOf(Object(kept[at]).value) !== text,
    )
    return isOther ? `${done}\nWhat looks like a password or a key was not kept.` : done
  }

  async #read(parts: Parts): Promise<MemoryFile | undefined> {
    const item = parts.length === 0 ? undefined : await this.#items.get(placeOf(parts), CONTEXT)
    return item && fileOf(item)
  }

  /** Reads all files in a folder and in the folders below. */
  async #below(parts: Parts): Promise<MemoryFile[]> {
    const files: MemoryFile[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await this.#items.list({ namespace: parts, ...defined({ cursor }) }, CONTEXT)
      files.push(...page.items.map(fileOf))
      cursor = page.cursor
      if (cursor === undefined) return files
    }
  }

  async #file(parts: Parts, path: string): Promise<MemoryFile> {
    const file = await this.#read(parts)
    if (file !== undefined) return file
    return refuse(
      (await this.#isThere(parts))
        ? `The path ${path} is not a file.`
        : `The path ${path} does not exist. Please provide a valid path.`,
    )
  }

  /** A file, or all files of a folder. */
  async #moved(parts: Parts): Promise<readonly MemoryFile[]> {
    const file = await this.#read(parts)
    return file === undefined ? this.#below(parts) : [file]
  }

  async #isThere(parts: Parts): Promise<boolean> {
    if (parts.length === 0 || (await this.#read(parts)) !== undefined) return true
    return (await this.#items.namespaces({ namespace: parts }, CONTEXT)).length > 0
  }

  /** Throws if a file stands where a folder would have to be. */
  async #mustLieInFolders(parts: Parts): Promise<void> {
    for (let depth = 1; depth < parts.length; depth += 1) {
      const above = parts.slice(0, depth)
      if ((await this.#read(above)) !== undefined) refuse(`The path ${pathOf(above)} is not a directory.`)
    }
  }

  /** Returns true for a path in the folder of files that are made when they are viewed. */
  #isVirtual([first]: Parts): boolean {
    return this.#options.virtual !== false && first === FOLDER
  }

  /** Makes a file by which a model finds identity and search, since it looks at its files first; undefined if there is none. */
  async #virtual([, second, ...rest]: Parts): Promise<string | undefined> {
    if (second === SELF && rest.length === 0)
      return [await this.#recall({ frame: 'self' }), HOW].filter(Boolean).join('\n\n')
    if (second !== SEARCH || !rest.at(-1)?.endsWith('.md')) return undefined
    if (rest.join('/') === QUESTION) return HOW
    const query = rest.join(' ').slice(0, -'.md'.length).replaceAll(/[-_]+/g, ' ').trim()
    return query === '' ? HOW : this.#recall({ query, frame: 'attention' })
  }
}

/** The folder of the files that are made when they are viewed. */
const FOLDER = 'elfmem'
const SELF = 'self.md'
const SEARCH = 'search'
/** An entry in the folder of searches that tells a model how to search. */
const QUESTION = '<your question>.md'
const HOW = `To search all that is remembered, view ${ROOT}/${FOLDER}/${SEARCH}/${QUESTION}`
/** The files that are made when they are viewed, as a list shows them; the size is invented. */
const VIRTUAL = [[SELF], [SEARCH, QUESTION]].map((names) => ({ parts: [FOLDER, ...names], bytes: 4_096 }))

/** A place above the root that no path can name, by which a path that leaves the root is noticed. */
const ABOVE = '/\u0000'
/** The most characters of a path, which is also the source of blocks. */
const PATH_MAX = 256

/** Returns the parts of a path; throws if it leaves the folder or is no path at all. */
function partsOf(path: unknown): Parts {
  if (typeof path !== 'string') return refuse(`A path is a text that begins with ${ROOT}.`)
  if (path.length > PATH_MAX) refuse(`Path has ${path.length} characters. Maximum is ${PATH_MAX} characters.`)
  if (path !== ROOT && !path.startsWith(`${ROOT}/`)) refuse(`Path must start with ${ROOT}, got: ${path}`)
  if (['\u0000', '\u001f'].some((sign) => path.includes(sign)) || !path.isWellFormed())
    refuse('Path has a sign that no name of a file may have.')
  const root = `${ABOVE}${ROOT}`
  const resolved = posix.resolve(posix.join(root, path.slice(ROOT.length + 1)))
  if (resolved !== root && !resolved.startsWith(`${root}/`))
    refuse(`Path ${path} would escape ${ROOT} directory`)
  const below = resolved.slice(root.length + 1)
  return below === '' ? [] : below.split('/')
}

function pathOf(parts: Parts): string {
  return [ROOT, ...parts].join('/')
}

/** True of parts that lie in a folder, not of the folder itself. */
function isBelow(parts: Parts, folder: Parts): boolean {
  return parts.length > folder.length && folder.every((name, at) => parts[at] === name)
}

function placeOf(parts: Parts) {
  return { namespace: parts.slice(0, -1), key: parts.at(-1) ?? '' }
}

function stepOf({ parts, text, ifVersion }: FileWrite) {
  if (text === undefined) return { do: 'delete', ...placeOf(parts), ifVersion } as const
  const said = { source: pathOf(parts), sourceClass: 'agent' } as const
  const texts = piecesOf(text).map((content) => ({ content, ...said }))
  return { do: 'put', ...placeOf(parts), value: { text }, texts, ifVersion } as const
}

function fileOf({ namespace, key, value, version }: Kept): MemoryFile {
  return { parts: [...namespace, key], text: textOf(value), version }
}

/** The text of a file; a value that another program put is shown as the JSON it is. */
function textOf(value: unknown): string {
  const { text } = Object(value) as { readonly text?: unknown }
  return typeof text === 'string' ? text : JSON.stringify(value)
}

/** A text of a command, as a file can hold it. */
function textIn(command: object, name: string): string {
  const text = (command as Readonly<Record<string, unknown>>)[name]
  return typeof text === 'string' ? text.toWellFormed() : refuse(`\`${name}\` is missing; it is a text.`)
}

/** The line of a command; models write a number as a text now and then. */
function lineIn({ insert_line: line }: { readonly insert_line: unknown }): number {
  const number = typeof line === 'string' && line !== '' ? Number(line) : line
  return Number.isInteger(number) ? (number as number) : refuse('`insert_line` is missing; it is a number.')
}

/** A refusal of the memory is an error that says its code and what to do, as the model reads only the message. */
async function told(work: () => Promise<string>): Promise<string> {
  try {
    return await work()
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    throw new Error(`${error.code}: ${error.message} ${error.recovery}`, { cause: error })
  }
}
