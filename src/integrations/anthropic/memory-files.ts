import { boundScope } from '../../engine/engine.ts'
import type { Memory } from '../../engine/memory.ts'
import { ElfmemError, factOf } from '../../errors.ts'
import { fenced } from '../../frames/index.ts'
import { mustBeOpen, mustTake, taken } from '../shared/check-options.ts'
import { type Files, type FileWrite, filesOf, listedOf, type MemoryFile } from './files.ts'
import { type Parts, partsOf, pathOf, ROOT, refuse } from './paths.ts'
import { changeShown, linesWith, listing, numberedFile } from './wording.ts'

/** The options of the files of a memory. */
export interface MemoryFilesOptions {
  /** True: files are viewed and not written. */
  readonly readOnly?: boolean
  /** False: there are no files of who the agent is and of what bears on a question. */
  readonly virtual?: boolean
  /** The scope they belong to, in a memory without one. */
  readonly scope?: string
}

/** The commands of the memory tool of the Claude API, as `betaMemoryTool` takes them; each resolves to the text that the model reads. */
export interface MemoryFileHandlers {
  readonly view: (command: {
    readonly path: string
    readonly view_range?: readonly number[] | null | undefined
  }) => Promise<string>
  readonly create: (command: { readonly path: string; readonly file_text: string }) => Promise<string>
  readonly str_replace: (command: {
    readonly path: string
    readonly old_str: string
    readonly new_str: string
  }) => Promise<string>
  readonly insert: (command: {
    readonly path: string
    readonly insert_line: number
    readonly insert_text: string
  }) => Promise<string>
  readonly delete: (command: { readonly path: string }) => Promise<string>
  readonly rename: (command: { readonly old_path: string; readonly new_path: string }) => Promise<string>
}

/** Lines that a refusal names. */
const NAMED_LINES = 1_000
/** Attempts at a change of a file that somebody else changes at the same time. */
const ATTEMPTS = 20

/**
 * Returns handlers for the memory tool of the Claude API whose files lie in a memory: `betaMemoryTool(memoryFiles(memory))`. Models read
 * what the SDK's own files would tell them, word for word. What is written is found by `recall`, too, as the agent's own words. A file
 * has at most 1 MiB as JSON, and there are at most 1,000. A refusal is an error whose message the model reads; nothing is written then.
 *
 * @throws ElfmemError `INVALID_INPUT` for what is no memory or no scope
 */
