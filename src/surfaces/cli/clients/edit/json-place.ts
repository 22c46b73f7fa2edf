import { indentAt, indentIn, type JsonStyle, startsLine } from './json-style.ts'
import type { JsonChild, JsonNode } from './json-tree.ts'

interface Wanted {
  /** The object or list that gets one more. */
  readonly node: JsonNode
  readonly style: JsonStyle
  /** The text to write, by the indentation of its line. */
  readonly write: (indent: string) => string
}

interface Placed {
  readonly edited: string
  readonly lead: string
  readonly tail: string
}

/** Puts a text behind the last child of a container; no character that was there goes. */
export function placeIn(text: string, wanted: Wanted): Placed {
  const last = wanted.node.container?.children.at(-1)
  return last === undefined ? placeAlone(text, wanted) : placeBehind(text, last, wanted)
}

function placeBehind(text: string, last: JsonChild, { node, style, write }: Wanted): Placed {
  const before = node.container?.children.at(-2)?.comma ?? node.start
  const ownLine = indentIn(text.slice(before + 1, last.start))
  const onOwnLine = ownLine !== undefined
  const indent = ownLine ?? ''
  const lead = onOwnLine ? style.lineEnd + indent : style.tight ? '' : ' '
  const behind = (last.comma ?? last.end - 1) + 1
  const at = onOwnLine ? endOfLine(text, behind) : behind
  const comma = last.comma === undefined ? ',' : ''
  // Where the others end with a comma, ours does.
  const tail = last.comma === undefined ? '' : ','
  const edited =
    text.slice(0, last.end) + comma + text.slice(last.end, at) + lead + write(indent) + tail + text.slice(at)
  return { edited, lead, tail: '' }
}

/** Blanks and comments up to the end of a line. */
const REST_OF_LINE = /(?:[ \t]|\/\*(?:[^*\r\n]|\*(?!\/))*\*\/)*(?:\/\/[^\r\n]*)?(?=\r?\n)/y

/** The end of the line if nothing but blanks and comments stands behind an offset, else the offset. */
function endOfLine(text: string, offset: number): number {
  REST_OF_LINE.lastIndex = offset
  return offset + (REST_OF_LINE.exec(text)?.[0].length ?? 0)
}

function placeAlone(text: string, { node, style, write }: Wanted): Placed {
  const close = node.end - 1
  if (style.flat) {
    const inner = write('')
    return { edited: text.slice(0, close) + inner + text.slice(close), lead: '', tail: '' }
  }
  const outer = startsLine(text, close) ? indentAt(text, close) : indentAt(text, node.start)
  const indent = outer + style.unit
  const lead = style.lineEnd + indent
  const blanks = /\r?\n[ \t]*$/.exec(text.slice(node.start, close))
  const at = blanks === null ? close : node.start + blanks.index
  const tail = blanks === null ? style.lineEnd + outer : ''
  return { edited: text.slice(0, at) + lead + write(indent) + tail + text.slice(at), lead, tail }
}
