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
  for (const token of tokensOf(markdown)) {
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

/** Marks at the beginning of one line, beyond which nobody nests; the parser calls itself for each. */
const NESTED_TOO_DEEP = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){20}/m

/** The blocks of a text; its paragraphs alone where it is nested deeper than the parser can follow. */
function tokensOf(markdown: string): readonly Token[] {
  if (NESTED_TOO_DEEP.test(markdown)) return paragraphsOf(markdown)
  try {
    return lexer(markdown)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return paragraphsOf(markdown)
  }
}

function paragraphsOf(text: string): readonly Token[] {
  const paragraphs = text.split(/\n[ \t]*\n/).filter((raw) => raw.trim() !== '')
  return paragraphs.map((raw) => ({ type: 'paragraph', raw }))
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading'
}

function under(headings: readonly Heading[], { depth, text }: Tokens.Heading): Heading[] {
  const above = headings.filter((heading) => heading.depth < depth)
  return text.trim() === '' ? above : [...above, { depth, text: text.trim() }]
}

function pieceOf(token: Token): Piece {
  const text = token.raw.replace(/^\n+/, '').trimEnd()
  if (token.type === 'list' || token.type === 'table') return { kind: token.type, text }
  return { kind: token.type === 'code' && text.startsWith('`') ? 'code' : 'prose', text }
}
