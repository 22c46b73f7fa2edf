import { markdownChunker } from '../../adapters/markdown/chunker.ts'
import type { Memory } from '../../engine/memory.ts'
import { settingsSchema } from '../../engine/settings.ts'
import { ITEM_BYTES } from '../../intake/check-input.ts'
import { isShown, type Parts, pathOf, ROOT, refuse } from './paths.ts'
import type { Listed } from './wording.ts'

/** The space of the files. */
const SPACE = 'memories'
/** Files in all: a model looks through them by their names. */
const FILES_MAX = 1_000
/** Files read at once for a list, so that long ones do not fill the memory of the process. */
const PAGE = 100
/** Chunks of a file; of a longer one each is longer. */
const CHUNKS_MAX = 800
/** Characters of the source of a block; a path may have more. */
const SOURCE_MAX = 256
/** Characters that count as one token, as in every estimate. */
const CHARACTERS_A_TOKEN = 4
/** The name under which the log has what is done here. */
const ACTOR = 'anthropic'

/** A file as it was read. */
export interface MemoryFile {
  readonly text: string
  readonly version: number
}

/** A change of one file: its new text, or none if it goes. */
export interface FileWrite {
  readonly parts: Parts
  readonly text?: string
  /** The version it was read at, 0 if it was not there. */
  readonly ifVersion: number
}

/** The files of a memory, which are named items; the last part of a path is the key. */
export interface Files {
  read(parts: Parts): Promise<MemoryFile | undefined>
  /** Reads all files in a folder and in those below, by their parts. */
  below(parts: Parts): Promise<readonly (MemoryFile & { readonly parts: Parts })[]>
  isFolder(parts: Parts): Promise<boolean>
  /**
   * Writes all or none; each text is also cut into blocks that recall finds. Rejects with `CONFLICT` if a file was changed since
   * it was read. True if what is kept is not what was given, because of a secret in it.
   */
  write(writes: readonly FileWrite[]): Promise<boolean>
}

/** Returns the files of a memory, or of one of its scopes. */
export function filesOf(memory: Pick<Memory, 'items'>, scope: string | undefined): Files {
  const items = memory.items(SPACE, scope === undefined ? {} : { scope })
  const context = { actor: ACTOR }

  async function below(parts: Parts) {
    const files: (MemoryFile & { readonly parts: Parts })[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await items.list(
        { namespace: parts, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) },
        context,
      )
      for (const { namespace, key, ...item } of page.items)
        files.push({ parts: [...namespace, key], ...fileOf(item) })
      cursor = page.cursor
      if (cursor === undefined) return files
    }
  }

  async function mustHaveRoom(writes: readonly FileWrite[]): Promise<void> {
    for (const { parts, text = '' } of writes) {
      const [bytes, most] = [Buffer.byteLength(JSON.stringify({ text })), ITEM_BYTES]
      if (bytes > most)
        refuse(`File ${pathOf(parts)} would have ${bytes} bytes as JSON. Maximum is ${most} bytes.`)
    }
    const added = writes.filter(({ text, ifVersion }) => text !== undefined && ifVersion === 0).length
    const removed = writes.filter(({ text }) => text === undefined).length
    if (added <= removed) return
    const there = (await below([])).length
    if (there + added - removed > FILES_MAX)
      refuse(`There are ${there} files. Maximum is ${FILES_MAX} files; delete some first.`)
  }

  return {
    below,
    read: async (parts) => {
      const item = parts.length === 0 ? undefined : await items.get(placeOf(parts), context)
      return item && fileOf(item)
    },
    isFolder: async (parts) =>
      parts.length === 0 || (await items.namespaces({ namespace: parts }, context)).length > 0,
    write: async (writes) => {
      await mustHaveRoom(writes)
      const steps = await Promise.all(writes.map(stepOf))
      const kept = await items.batch(steps, context)
      return writes.some(
        ({ text }, at) => text !== undefined && fileOf(kept[at] as { value: unknown }).text !== text,
      )
    },
  }
}

async function stepOf({ parts, text, ifVersion }: FileWrite) {
  if (text === undefined) return { do: 'delete', ...placeOf(parts), ifVersion } as const
  const source = sourceOf(pathOf(parts))
  const texts = (await chunksOf(text)).map((content) => ({ content, source, sourceClass: 'agent' }) as const)
  return { do: 'put', ...placeOf(parts), value: { text }, texts, ifVersion } as const
}

/** A path as the source of blocks, which says more by its end than by its beginning. */
function sourceOf(path: string): string {
  if (path.length <= SOURCE_MAX) return path
  const begun = `${ROOT}/…`
  return begun + path.slice(begun.length - SOURCE_MAX).replace(/^[\udc00-\udfff]/, '')
}

/** Cut as a document is; of very many pieces some that follow each other are one. */
async function chunksOf(text: string): Promise<string[]> {
  const usual = settingsSchema.parse({}).memory.chunkTokens
  const longer = Math.ceil(text.length / CHARACTERS_A_TOKEN / CHUNKS_MAX)
  // No block holds a NUL, and a file may.
  const chunks = await markdownChunker.chunks(text.replaceAll('\u0000', ' '), Math.max(usual, longer))
  const together = Math.ceil(chunks.length / CHUNKS_MAX)
  return chunks.flatMap((_, at) =>
    at % together === 0
      ? [
          chunks
            .slice(at, at + together)
            .map((chunk) => chunk.text)
            .join('\n\n'),
        ]
      : [],
  )
}

function placeOf(parts: Parts) {
  return { namespace: parts.slice(0, -1), key: parts.at(-1) ?? '' }
}

/** Returns an item as a file; the value of another program is one, too, as the JSON it is. */
function fileOf({ value, version = 0 }: { readonly value: unknown; readonly version?: number }): MemoryFile {
  const { text } = Object(value) as { readonly text?: unknown }
  return { text: typeof text === 'string' ? text : JSON.stringify(value), version }
}

/** Returns a folder as a list shows it: two levels deep, in the order of the names, hidden names left out. */
export function listedOf(
  files: readonly { readonly parts: Parts; readonly bytes: number }[],
  levels = 2,
): Listed[] {
  const names = new Map<string, { parts: Parts; bytes: number }[]>()
  for (const { parts, bytes } of files) {
    const [name = '', ...rest] = parts
    names.set(name, [...(names.get(name) ?? []), { parts: rest, bytes }])
  }
  const shown = [...names].filter(([name]) => isShown(name)).sort(([one], [other]) => (one < other ? -1 : 1))
  return shown.flatMap(([name, inside]): Listed[] => {
    const file = inside.find(({ parts }) => parts.length === 0)
    const below = inside.filter(({ parts }) => parts.length > 0)
    const own = file === undefined ? [] : [{ path: name, bytes: file.bytes }]
    if (below.length === 0) return own
    const deeper = levels > 1 ? listedOf(below, levels - 1) : []
    return [
      ...own,
      { path: `${name}/` },
      ...deeper.map((each) => ({ ...each, path: `${name}/${each.path}` })),
    ]
  })
}
