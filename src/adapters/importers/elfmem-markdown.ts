import { join } from 'node:path'
import { parse } from 'yaml'
import { headingIn, wordsOfSection } from '../../block/section.ts'
import { defined } from '../../block/text.ts'
import type { Imported, ImportedSection, ImportedText } from '../../engine/ports.ts'
import { attempt, ElfmemError } from '../../errors.ts'
import { type Importer, left, recordOf, type Source, textOf, wantedFiles, wholeTextIn } from './importer.ts'
import { filesIn, headOf } from './reader.ts'

const IS_NOTE = /\.md$/i
/** Beginning of a note that `export` wrote, also after an editor wrote it anew, and the bytes that show it. */
const OURS = /^\s*---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*?elfmem[ \t]*:/
const HEAD_BYTES = 1_024
const IS_ID = /^[0-9a-f]{8,64}$/
const IDS = /[0-9a-f]{8,64}/g

/** Reads notes that `export` wrote as Markdown: one file, or a folder, whose other notes are passed over. */
export const elfmemMarkdown: Importer = {
  name: 'elfmem-markdown',
  title: 'notes that elfmem wrote',
  detects: ({ path, names, head }) => (names === undefined ? OURS.test(head) : hasOurs(path)),
  read: readNotes,
}

function isNote(name: string): boolean {
  return IS_NOTE.test(name)
}

function hasOurs(folder: string): boolean {
  const isOurs = (file: string) => OURS.test(headOf(join(folder, file), HEAD_BYTES).head)
  for (const file of filesIn(folder, isNote))
    if (typeof file === 'string' && attempt(() => isOurs(file)) === true) return true
  return false
}

function* readNotes(source: Source): Generator<Imported> {
  const { files, losses } = wantedFiles(source, isNote)
  yield* losses
  const notes = new Map<string, Note>()
  for (const file of files) {
    const whole = wholeTextIn(source, file, Number.POSITIVE_INFINITY)
    if ('kind' in whole) yield whole
    else if (!OURS.test(whole.text)) yield left('other notes', 'elfmem did not write them', { example: file })
    else notes.set(file, noteIn(file, whole.text.split('\n')))
  }
  yield* sectionsOf(notes)
}

/** Yields the sections of notes with the hashes that the export wrote, then the texts without an id. */
function* sectionsOf(notes: ReadonlyMap<string, Note>): Generator<Imported> {
  const hashes = new Map([...notes.values()].flatMap((note) => [...note.hashes]))
  const ids = new Set(hashes.keys())
  const sections: ImportedSection[] = []
  const texts: ImportedText[] = []
  const all = [...notes].flatMap(([file, { parts, fields }]) =>
    parts.map((part) => ({ file, fields, ...part })),
  )
  for (const { file, fields, line, heading, content } of all) {
    const place = `${file}:${line}`
    const hash = hashes.get(heading)
    if (IS_ID.test(heading) && hash === undefined)
      throw broken(file, line, `no block of these notes has the id ${heading}, or an earlier section has it`)
    if (hash === undefined && (heading.toLowerCase().match(IDS) ?? []).some((id) => ids.has(id)))
      throw broken(file, line, 'its heading has more than the id of a block')
    // A section without words is gone, too.
    if (content.trim() === '') continue
    if (hash === undefined)
      texts.push({ ...fields, content, place, ...defined({ cue: heading || undefined }) })
    else sections.push({ id: heading, content, hash, place })
    hashes.delete(heading)
  }
  yield { kind: 'sections', sections, gone: [...hashes.keys()], files: [...notes.keys()] }
  yield* texts
}

/** A note has the hashes of its front matter by ids, its parts, and the fields of new texts in it. */
interface Note {
  readonly hashes: ReadonlyMap<string, string>
  readonly parts: readonly { readonly line: number; readonly heading: string; readonly content: string }[]
  readonly fields: Pick<ImportedText, 'kind' | 'speaker' | 'tags' | 'category'>
}

/** Parts a note at its headings; lines above the first are a part without a heading. */
function noteIn(file: string, lines: readonly string[]): Note {
  const begin = lines.findIndex((line) => line.trim() !== '')
  const end = lines.findIndex((line, at) => at > begin && line.trimEnd() === '---')
  if (end < 0) throw broken(file, begin + 1, 'its front matter has no end: a line with --- alone')
  const starts = lines.flatMap((line, at) =>
    at === end || (at > end && headingIn(line) !== undefined) ? [at] : [],
  )
  const parts = starts.map((start, nth) => {
    const own = lines.slice(start + 1, starts[nth + 1])
    const words = start === end ? own.filter((line) => !line.startsWith('# ')) : own
    return {
      line: start + 1,
      heading: headingIn(lines[start] ?? '') ?? '',
      content: wordsOfSection(words.join('\n')),
    }
  })
  const fault = (why: string) => broken(file, begin + 1, why)
  const yaml = lines.slice(begin + 1, end).join('\n')
  // Every value is a text, since an id may look like a number.
  const front = recordOf(attempt(() => parse(yaml, { schema: 'failsafe', maxAliasCount: 0 })))
  if (front.elfmem !== '1') throw fault('its front matter is no YAML, or of another version of elfmem')
  const hashes = new Map<string, string>()
  for (const each of [front.blocks].flat()) {
    const [id = '', hash = ''] = [textOf(recordOf(each).id), textOf(recordOf(each).hash)]
    if (!IS_ID.test(id) || hash === '' || hashes.has(id))
      throw fault(`its front matter has a block without an id and a hash, or twice: ${id}`)
    hashes.set(id, hash)
  }
  const [tag, category] = [textOf(front.tag), textOf(front.category)]
  const fields = { kind: 'text', speaker: 'user', tags: tag ? [tag] : [], ...defined({ category }) } as const
  return { hashes, parts, fields }
}

function broken(file: string, line: number, why: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `${file}:${line}: ${why}.`, {
    recovery:
      'Put that line right, or export to a new folder and carry your words over. Nothing was taken in.',
    details: { path: file, line },
  })
}
