import { marked, type Token, type Tokens } from 'marked'

/** One piece of running text: a paragraph, a heading, a list item or a table cell, with the line of its first word. */
export interface Passage {
  readonly line: number
  readonly text: string
}

/** Stand for the white space inside inline code, so that the code counts as one word and ends no sentence. */
const CODE_SPACE = '\uE000'
const CODE_BREAK = '\uE001'

/** The text of inline Markdown without its marks: code keeps its backticks, a link keeps its words. */
function plain(tokens: readonly Token[]): string {
  return tokens.map(plainOne).join('')
}

function plainOne(token: Token): string {
  if (token.type === 'codespan') return token.raw.replaceAll(' ', CODE_SPACE).replaceAll('\n', CODE_BREAK)
  if (token.type === 'html' || token.type === 'image') return ''
  if (token.type === 'br') return '\n'
  if ('tokens' in token && token.tokens !== undefined) return plain(token.tokens)
  return 'text' in token ? token.text : ''
}

/** A sentence as it stands in the page. */
export function asWritten(sentence: string): string {
  return sentence
    .replaceAll(CODE_SPACE, ' ')
    .replaceAll(/\s+|\uE001/g, ' ')
    .trim()
}

/** The number of line ends in a text, those inside inline code among them. */
export function lineEnds(text: string): number {
  return text.match(/\n|\uE001/g)?.length ?? 0
}

function* tablePassages({ header, rows }: Tokens.Table, line: number): Generator<Passage> {
  // A table has one line for its head, one for the rule below it and one for each row.
  for (const [at, cells] of [header, [], ...rows].entries())
    for (const { tokens } of cells) yield { line: line + at, text: plain(tokens) }
}

/** The passages of blocks that stand one after the other in `raw`, whose first line has this number. */
function* blockPassages(blocks: readonly Token[], raw: string, line: number): Generator<Passage> {
  let from = 0
  for (const block of blocks) {
    // The lines of a nested block lose their indent, so only its first line is looked for.
    const [first = ''] = block.raw.split('\n')
    const at = Math.max(raw.indexOf(first, from), from)
    yield* passagesIn(block, line + lineEnds(raw.slice(0, at)))
    from = at + first.length
  }
}

function* passagesIn(block: Token, line: number): Generator<Passage> {
  if (block.type === 'table') yield* tablePassages(block as Tokens.Table, line)
  else if (block.type === 'list') yield* blockPassages((block as Tokens.List).items, block.raw, line)
  else if (block.type === 'list_item' || block.type === 'blockquote')
    yield* blockPassages(block.tokens ?? [], block.raw, line)
  else if (block.type === 'paragraph' || block.type === 'heading' || block.type === 'text')
    yield { line, text: plain(block.tokens ?? []) }
}

/** The running text of a page: code blocks, HTML and link addresses left out. */
export function passagesOf(page: string): readonly Passage[] {
  return [...blockPassages(marked.lexer(page), page, 1)]
}
