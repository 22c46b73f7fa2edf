import { statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { nameOfBeginning } from '../../block/text.ts'
import {
  IMPORT_FORMATS,
  type Importers,
  type ImportFormat,
  type ImportRequest,
  type OpenedImport,
} from '../../engine/ports.ts'
import { attempt, ElfmemError } from '../../errors.ts'
import { elfmemMarkdown } from './elfmem-markdown.ts'
import { elfmemPython } from './elfmem-python.ts'
import type { ForeignTables, Importer, Probe } from './importer.ts'
import { markdownFolder } from './notes.ts'
import { chatGpt, claude, isConversations, mem0, serverMemory } from './programs.ts'
import { entriesOf, headOf, Reader } from './reader.ts'
import { rules } from './rules.ts'

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
      if (attempt(() => statSync(path))?.isDirectory())
        return opened(request, folderProbe(path, reader), reader)
      const { head, size } = headOf(path, HEAD_BYTES)
      reader.expect(size)
      if (!head.startsWith(SQLITE)) return opened(request, fileProbe(path, head, reader), reader)
      const tables = await openTables(path)
      try {
        if (tables.isOurs)
          throw new ElfmemError('INVALID_INPUT', `${path} is a memory of elfmem.`, {
            recovery: 'Export it, then import what was exported: export() and import().',
            details: { path },
          })
        return opened(request, { ...fileProbe(path, '', reader), tables }, reader)
      } catch (error) {
        tables.close()
        throw error
      }
    },
  }
}

function folderProbe(path: string, reader: Reader): Probe {
  const names = new Set(entriesOf(path).map(({ name }) => name))
  const [chats] = [...names].filter(isConversations).sort()
  const first = chats === undefined ? undefined : firstItem(join(path, chats), reader, true)
  return { path, name: basename(path), names, head: '', first, firstLine: undefined, tables: undefined }
}

function fileProbe(path: string, head: string, reader: Reader): Probe {
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

/** Returns the first item of a JSON file; undefined if there is none, or the file is no JSON. */
function firstItem(path: string, reader: Reader, isInside: boolean): unknown {
  return attempt(() => reader.json(path, isInside)[0])
}

/** Opens a probed file or folder with the importer of its format. */
function opened({ format, archived }: ImportRequest, probe: Probe, reader: Reader): OpenedImport {
  const importer = format === 'auto' ? detected(probe, reader) : asked(format, probe)
  return {
    format: importer.name,
    async *read() {
      for (const each of importer.read({ ...probe, reader, archived })) {
        reader.mustGoOn()
        yield each
      }
    },
    close: () => probe.tables?.close(),
  }
}

function detected(probe: Probe, reader: Reader): Importer {
  const found = IMPORT_FORMATS.map((name) => IMPORTERS[name]).find((importer) => importer.detects(probe))
  if (found !== undefined) return found
  const { path, head } = probe
  // Reading throws its own refusal for a file that is too large or broken off.
  if (/^\s*[[{]/.test(head) && path.endsWith('.json')) reader.json(path, false)
  const kind = nameOfBeginning(head)
  const like = kind === undefined ? '' : ` It looks like ${kind}.`
  throw new ElfmemError('INVALID_INPUT', `Nothing that is known was recognised in ${path}.${like}`, {
    recovery: `These can be imported, unpacked: ${IMPORT_FORMATS.map((name) => `${name} (${IMPORTERS[name].title})`).join(', ')}. If it is one of them, name it as format. An export of elfmem: import(). Another text: learnDocument().`,
    details: { path, options: IMPORT_FORMATS },
  })
}

/** Returns the importer of a named format. Throws for a database whose tables it does not know. */
function asked(format: ImportFormat, probe: Probe): Importer {
  const importer = IMPORTERS[format]
  if (importer.detects(probe) || (probe.tables === undefined && format !== 'elfmem-python')) return importer
  throw new ElfmemError('INVALID_INPUT', `${probe.path} is not ${importer.title}.`, {
    recovery: 'Leave format out to have it recognised, or name another file.',
    details: { path: probe.path, given: format },
  })
}
