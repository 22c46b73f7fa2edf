/** The fields between two lines of dashes at the beginning of a note, and the rest. */
export interface FrontMatter {
  /** Fields with one value, by their names in lower case. */
  readonly fields: ReadonlyMap<string, string>
  /** Fields with several. */
  readonly lists: ReadonlyMap<string, readonly string[]>
  readonly body: string
}

/** Lines of front matter; more of them are none. */
const LINES_MOST = 500
/** Entries of a list; more of them are none that somebody wrote. */
const ENTRIES_MOST = 200

/**
 * Reads the part of YAML that notes use: `name: value`, `name: [a, b]`, and lists with a dash a line. No anchors and no types,
 * so nothing can be made large. A note whose first dashes do not end has none.
 */
export function frontMatterIn(text: string): FrontMatter {
  const lines = text.split('\n', LINES_MOST).map((line) => line.trimEnd())
  const end = lines[0] === '---' ? lines.indexOf('---', 1) : -1
  if (end < 0) return { fields: new Map(), lists: new Map(), body: text }
  const fields = new Map<string, string>()
  const lists = new Map<string, string[]>()
  let name = ''
  for (const line of lines.slice(1, end)) {
    const item = itemIn(line)
    if (item !== undefined) lists.set(name, [...(lists.get(name) ?? []), item])
    else name = readField(line, fields, lists) ?? name
  }
  let at = 0
  for (let passed = 0; passed <= end; passed += 1) at = text.indexOf('\n', at) + 1 || text.length
  return { fields, lists, body: text.slice(at) }
}

/** A list, be it written as one or as words with commas between. */
export function listIn({ fields, lists }: FrontMatter, name: string): readonly string[] {
  return lists.get(name) ?? entriesIn(fields.get(name) ?? '')
}

function itemIn(line: string): string | undefined {
  const trimmed = line.trimStart()
  return trimmed.startsWith('- ') ? unquoted(trimmed.slice(2)) : undefined
}

function readField(
  line: string,
  fields: Map<string, string>,
  lists: Map<string, string[]>,
): string | undefined {
  const colon = line.indexOf(':')
  if (colon <= 0 || line.startsWith(' ') || line.startsWith('#')) return undefined
  const name = line.slice(0, colon).trim().toLowerCase()
  const value = line.slice(colon + 1).trim()
  if (value.startsWith('[') && value.endsWith(']')) lists.set(name, entriesIn(value.slice(1, -1)))
  else if (value !== '') fields.set(name, unquoted(value))
  return name
}

function entriesIn(list: string): string[] {
  return list.split(',', ENTRIES_MOST).map(unquoted).filter(Boolean)
}

function unquoted(value: string): string {
  const trimmed = value.trim()
  const [first] = trimmed
  const isQuoted = (first === '"' || first === "'") && trimmed.length > 1 && trimmed.endsWith(first)
  return isQuoted ? trimmed.slice(1, -1) : trimmed
}