export function memoryFiles(memory: Memory, options: MemoryFilesOptions = {}): MemoryFileHandlers {
  mustBeOpen(memory, 'items')
  mustTake('memoryFiles', options, {
    shape: { readOnly: taken.flag, virtual: taken.flag, scope: taken.anything },
    example: 'memoryFiles(memory, { readOnly: true })',
  })
  const scope = boundScope(options.scope)
  const virtual = options.virtual === false ? undefined : virtualFiles(memory, scope)
  const folder = new Folder(filesOf(memory, scope), virtual, options.readOnly === true)
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

/** The commands on files and folders. */
class Folder {
  readonly #files: Files
  readonly #virtual: VirtualFiles | undefined
  readonly #isReadOnly: boolean

  constructor(files: Files, virtual: VirtualFiles | undefined, isReadOnly: boolean) {
    this.#files = files
    this.#virtual = virtual
    this.#isReadOnly = isReadOnly
  }

  async view(path: string, range: unknown): Promise<string> {
    const parts = partsOf(path)
    const text = this.#virtual?.owns(parts)
      ? await this.#virtual.read(parts)
      : (await this.#files.read(parts))?.text
    if (text !== undefined) return numberedFile(path, text, range)
    const inside = await this.#inside(parts)
    if (inside.length === 0 && parts.length > 0)
      refuse(`The path ${path} does not exist. Please provide a valid path.`)
    return listing(path, listedOf(inside))
  }

  async create(path: string, text: string): Promise<string> {
    const parts = this.#writable(path)
    return this.#changed(async () => {
      if (parts.length === 0 || (await this.#isThere(parts))) refuse(`File ${path} already exists`)
      await this.#mustLieInFolders(parts)
      const isOther = await this.#files.write([{ parts, text, ifVersion: 0 }])
      return withNote(`File created successfully at: ${path}`, isOther)
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
          `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${linesNamed(lines)}. Please ensure it is unique`,
        )
      const changed = file.text.replace(old, () => text)
      const isOther = await this.#files.write([{ parts, text: changed, ifVersion: file.version }])
      return withNote(changeShown(changed, line), isOther)
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
      const isOther = await this.#files.write([{ parts, text: lines.join('\n'), ifVersion: file.version }])
      return withNote(`The file ${path} has been edited.`, isOther)
    })
  }

  async delete(path: string): Promise<string> {
    const parts = this.#writable(path)
    if (parts.length === 0) refuse('Cannot delete the /memories directory itself')
    return this.#changed(async () => {
      const gone = await this.#moved(parts)
      if (gone.length === 0) refuse(`The path ${path} does not exist`)
      await this.#files.write(gone.map(({ parts: at, version }) => ({ parts: at, ifVersion: version })))
      return `Successfully deleted ${path}`
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
      const isOther = await this.#files.write(writes)
      return withNote(`Successfully renamed ${from} to ${to}`, isOther)
    })
  }

  /** The parts of a path that may be written to. */
  #writable(path: unknown): Parts {
    const parts = partsOf(path)
    if (this.#virtual?.owns(parts)) refuse(`The path ${String(path)} is read-only.`)
    if (this.#isReadOnly) refuse('The memory is read-only here; nothing was changed.')
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

  /** The files of a folder, by their parts below it, with those that are made when they are viewed. */
  async #inside(parts: Parts): Promise<{ readonly parts: Parts; readonly bytes: number }[]> {
    const written = (await this.#files.below(parts)).map(({ parts: at, text }) => ({
      parts: at,
      bytes: Buffer.byteLength(text),
    }))
    const all = this.#virtual === undefined ? written : [...written, ...this.#virtual.listed]
    return all
      .filter(({ parts: at }) => isBelow(at, parts))
      .map((each) => ({ ...each, parts: each.parts.slice(parts.length) }))
  }

  async #file(parts: Parts, path: string): Promise<MemoryFile> {
    const file = await this.#files.read(parts)
    if (file !== undefined) return file
    return refuse(
      (await this.#files.isFolder(parts))
        ? `The path ${path} is not a file.`
        : `The path ${path} does not exist. Please provide a valid path.`,
    )
  }

  /** A file, or all files of a folder. */
  async #moved(parts: Parts): Promise<readonly (MemoryFile & { readonly parts: Parts })[]> {
    const file = await this.#files.read(parts)
    return file === undefined ? this.#files.below(parts) : [{ ...file, parts }]
  }

  async #isThere(parts: Parts): Promise<boolean> {
    return (await this.#files.read(parts)) !== undefined || (await this.#files.isFolder(parts))
  }

  /** Throws if a file stands where a folder would have to be. */
  async #mustLieInFolders(parts: Parts): Promise<void> {
    for (let depth = 1; depth < parts.length; depth += 1) {
      const above = parts.slice(0, depth)
      if ((await this.#files.read(above)) !== undefined)
        refuse(`The path ${pathOf(above)} is not a directory.`)
    }
  }
}

/** True of parts that lie in a folder, not of the folder itself. */
function isBelow(parts: Parts, folder: Parts): boolean {
  return parts.length > folder.length && folder.every((name, at) => parts[at] === name)
}

/** A text of a command, as a file can hold it. */
function textIn(command: object, name: string): string {
  const text = (command as Readonly<Record<string, unknown>>)[name]
  return typeof text === 'string' ? text.toWellFormed() : refuse(`\`${name}\` is missing; it is a text.`)
}

