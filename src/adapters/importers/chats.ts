import { join } from 'node:path'
import type { Imported, ImportedText } from '../../engine/ports.ts'
import {
  brokenItem,
  expectFiles,
  type Fields,
  itemsIn,
  left,
  type Probe,
  recordOf,
  type Source,
  tagPart,
} from './importer.ts'

/** Parts of an export that has more conversations than one file takes. */
const CONVERSATIONS = /^conversations(?:-\d{1,6})?\.json$/

/** The files of conversations of an export: of its unpacked folder, or the file itself. */
export function conversationFiles({ path, names }: Pick<Probe, 'path' | 'names'>): readonly string[] {
  if (names === undefined) return [path]
  return conversationNames(names).map((name) => join(path, name))
}

function conversationNames(names: ReadonlySet<string>): string[] {
  return [...names].filter((name) => CONVERSATIONS.test(name)).sort()
}

/** The entries of an export. */
interface ChatExport {
  /** True of an entry that is a conversation. */
  readonly isChat: (entry: Fields) => boolean
  readonly readChat: (chat: Fields) => Iterable<Imported>
  /** Names of files besides, which count with the conversations. */
  readonly beside?: readonly string[]
}

/** The conversations of all files of an export. */
export function* readChats(
  source: Source,
  { isChat, readChat, beside = [] }: ChatExport,
): Generator<Imported> {
  expectFiles(source, [...conversationNames(source.names ?? new Set()), ...beside])
  for (const file of conversationFiles(source))
    for (const { value, number } of itemsIn(source, file)) {
      const chat = recordOf(value)
      if (isChat(chat)) yield* readChat(chat)
      else if (value === undefined) yield brokenItem(`conversation ${number}`)
      else yield left('entries', 'they are no conversations', { example: `conversation ${number}` })
    }
}

/** The name of a conversation or project, for people. */
export function chatTitle(title: string | undefined): string {
  return title ?? 'untitled'
}

/** The fields that all turns of a conversation share. */
export type ChatFields = Required<Pick<ImportedText, 'session' | 'place' | 'tags'>>

/** The fields that all turns of a conversation share. */
export function chatFields(program: 'chatgpt' | 'claude', title: string, id: string | undefined): ChatFields {
  return { session: `${program}/${id ?? title}`, place: title, tags: [`chat/${tagPart(title)}`] }
}
