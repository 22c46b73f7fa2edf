import { type Edited, type Editor, type Entry, lineEndOf, sha256OfValue, type Trace } from './entry.ts'
import { readTomlStatements, type TomlStatement, tomlValueAt } from './toml-tree.ts'
import { misplaced } from './unparsable.ts'

/** Edits TOML: an entry is a table of its own, with a table for each object in it. */
export const tomlEditor: Editor = {
  stands(text, { at, value }) {
    const statements = readTomlStatements(text)
    const found = tomlValueAt(statements, at)
    if (found === undefined) mustTake(statements, at)
    return found === undefined ? 'absent' : sha256OfValue(found) === sha256OfValue(value) ? 'same' : 'other'
  },
  put,
  takeOut(text, { at, sha256, lead, replaced }) {
    const statements = readTomlStatements(text)
    const found = tomlValueAt(statements, at)
    if (found === undefined) return 'absent'
    const own = statements.filter(({ path }) => isBeneath(path, at))
    if (own.length === 0 || sha256OfValue(found) !== sha256) return 'other'
    if (replaced === undefined) return { text: without(text, own, lead) }
    return putBack(text, own, replaced) ?? { text: without(text, own, lead), displaced: replaced.text }
  },
  snippet: ({ at, value }) => tableText(at, value, '\n'),
  valueAt: (text, at) => tomlValueAt(readTomlStatements(text), at),
}

function isBeneath(path: readonly string[], at: readonly string[]): boolean {
  return at.every((key, index) => path[index] === key)
}

/** Refuses a file in which the table could not be added, because what holds it is closed. */
function mustTake(statements: readonly TomlStatement[], at: readonly string[]): void {
  const closed = statements.find(
    ({ kind, path }) => kind !== 'table' && path.length < at.length && isBeneath(at, path),
  )
  if (closed !== undefined) throw misplaced(closed.path, 'a table with a header of its own')
}

function put(text: string, { kind, at, value }: Entry): Edited {
  const statements = readTomlStatements(text)
  const old = statements.filter(({ path }) => isBeneath(path, at))
  const rest = old.length === 0 ? text : without(text, old, '')
  mustTake(readTomlStatements(rest), at)
  const lineEnd = lineEndOf(text)
  const lead = leadFor(rest, lineEnd)
  const trace = { kind, at, sha256: sha256OfValue(value), made: 0, tail: '' }
  const written = tableText(at, value, lineEnd)
  const [first] = old
  // In the place of the old one, if that was a table: what stands behind a pair would become part of ours.
  if (first?.kind === 'table') {
    const edited = text.slice(0, first.start) + written + without(text, old, '').slice(first.start)
    const end = old.at(-1)?.end
    const replaced = { text: text.slice(first.start, end), between: between(text, old) }
    return { text: edited, trace: { ...trace, lead: '', replaced } }
  }
  const lines = old.map(({ start, end }) => text.slice(start, end)).join('')
  const replaced = first === undefined ? {} : { replaced: { text: lines } }
  return { text: rest + lead + written, trace: { ...trace, lead, ...replaced } }
}

/** The text between statements, joined. */
function between(text: string, statements: readonly TomlStatement[]): string {
  return statements
    .slice(1)
    .map(({ start }, index) => text.slice(statements[index]?.end, start))
    .join('')
}

/** The text with what an entry had replaced; undefined if what stood between its parts is no longer there. */
function putBack(text: string, own: readonly TomlStatement[], replaced: NonNullable<Trace['replaced']>) {
  const [start, end] = [own[0]?.start ?? 0, own.at(-1)?.end ?? 0]
  const isPlain = between(text, own).trim() === '' && own[0]?.kind === 'table'
  if (replaced.between === undefined || !isPlain || !text.startsWith(replaced.between, end)) return undefined
  const after = text.slice(end + replaced.between.length)
  const joins = after !== '' && !replaced.text.endsWith('\n')
  return { text: text.slice(0, start) + replaced.text + (joins ? lineEndOf(text) : '') + after }
}

/** One empty line between what was there and a table. */
function leadFor(text: string, lineEnd: string): string {
  if (text === '' || text === '\uFEFF' || text.endsWith(`${lineEnd}${lineEnd}`)) return ''
  return text.endsWith('\n') ? lineEnd : lineEnd + lineEnd
}

function without(text: string, statements: readonly TomlStatement[], lead: string): string {
  let kept = ''
  let at = 0
  const own = statements.reduce((length, { start, end }) => length + end - start, 0)
  for (const { start, end } of statements) {
    kept += text.slice(at, start)
    const isFollowed = start + own < text.length
    if (at === 0 && lead !== '' && kept.endsWith(lead)) kept = withoutLead(kept, lead, isFollowed)
    at = end
  }
  return kept + text.slice(at)
}

function withoutLead(before: string, lead: string, isFollowed: boolean): string {
  const kept = before.slice(0, before.length - lead.length)
  // What follows needs a line of its own.
  return isFollowed && !kept.endsWith('\n') ? kept + lead.slice(0, lead.length / 2) : kept
}

function tableText(at: readonly string[], value: unknown, lineEnd: string): string {
  const members = Object.entries(value as Readonly<Record<string, unknown>>)
  const isTable = (each: unknown) => typeof each === 'object' && !Array.isArray(each)
  const pairs = members.filter(([, each]) => !isTable(each))
  const tables = members.filter(([, each]) => isTable(each))
  const lines = [
    `[${at.map(keyText).join('.')}]`,
    ...pairs.map(([key, each]) => `${keyText(key)} = ${valueText(each)}`),
  ]
  const own = lines.map((line) => line + lineEnd).join('')
  return own + tables.map(([key, each]) => lineEnd + tableText([...at, key], each, lineEnd)).join('')
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : valueText(key)
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}
