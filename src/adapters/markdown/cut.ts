import { estimateTokens } from '../../domain/text/text.ts'
import type { Chunk } from '../../ports/chunker.ts'
import { type Section, sectionsOf } from './sections.ts'
import { packPieces } from './split.ts'

/** Cuts Markdown at its headings, and long sections between paragraphs, list items, table rows, lines or sentences. */
export function cutMarkdown(text: string, maxTokens: number): Chunk[] {
  const sections = sectionsOf(text)
  return sections.flatMap((section, at) => chunksOf(section, sections[at + 1], maxTokens))
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
  return !last && next !== undefined && wholePath(next.path, maxTokens) !== undefined
}

/** The heading path, or only its last part, when it leaves at least half the room. */
function headingOf(path: readonly string[], maxTokens: number): string | undefined {
  return wholePath(path, maxTokens) ?? wholePath(path.slice(-1), maxTokens)
}

const CHARACTERS_PER_TOKEN = 4

/** A long heading stands above many sections, so its length is looked at before it is put together with theirs. */
function wholePath(path: readonly string[], maxTokens: number): string | undefined {
  const units = path.reduce((sum, { length }) => sum + length, 0)
  // A character takes at most two units.
  if (units === 0 || units > (maxTokens / 2 + 1) * CHARACTERS_PER_TOKEN * 2) return undefined
  const text = path.join(' > ')
  return estimateTokens(text) <= maxTokens / 2 ? text : undefined
}
