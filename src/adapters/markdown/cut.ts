import { estimateTokens } from '../../block/text.ts'
import type { Chunk } from '../../engine/ports.ts'
import { blocksOf, type MarkdownBlock } from './blocks.ts'
import { CHARACTERS_PER_TOKEN, type Piece, packPieces } from './split.ts'

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

/** A long heading stands above many sections, so its length is looked at before it is put together with theirs. */
function wholePath(path: readonly string[], maxTokens: number): string | undefined {
  const units = path.reduce((sum, { length }) => sum + length, 0)
  // A character takes at most two units.
  if (units === 0 || units > (maxTokens / 2 + 1) * CHARACTERS_PER_TOKEN * 2) return undefined
  const text = path.join(' > ')
  return estimateTokens(text) <= maxTokens / 2 ? text : undefined
}

/** The part of a text under one heading, up to the next. */
interface Section {
  /** The heading and those above it, outermost first; empty before the first heading. */
  readonly path: readonly string[]
  readonly pieces: readonly Piece[]
  /** True if no heading below this one repeats it in its path. */
  readonly last: boolean
}

interface Heading {
  readonly depth: number
  readonly text: string
}

/** The sections of a Markdown text in order, without rules and empty lines. A text without headings is one section. */
function sectionsOf(markdown: string): Section[] {
  const sections: { headings: readonly Heading[]; pieces: Piece[] }[] = [{ headings: [], pieces: [] }]
  for (const block of blocksOf(markdown)) {
    const current = sections.at(-1)
    if (current === undefined) break
    if (block.kind === 'heading') sections.push({ headings: under(current.headings, block), pieces: [] })
    else if (block.kind !== 'rule') current.pieces.push(pieceOf(block))
  }
  return sections.map(({ headings, pieces }, at) => ({
    path: headings.map(({ text }) => text),
    pieces,
    last: (sections[at + 1]?.headings.length ?? 0) <= headings.length,
  }))
}

function under(headings: readonly Heading[], { depth = 1, text }: MarkdownBlock): Heading[] {
  const above = headings.filter((heading) => heading.depth < depth)
  return text === '' ? above : [...above, { depth, text }]
}

/** Code without marks around it may be cut anywhere, like prose. */
function pieceOf({ kind, text }: MarkdownBlock): Piece {
  if (kind === 'list' || kind === 'table') return { kind, text }
  return { kind: kind === 'code' && text.startsWith('`') ? 'code' : 'prose', text }
}
