import { type Edited, type Editor, type Entry, type Standing, sha256OfValue } from './entry.ts'
import { placeIn } from './json-place.ts'
import { indentAt, memberText, rendered, startsLine, styleOf } from './json-style.ts'
import { isOurs, takeOutOf } from './json-take-out.ts'
import { childOf, type JsonContainer, type JsonNode, readJsonTree } from './json-tree.ts'
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

/**
 * Returns the deepest container on a path that is there. Throws `CONFIG_INVALID` where what should hold the rest of it cannot.
 */
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
