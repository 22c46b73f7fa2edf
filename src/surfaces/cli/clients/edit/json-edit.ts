import { type Edited, type Editor, type Entry, type Standing, sha256OfValue, type Trace } from './entry.ts'
import {
  indentAt,
  indentIn,
  type JsonStyle,
  memberText,
  rendered,
  startsLine,
  styleOf,
} from './json-style.ts'
import { childOf, type JsonChild, type JsonContainer, type JsonNode, readJsonTree } from './json-tree.ts'
import { misplaced } from './unparsable.ts'

/** Edits JSON, with or without comments, in the style of the file. */
export const jsonEditor: Editor = {
  stands: (text, entry) => found(readJsonTree(text), entry).standing,
  put,
  takeOut: (text, trace) => takeOutOf(text, readJsonTree(text), trace),
  snippet(entry) {
    const value = nested(entry.at, entry.kind === 'item' ? [entry.value] : entry.value)
    return rendered(value, styleOf('', undefined), '')
  },
  valueAt: (text, at) => deepest(readJsonTree(text), at, 'object', { quiet: true }).value,
}

function nested(at: readonly string[], value: unknown): unknown {
  return at.reduceRight((inner: unknown, key) => ({ [key]: inner }), value)
}

interface Reached {
  /** Keys of the path that are there. */
  readonly depth: number
  readonly node: JsonNode | undefined
  /** The value at the end of the path. */
  readonly value: unknown
}

/** Returns the deepest container on a path that is there. Throws `CONFIG_INVALID` where what should hold the rest of it cannot. */
function deepest(
  root: JsonNode | undefined,
  at: readonly string[],
  last: JsonContainer['kind'] | 'any',
  { quiet = false } = {},
): Reached {
  let node = root
  for (const [depth, key] of at.entries()) {
    if (node === undefined) return { depth, node, value: undefined }
    if (node.container?.kind !== 'object') {
      if (quiet) return { depth, node: undefined, value: undefined }
      throw misplaced(at.slice(0, depth), 'an object')
    }
    const next = childOf(node, key)
    if (next === undefined) return { depth, node, value: undefined }
    node = next.node
  }
  if (!quiet && last !== 'any' && node !== undefined && node.container?.kind !== last)
    throw misplaced(at, last === 'array' ? 'a list' : 'an object')
  return { depth: at.length, node, value: node?.value }
}

interface Found extends Reached {
  readonly standing: Standing
  /** The value in the place of the entry. */
  readonly other?: JsonNode
}

function found(root: JsonNode | undefined, entry: Entry): Found {
  const reached = deepest(root, entry.at, entry.kind === 'item' ? 'array' : 'any')
  if (reached.depth < entry.at.length || reached.node === undefined) return { ...reached, standing: 'absent' }
  const wanted = sha256OfValue(entry.value)
  if (entry.kind === 'member') {
    const standing = sha256OfValue(reached.value) === wanted ? 'same' : 'other'
    return { ...reached, standing, other: reached.node }
  }
  const items = reached.node.container?.children ?? []
  if (items.some(({ node }) => sha256OfValue(node.value) === wanted)) return { ...reached, standing: 'same' }
  const ours = items.find(({ node }) => isOurs(node.value))?.node
  return { ...reached, standing: ours === undefined ? 'absent' : 'other', ...(ours && { other: ours }) }
}

function put(text: string, entry: Entry): Edited {
  const root = readJsonTree(text)
  const { kind, at, value } = entry
  const { node, depth, other } = found(root, entry)
  const style = styleOf(text, root)
  const trace = { kind, at, sha256: sha256OfValue(value) }
  if (other !== undefined) {
    const written = rendered(value, style, indentOf(text, root, other))
    const edited = text.slice(0, other.start) + written + text.slice(other.end)
    const replaced = { text: text.slice(other.start, other.end) }
    return { text: edited, trace: { ...trace, made: 0, lead: '', tail: '', replaced } }
  }
  const rest = at.slice(depth)
  const made = kind === 'item' ? rest.length : Math.max(0, rest.length - 1)
  if (node === undefined) {
    const lead = text === '' || text === '\uFEFF' || text.endsWith('\n') ? '' : style.lineEnd
    const whole = rendered(nested(at, kind === 'item' ? [value] : value), style, '')
    return {
      text: text + lead + whole + style.lineEnd,
      trace: { ...trace, made: made + 1, lead, tail: style.lineEnd },
    }
  }
  const [key, ...inner] = rest
  const write = (indent: string) => {
    const below = nested(inner, kind === 'item' && rest.length > 0 ? [value] : value)
    return key === undefined ? rendered(below, style, indent) : memberText(key, below, style, indent)
  }
  const { edited, lead, tail } = placeIn(text, { node, style, write })
  return { text: edited, trace: { ...trace, made, lead, tail } }
}

/** The indentation of the line that a value begins on, or of the key that it belongs to. */
function indentOf(text: string, root: JsonNode | undefined, { start }: JsonNode): string {
  const line = indentAt(text, start)
  return startsLine(text, start) || root === undefined || text.lastIndexOf('\n', start) >= root.start
    ? line
    : ''
}

interface Wanted {
  /** The object or list that gets one more. */
  readonly node: JsonNode
  readonly style: JsonStyle
  /** The text to write, by the indentation of its line. */
  readonly write: (indent: string) => string
}

/** Puts a text behind the last child of a container; no character that was there goes. */
function placeIn(text: string, wanted: Wanted) {
  const last = wanted.node.container?.children.at(-1)
  return last === undefined ? placeAlone(text, wanted) : placeBehind(text, last, wanted)
}

