import { lstatSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { nameOfBeginning } from '../../block/text.ts'
import {
  IMPORT_FORMATS,
  type Imported,
  type Importers,
  type ImportFormat,
  type ImportRequest,
  type OpenedImport,
} from '../../engine/ports.ts'
import { attempt, ElfmemError } from '../../errors.ts'
import { chatGpt, claude, conversationNames } from './chats.ts'
import { elfmemMarkdown } from './elfmem-markdown.ts'
import { elfmemPython } from './elfmem-python.ts'
import { type ForeignTables, type Importer, left, type Probe } from './importer.ts'
import { mem0 } from './mem0.ts'
import { markdownFolder } from './notes.ts'
import { entriesOf, headOf, Reader, textOfBytes } from './reader.ts'
import { rules } from './rules.ts'
import { serverMemory } from './server-memory.ts'

const IMPORTERS: Readonly<Record<ImportFormat, Importer>> = {
  'elfmem-python': elfmemPython,
  mem0,
  'server-memory': serverMemory,
  chatgpt: chatGpt,
  claude,
  rules,
  'elfmem-markdown': elfmemMarkdown,
  markdown: markdownFolder,
}

/** A line of a graph may hold thousands of observations. */
const HEAD_BYTES = 1 << 20
const SQLITE = 'SQLite format 3\0'

/**
 * The importers of this machine.
 *
 * @param openTables opens a database of another program
 */
export function createImporters(openTables: (path: string) => Promise<ForeignTables>): Importers {
  return {
    async open(request) {
      const path = resolve(request.path)
      const reader = new Reader(request)
      const { isFolder } = mustBeThere(path)
      if (isFolder) return opened(request, { probe: folderProbe(path, reader), reader })
      const { head, size } = headOf(path, HEAD_BYTES)
      reader.expect(size)
      const isDatabase = head.toString('latin1', 0, SQLITE.length) === SQLITE
      if (!isDatabase) return opened(request, { probe: fileProbe(path, head, reader), reader })
      const tables = await openTables(path)
      try {
        if (tables.isOurs)
          throw new ElfmemError('INVALID_INPUT', `${path} is a memory of elfmem.`, {
            recovery: 'Export it, then import what was exported: export() and import().',
            details: { path },
          })
        return opened(request, {
          probe: { ...fileProbe(path, Buffer.alloc(0), reader), tables },
          reader,
          size,
        })
      } catch (error) {
        tables.close()
        throw error
      }
    },
  }
}

function mustBeThere(path: string): { readonly isFolder: boolean } {
  const stats = attempt(() => statSync(path, { throwIfNoEntry: false }))
  if (stats !== undefined) return { isFolder: stats.isDirectory() }
  const isLink = attempt(() => lstatSync(path))?.isSymbolicLink()
  throw new ElfmemError('NOT_FOUND', isLink ? `${path} is a link to nothing.` : `There is no ${path}.`, {
    recovery: 'Name a file or a folder that exists.',
    details: { path },
  })
}

function folderProbe(path: string, reader: Reader): Probe {
  const names = new Set(entriesOf(path).map(({ name }) => name))
  const [chats] = conversationNames(names)
  const first = chats === undefined ? undefined : firstItem(join(path, chats), reader, true)
  return { path, name: basename(path), names, head: '', first, firstLine: undefined, tables: undefined }
}

function fileProbe(path: string, bytes: Buffer, reader: Reader): Probe {
  const head = textOfBytes(bytes)
  const isJson = /^\s*[[{]/.test(head)
  return {
    path,
    name: basename(path),
    names: undefined,
    head,
    first: isJson ? firstItem(path, reader, false) : undefined,
    firstLine: isJson ? attempt(() => JSON.parse(head.trimStart().split('\n', 1)[0] ?? '')) : undefined,
    tables: undefined,
  }
}

/** The first item of a JSON file; undefined if there is none, or the file is no JSON. */
function firstItem(path: string, reader: Reader, isInside: boolean): unknown {
  return attempt(() => reader.json(path, isInside)[Symbol.iterator]().next().value?.value)
}

interface Looked {
  readonly probe: Probe
  readonly reader: Reader
  /** Bytes of a database, which is read by other means. */
  readonly size?: number
}

function opened({ format, archived }: ImportRequest, { probe, reader, size = 0 }: Looked): OpenedImport {
  const importer = format === 'auto' ? detected(probe, reader) : asked(format, probe)
  const { tables } = probe
  return {
    format: importer.name,
    title: importer.title,
    progress: () => reader.progress,
    async *read() {
      for (const each of importer.read({ ...probe, reader, archived })) {
        reader.mustGoOn()
        yield reader.isBroken ? wholeOf(each) : each
      }
      reader.count(size)
      if (tables === undefined) return
      if (tables.lost() > 0) yield left('pages or rows', 'they cannot be read', { many: tables.lost() })
      if (tables.hasChanged()) yield left('changes', 'the file was written to meanwhile; import it again')
    },
    close: () => tables?.close(),
  }
}

/** A thing from a file with bytes that are no characters; left out if some of them are in it. */
function wholeOf(each: Imported): Imported {
  if (each.kind === 'left' || each.kind === 'sections' || !JSON.stringify(each).includes('\ufffd'))
    return each
  const why = 'they hold bytes that are no UTF-8; save the file as UTF-8 and import it again'
  return left('texts', why, each.kind === 'text' ? { example: each.place } : {})
}

function detected(probe: Probe, reader: Reader): Importer {
  const found = IMPORT_FORMATS.map((name) => IMPORTERS[name]).find((importer) => importer.detects(probe))
  if (found !== undefined) return found
  const { path, head } = probe
  // A file that is too large, or only a part of one, has its own refusal.
  if (/^\s*[[{]/.test(head) && path.endsWith('.json')) reader.json(path, false)
  const kind = nameOfBeginning(head)
  if (kind === ZIP)
    throw new ElfmemError('INVALID_INPUT', `${path} is ${kind}.`, {
      recovery: 'Unpack it first, then name the folder or the file in it.',
      details: { path },
    })
  const like = kind === undefined ? '' : ` It looks like ${kind}.`
  throw new ElfmemError('INVALID_INPUT', `Nothing that is known was recognised in ${path}.${like}`, {
    recovery: `These can be imported: ${IMPORT_FORMATS.map((name) => `${name} (${IMPORTERS[name].title})`).join(', ')}. If it is one of them, name it as format. An export of elfmem: import(). Another text: learnDocument().`,
    details: { path, options: IMPORT_FORMATS },
  })
}

const ZIP = 'a ZIP archive'

/** Returns the importer of a format that was named; it must fit the file if it says how the file is read. */
function asked(format: ImportFormat, probe: Probe): Importer {
  const importer = IMPORTERS[format]
  if (importer.detects(probe)) return importer
  const isRead = probe.tables === undefined && (READS_ANY.has(format) || probe.names === undefined)
  const needsTables = format === 'elfmem-python'
  if (isRead && !needsTables && nameOfBeginning(probe.head) !== ZIP) return importer
  throw new ElfmemError('INVALID_INPUT', `${probe.path} is not ${importer.title}.`, {
    recovery: 'Leave format out to have it recognised, or name another file.',
    details: { path: probe.path, given: format },
  })
}

/** Formats that any folder may have. */
const READS_ANY: ReadonlySet<ImportFormat> = new Set(['markdown', 'elfmem-markdown', 'rules'])
