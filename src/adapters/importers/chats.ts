import { join } from 'node:path'
import type { Imported } from '../../ports/importers.ts'
import { brokenItem, type Probe, type Source } from './importer.ts'
import { factsOf } from './reading/reader.ts'

/** Parts of an export that has more conversations than one file takes. */
const CONVERSATIONS = /^conversations(?:-\d{1,6})?\.json$/

/** The files of conversations of an export: of its unpacked folder, or the file itself. */
export function conversationFiles({ path, names }: Pick<Probe, 'path' | 'names'>): readonly string[] {
  if (names === undefined) return [path]
  return [...names]
    .filter((name) => CONVERSATIONS.test(name))
    .sort()
    .map((name) => join(path, name))
}

/** Announces the files of a folder, so that all count together. */
export function expectFiles({ reader, names }: Source, files: readonly string[]): void {
  if (names === undefined) return
  for (const file of files) reader.expect(factsOf(file, true).size)
}

/** The name of a conversation, as a tag and for people. */
export function chatTitle(title: string | undefined): string {
  return title ?? 'untitled'
}

/** An entry that is no conversation: broken, or something else. */
export function noChat(value: unknown, example: string): Imported {
  if (value === undefined) return brokenItem(example)
  return { kind: 'left', what: 'entries', why: 'they are no conversations', example }
}

/** Something of a chat that is no text. */
export function left(what: string, why: string, many = 1): Imported {
  return { kind: 'left', what, why, many }
}
