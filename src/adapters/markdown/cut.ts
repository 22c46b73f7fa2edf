import { codePointLength, estimateTokens, splitWhitespace, takeCodePoints } from '../../block/text.ts'
import type { Chunk } from '../../engine/ports.ts'
import { blocksOf, itemsOf, type MarkdownBlock } from './blocks.ts'

/** Characters of a token, as `estimateTokens` counts them. */
const CHARACTERS_PER_TOKEN = 4

/** Cuts Markdown at its headings, and long sections between paragraphs, list items, table rows, lines or sentences. */
export function cutMarkdown(text: string, maxTokens: number): Chunk[] {
  const sections = sectionsOf(text)
  return sections.flatMap((section, at) => chunksOf(section, sections[at + 1], maxTokens))
}

/** The part of a text under one heading, up to the next. */
interface Section {
  /** The heading and those above it, outermost first; empty before the first heading. */
  readonly headings: readonly MarkdownBlock[]
  readonly blocks: MarkdownBlock[]
}

/** Returns the sections of a Markdown text in order, without rules and empty lines. A text without headings is one section. */
function sectionsOf(markdown: string): Section[] {
  let current: Section = { headings: [], blocks: [] }
  const sections = [current]
  for (const block of blocksOf(markdown)) {
    if (block.kind === 'heading') {
      const above = current.headings.filter(({ depth = 1 }) => depth < (block.depth ?? 1))
      current = { headings: block.text === '' ? above : [...above, block], blocks: [] }
      sections.push(current)
    } else if (block.kind !== 'rule') current.blocks.push(block)
  }
  return sections
}

function chunksOf({ headings, blocks }: Section, next: Section | undefined, maxTokens: number): Chunk[] {
  const heading = headingOf(headings, maxTokens)
  // A heading too long to stand before every chunk of its section is a text of its own.
  if (heading === undefined)
    return packed([...headings.slice(-1), ...blocks], maxTokens).map((text) => ({ text }))
  const prefix = `${heading}\n\n`
  const bodies = packed(blocks, maxTokens - estimateTokens(prefix) - 1)
  if (bodies.length > 0) return bodies.map((body) => ({ text: prefix + body, heading }))
  // A section below repeats the heading in its path, if that is short enough.
  const isRepeated =
    next !== undefined &&
    next.headings.length > headings.length &&
    pathOf(next.headings, maxTokens) !== undefined
  return isRepeated ? [] : [{ text: heading, heading }]
}

/** Returns the heading path, or only its last part, when it leaves at least half the room. */
function headingOf(headings: readonly MarkdownBlock[], maxTokens: number): string | undefined {
  return pathOf(headings, maxTokens) ?? pathOf(headings.slice(-1), maxTokens)
}

/** A long heading stands above many sections, so its length is looked at before it is put together with theirs. */
function pathOf(headings: readonly MarkdownBlock[], maxTokens: number): string | undefined {
  const units = headings.reduce((sum, { text }) => sum + text.length, 0)
  // A character takes at most two units.
  if (units === 0 || units > (maxTokens / 2 + 1) * CHARACTERS_PER_TOKEN * 2) return undefined
  const path = headings.map(({ text }) => text).join(' > ')
  return estimateTokens(path) <= maxTokens / 2 ? path : undefined
}

/** Returns texts of at most `maxTokens` estimated tokens with the blocks in order; a block is cut only if it must be. */
function packed(blocks: readonly MarkdownBlock[], maxTokens: number): string[] {
  const parts: string[] = []
  for (const block of blocks) {
    const above = `${parts.at(-1)}\n\n${block.text}`
    // Code stays with the paragraph or list above it, if both fit into one text.
    if (block.kind === 'code' && parts.length > 0 && fits(above, maxTokens)) parts[parts.length - 1] = above
    else parts.push(...(fits(block.text, maxTokens) ? [block.text] : split(block, maxTokens)))
  }
  return pack(parts, '\n\n', maxTokens)
}

function split({ kind, text }: MarkdownBlock, maxTokens: number): string[] {
  const lines = text.split('\n')
  if (kind === 'table') return framed(lines, maxTokens, { head: 2, foot: 0 })
  // Code at the end of a document may never be closed; then its last line is a line of the code.
  if (kind === 'code')
    return framed(lines, maxTokens, { head: 1, foot: FENCE.test(lines.at(-1) ?? '') ? 1 : 0 })
  if (kind !== 'list') return fitted(text, maxTokens)
  return pack(
    itemsOf(text).flatMap((item) => fitted(item, maxTokens)),
    '\n',
    maxTokens,
  )
}

const FENCE = /^ {0,3}(?:`{3,}|~{3,})\s*$/

/** Packs lines into texts that all repeat the first and last lines: a code fence, or the head of a table. */
function framed(
  lines: readonly string[],
  maxTokens: number,
  { head, foot }: { readonly head: number; readonly foot: number },
): string[] {
  const top = lines.slice(0, head).join('\n')
  const bottom = lines.slice(lines.length - foot)
  const room = maxTokens - estimateTokens(top) - estimateTokens(bottom.join('')) - 2
  if (room < maxTokens / 2) return fitted(lines.join('\n'), maxTokens)
  const inner = lines.slice(head, lines.length - foot)
  const bodies = pack(
    inner.flatMap((line) => fitted(line, room)),
    '\n',
    room,
  )
  return bodies.map((body) => [top, body, ...bottom].join('\n'))
}

/** Returns the text in the largest parts that fit: whole, as sentences, as words, or as pieces of a word. */
function fitted(text: string, maxTokens: number): string[] {
  if (fits(text, maxTokens)) return [text]
  const sentences = text
    .split(/(?<=[.!?])\s+/)
    .flatMap((sentence) =>
      fits(sentence, maxTokens) ? [sentence] : pack(wordsOf(sentence, maxTokens), ' ', maxTokens),
    )
  return pack(sentences, ' ', maxTokens)
}

function wordsOf(sentence: string, maxTokens: number): string[] {
  return splitWhitespace(sentence).flatMap((word) => {
    const parts: string[] = []
    for (let rest = word; rest !== ''; rest = rest.slice(parts.at(-1)?.length))
      parts.push(takeCodePoints(rest, maxTokens * CHARACTERS_PER_TOKEN))
    return parts
  })
}

function pack(parts: readonly string[], glue: string, maxTokens: number): string[] {
  const limit = maxTokens * CHARACTERS_PER_TOKEN
  const texts: string[][] = []
  let length = 0
  for (const part of parts) {
    const size = codePointLength(part)
    const longer = length + glue.length + size
    const current = texts.at(-1)
    if (current !== undefined && longer <= limit) current.push(part)
    else texts.push([part])
    length = current !== undefined && longer <= limit ? longer : size
  }
  return texts.map((each) => each.join(glue))
}

function fits(text: string, maxTokens: number): boolean {
  return codePointLength(text) <= maxTokens * CHARACTERS_PER_TOKEN
}