function placeBehind(text: string, last: JsonChild, { node, style, write }: Wanted) {
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

function placeAlone(text: string, { node, style, write }: Wanted) {
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

/** A child on the way to an entry, and the container that it is in. */
interface Step {
  readonly child: JsonChild
  readonly index: number
  readonly siblings: readonly JsonChild[]
  /** The place where its container begins. */
  readonly open: number
}

/** Takes an entry out of a file, and of the objects that were made for it those that hold nothing else. */
function takeOutOf(text: string, root: JsonNode | undefined, trace: Trace) {
  const steps = stepsTo(root, trace)
  const entry = steps?.at(-1)
  if (root === undefined || steps === undefined || entry === undefined)
    return hasChanged(root, trace) ? 'other' : 'absent'
  if (sha256OfValue(entry.child.node.value) !== trace.sha256) return 'other'
  const { start, end } = entry.child.node
  if (trace.replaced !== undefined)
    return { text: text.slice(0, start) + trace.replaced.text + text.slice(end) }
  let { made } = trace
  let at = steps.length - 1
  // An object that was made goes with its only child, and the whole text if all of it was made.
  while (made > 0 && at >= 0 && steps[at]?.siblings.length === 1) {
    made -= 1
    at -= 1
  }
  const isWhole = trace.made === madeForAll(trace)
  const step = steps[at]
  if (step === undefined) return { text: withoutRange(text, root.start, root.end, trace) }
  const isOutermost = trace.made > 0 ? made === 0 && !isWhole : true
  return { text: withoutChild(text, step, isOutermost ? trace : { lead: '', tail: '' }) }
}

/** Outer objects of an entry that stands in a text which had nothing before. */
function madeForAll({ kind, at }: Trace): number {
  return kind === 'item' ? at.length + 1 : at.length
}

function stepsTo(root: JsonNode | undefined, trace: Trace): Step[] | undefined {
  const steps: Step[] = []
  let node = root
  for (const key of trace.at) {
    const child = childOf(node, key)
    if (child === undefined) return undefined
    const siblings = node?.container?.children ?? []
    steps.push({ child, index: siblings.indexOf(child), siblings, open: node?.start ?? 0 })
    node = child.node
  }
  if (trace.kind !== 'item') return steps
  const siblings = node?.container?.kind === 'array' ? node.container.children : []
  const index = siblings.findLastIndex((child) => sha256OfValue(child.node.value) === trace.sha256)
  const child = siblings[index]
  return child && [...steps, { child, index, siblings, open: node?.start ?? 0 }]
}

/** True if a list has an item that calls elfmem, though none is as it was put there. */
function hasChanged(root: JsonNode | undefined, { kind, at }: Trace): boolean {
  const list = at.reduce((node: JsonNode | undefined, key) => childOf(node, key)?.node, root)
  const items = kind === 'item' ? list?.container?.children : undefined
  return items?.some(({ node }) => isOurs(node.value)) === true
}

/** True for an item of a list that calls elfmem. */
function isOurs(value: unknown): boolean {
  return /"(?:server|name)":"elfmem"|"(?:command|bash)":"[^"]*\belfmem|^"elfmem/.test(JSON.stringify(value))
}

type Around = Pick<Trace, 'lead' | 'tail'>

function withoutRange(text: string, from: number, to: number, { lead, tail }: Around): string {
  const start = text.slice(0, from).endsWith(lead) ? from - lead.length : from
  const end = text.startsWith(tail, to) ? to + tail.length : to
  return text.slice(0, start) + text.slice(end)
}

function withoutChild(text: string, step: Step, around: Around): string {
  const { child, index, siblings } = step
  const end = (child.comma ?? child.end - 1) + 1
  const lead = leadStart(text, step, end)
  if (siblings.length === 1) {
    const isOurs = child.comma === undefined && lead <= child.start - around.lead.length
    return isOurs ? withoutRange(text, child.start, end, around) : without(text, [lead, end])
  }
  if (child.comma !== undefined) return without(text, [lead, child.end], [child.comma, end])
  const before = siblings[index - 1]?.comma ?? child.start
  return without(text, [before, before + 1], [lead, child.end])
}

/**
 * Returns the place where the blanks before a child begin that go with it: those of its own line with the end of the line before.
 * If that one ends with a comment and something follows the child, its end stays.
 */
function leadStart(text: string, { child, index, siblings, open }: Step, end: number): number {
  let at = child.start
  while (text[at - 1] === ' ' || text[at - 1] === '\t') at -= 1
  if (text[at - 1] !== '\n') return at
  const lineEnd = text[at - 2] === '\r' ? at - 2 : at - 1
  const isLast = /^[ \t]*(?:\r?\n|$)/.test(text.slice(end, end + BLANKS_MAX))
  const behind = siblings[index - 1]?.comma ?? open
  return !isLast && endsWithComment(text.slice(behind + 1, lineEnd)) ? at : lineEnd
}

/** Blanks on the rest of a line that are looked through. */
const BLANKS_MAX = 1000
const COMMENT = /\/\/[^\r\n]*|\/\*(?:[^*]|\*(?!\/))*\*\//g

/** True if the last comment of a text that holds only blanks and comments ends with its line, and is at its end. */
function endsWithComment(trivia: string): boolean {
  const last = trivia.match(COMMENT)?.at(-1)
  return last?.startsWith('//') === true && trivia.endsWith(last)
}

function without(text: string, ...ranges: readonly (readonly [from: number, to: number])[]): string {
  let kept = ''
  let at = 0
  for (const [from, to] of ranges) {
    kept += text.slice(at, Math.max(at, from))
    at = Math.max(at, to)
  }
  return kept + text.slice(at)
}
