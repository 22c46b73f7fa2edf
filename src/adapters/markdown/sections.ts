import { lexer, type Token, type Tokens } from 'marked'

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
  for (const token of lexer(markdown)) {
    const current = sections.at(-1)
    if (current === undefined) break
    if (isHeading(token)) sections.push({ headings: under(current.headings, token), pieces: [] })
    else if (token.type !== 'space' && token.type !== 'hr') current.pieces.push(pieceOf(token))
  }
  return sections.map(({ headings, pieces }, at) => ({
    path: headings.map(({ text }) => text),
    pieces,
    last: (sections[at + 1]?.headings.length ?? 0) <= headings.length,
  }))
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading'
}

function under(headings: readonly Heading[], { depth, text }: Tokens.Heading): Heading[] {
  const above = headings.filter((heading) => heading.depth < depth)
  return text.trim() === '' ? above : [...above, { depth, text: text.trim() }]
}

function pieceOf(token: Token): Piece {
  const text = token.raw.replace(/^\n+|\s+$/g, '')
  if (token.type === 'list' || token.type === 'table') return { kind: token.type, text }
  return { kind: token.type === 'code' && text.startsWith('`') ? 'code' : 'prose', text }
}