/** The lines by their numbers; not all of very many, which a model reads in vain. */
function linesNamed(lines: readonly number[]): string {
  const all = [...new Set(lines)]
  const named = all.slice(0, NAMED_LINES).join(', ')
  return all.length > NAMED_LINES ? `${named} and ${all.length - NAMED_LINES} more` : named
}

/** Models write a number as a text now and then. */
function lineIn({ insert_line: line }: { readonly insert_line: unknown }): number {
  if (typeof line === 'number') return line
  return typeof line === 'string' && /^-?\d{1,9}$/.test(line)
    ? Number(line)
    : refuse('`insert_line` is missing; it is a number.')
}

function withNote(text: string, isOther: boolean): string {
  return isOther ? `${text}\nWhat looks like a password or a key was not kept.` : text
}

/** A refusal of the memory is an error that says its code and what to do, as the model reads only the message. */
async function told(work: () => Promise<string>): Promise<string> {
  try {
    return await work()
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    const sentence = pathRefusal(error) ?? `${error.code}: ${error.message} ${error.recovery}`
    throw new Error(sentence, { cause: error })
  }
}

/** The limit that a path is over, for a model, which knows files and no items; undefined for another failure. */
function pathRefusal(error: ElfmemError): string | undefined {
  const [unit, found, most] = ['unit', 'found', 'limit'].map((name) => factOf(error, name))
  if (unit === 'characters')
    return `A name in the path has ${found} characters. Maximum is ${most} characters; choose a shorter one.`
  if (unit === 'labels')
    return `The path has ${found} folders. Maximum is ${most} folders; put the file less deep.`
  return undefined
}

/** The folder of the files that are made when they are viewed. */
const FOLDER = 'elfmem'
const SELF = 'self.md'
const SEARCH = 'search'
/** Shown in the folder of searches, so that a model knows what to ask for. */
const QUESTION = '<your question>.md'
/** The size they are said to have in a list: nobody knows it before. */
const BYTES = 4_096
/** Characters of a question in a path, which a path bounds anyway. */
const HOW = `To search all that is remembered, view ${ROOT}/${FOLDER}/${SEARCH}/${QUESTION}`

/** Files that nobody wrote: who the agent is, and what bears on a question. */
interface VirtualFiles {
  /** True of a path in their folder, whether it is there or not. */
  readonly owns: (parts: Parts) => boolean
  /** Returns such a file, made now; undefined if there is none of that name. */
  readonly read: (parts: Parts) => Promise<string | undefined>
  /** The files among them that lists show. */
  readonly listed: readonly { readonly parts: Parts; readonly bytes: number }[]
}

/**
 * Returns the files by which a model finds identity and search without any other tool, since it looks at its files first.
 * Remembered text in them stands in a fence: it is no instruction.
 */
function virtualFiles(memory: Pick<Memory, 'recall'>, scope: string | undefined): VirtualFiles {
  const recalled = async (request: Parameters<Memory['recall']>[0]) => {
    const context = { actor: 'anthropic' }
    const { text, blockIds } = await memory.recall(
      { ...request, ...(scope === undefined ? {} : { scope }) },
      context,
    )
    return fenced(text, blockIds)
  }
  return {
    owns: ([first]) => first === FOLDER,
    read: async ([, second, ...rest]) => {
      if (second === SELF && rest.length === 0)
        return [await recalled({ frame: 'self' }), HOW].filter(Boolean).join('\n\n')
      if (second !== SEARCH || !rest.at(-1)?.endsWith('.md')) return undefined
      const query = rest.join(' ').slice(0, -'.md'.length).replaceAll(/[-_]+/g, ' ').trim()
      return query === '' || query === QUESTION.slice(0, -'.md'.length)
        ? HOW
        : recalled({ query, frame: 'attention' })
    },
    listed: [[SELF], [SEARCH, QUESTION]].map((names) => ({ parts: [FOLDER, ...names], bytes: BYTES })),
  }
}
