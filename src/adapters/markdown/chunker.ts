import { estimateTokens } from '../../domain/text/text.ts'
import type { Chunk, Chunker } from '../../ports/chunker.ts'
import { type Section, sectionsOf } from './sections.ts'
import { packPieces } from './split.ts'

/** Cuts Markdown at its headings, and long sections between paragraphs, list items, table rows, lines or sentences. */
export const markdownChunker: Chunker = {
  chunks(text, maxTokens) {
    const sections = sectionsOf(text)
    return sections.flatMap((section, at) => chunksOf(section, sections[at + 1], maxTokens))
  },
}

function chunksOf(section: Section, next: Section | undefined, maxTokens: number): Chunk[] {
  const heading = headingOf(section.path, maxTokens)
  const named = heading === undefined ? {} : { heading }
  const prefix = heading === undefined ? '' : `${heading}\n\n`
  // A heading too long to stand before every chunk of its section is a text of its own.
  const title = heading === undefined ? section.path.slice(-1) : []
  const pieces = [...title.map((text) => ({ kind: 'prose' as const, text })), ...section.pieces]
  if (pieces.length === 0)
    return heading === undefined || isRepeated(section, next, maxTokens) ? [] : [{ text: heading, ...named }]
  const room = maxTokens - estimateTokens(prefix) - 1
  return packPieces(pieces, room).map((body) => ({ text: prefix + body, ...named }))
}

/** True if the next section stands below this heading and has room to say so. */
function isRepeated({ last }: Section, next: Section | undefined, maxTokens: number): boolean {
  return !last && next !== undefined && headingOf(next.path, maxTokens) === next.path.join(' > ')
}

/** The heading path, or only its last part, when it leaves at least half the room. */
function headingOf(path: readonly string[], maxTokens: number): string | undefined {
  const fits = (text: string): boolean => text !== '' && estimateTokens(text) <= maxTokens / 2
  return [path.join(' > '), path.at(-1) ?? ''].find(fits)
}
