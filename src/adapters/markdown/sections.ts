import { blocksOf, type MarkdownBlock } from './blocks.ts'

/** Something that is kept whole when it fits: a paragraph, a list, a table, a code block. */
export interface Piece {
  readonly kind: 'prose' | 'list' | 'table' | 'code'
  readonly text: string
}

/** The part of a text under one heading, up to the next. */
export interface Section {
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
export function sectionsOf(markdown: string): Section[] {
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
