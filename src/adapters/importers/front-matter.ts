import { isMap, isScalar, isSeq, parseDocument } from 'yaml'

/** The fields between two lines of dashes at the beginning of a note, and the rest. */
export interface FrontMatter {
  /** The values of fields by their names in lower case. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly body: string
}

/** The most characters of front matter; a longer part counts as text. */
const SIGNS_MOST = 1 << 14
/** The most entries of a list. */
const ENTRIES_MOST = 200

/**
 * Reads the front matter of a note: texts, and lists of texts. A field that is no YAML is read as text, since rules for Cursor
 * have `globs: *.ts`. No anchor is followed, so that no value can grow. A note without a second line of dashes has no front matter.
 */
export function frontMatterIn(text: string): FrontMatter {
  const end = /^---[ \t]*\n/.test(text) ? /\n---[ \t]*(?:\n|$)/.exec(text.slice(0, SIGNS_MOST)) : null
  if (end === null) return { fields: new Map(), body: text }
  const yaml = text.slice(text.indexOf('\n') + 1, end.index + 1)
  const fields = yaml.split(/\n(?![\s-])/).map((field) => {
    const [name = ''] = field.split(':', 1)
    return [name.trim().toLowerCase(), valuesIn(field, field.slice(name.length + 1))] as const
  })
  return { fields: new Map(fields), body: text.slice(end.index + end[0].length) }
}

function valuesIn(field: string, rest: string): readonly string[] {
  const { contents, errors } = parseDocument(field, { schema: 'failsafe' })
  const value = isMap(contents) && errors.length === 0 ? contents.items[0]?.value : undefined
  const nodes = isSeq(value) ? value.items.slice(0, ENTRIES_MOST) : [value]
  const texts =
    isScalar(value) || isSeq(value) ? nodes.map((each) => (isScalar(each) ? each.value : '')) : [rest]
  return texts.flatMap((each) => String(each ?? '').trim() || [])
}

/** Returns the value of a field; undefined if it has several. */
export function fieldIn({ fields }: FrontMatter, name: string): string | undefined {
  const [value, ...others] = fields.get(name) ?? []
  return others.length === 0 ? value : undefined
}

/** Returns the entries of a field: a list, or words between commas. */
export function listIn({ fields }: FrontMatter, name: string): readonly string[] {
  const values = fields.get(name) ?? []
  const entries = values.length === 1 ? (values[0] ?? '').split(',', ENTRIES_MOST) : values
  return entries.map((each) => each.trim()).filter(Boolean)
}
