import { type Redacted, redactSecrets } from './secrets.ts'
import { isPlaceholder, isReference } from './values.ts'

/** No value that a name makes a secret is longer, in UTF-16 units. */
const LONGEST_VALUE = 512
/** The end of a name says what a value is. */
const LONGEST_NAME = 128
/** Shorter values are no secrets, whatever their name. */
const SHORTEST_VALUE = 4
/** Signs at which a value of a text ends, and that are signs like others in the value of a field. */
const QUOTES = /["'`“”„«»\\<>{}]/g
/** Markup and templates, in which such signs mean something. */
const TEMPLATE = /\{[^{}]*\}|<[^<>]*>|[$#%@]\{|%\(|\$\(/
/** Names of the fields that hold a value, where another field says what it is. */
const VALUE_NAMES: ReadonlySet<string> = new Set(['value', 'val', 'default', 'content'])
const NAMING = ['name', 'key'] as const

/**
 * Names that tell what a text in an object is: that of its field, and as environments and parameters are written
 * (`{ name: 'DB_PASSWORD', value: '…' }`) that of the object.
 *
 * @param name of the field, or of the list the text is in
 */
export function namesOf(name: string, of: object): readonly string[] {
  if (!VALUE_NAMES.has(name)) return [name]
  const { [NAMING[0]]: called, [NAMING[1]]: key } = of as Readonly<Record<string, unknown>>
  return [name, called, key].filter((each): each is string => typeof each === 'string')
}

/** A field as a text in which its name can make its value a secret; empty where it cannot. Its length is bounded. */
export function fieldText(name: string, value: string): string {
  if (value.length < SHORTEST_VALUE || name === '') return ''
  return head(name) + comparable(value) + (value.length > LONGEST_VALUE ? '' : '"')
}

/** The value of a field without what its name says is a secret; undefined where it says so of nothing in it. */
export function redactField(name: string, value: string): Redacted | undefined {
  const text = fieldText(name, value)
  const before = head(name)
  const { text: kept, found, first } = redactSecrets(text)
  if (first === undefined || first.start < before.length || !kept.startsWith(before)) return undefined
  const looked = comparable(value)
  if (value.length <= LONGEST_VALUE && (looked !== value || !/\s/.test(value))) {
    const { kind } = first
    return {
      text: `[redacted: ${kind}]`,
      found: [{ kind, count: 1 }],
      first: { kind, start: 0, end: value.length },
    }
  }
  const inside = kept.slice(before.length, value.length > LONGEST_VALUE ? undefined : -1)
  const [start, end] = [first.start - before.length, first.end - before.length]
  return { text: inside + value.slice(LONGEST_VALUE), found, first: { ...first, start, end } }
}

function head(name: string): string {
  return `"${name.slice(-LONGEST_NAME).replace(/["\\\n]/g, ' ')}": "`
}

/** The beginning of a value, sign by sign, without the quotes that would end it in a text. */
function comparable(value: string): string {
  const begun = value.slice(0, LONGEST_VALUE)
  if (value.length > LONGEST_VALUE || value.includes('\n')) return begun
  if (isPlaceholder(value) || isReference(value) || TEMPLATE.test(value)) return begun
  return begun.replace(QUOTES, '!')
}
