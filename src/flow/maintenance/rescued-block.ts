import { normaliseCategory } from '../../domain/block/category.ts'
import { isScope } from '../../domain/block/scope.ts'
import { SOURCE_CLASSES, type SourceClass } from '../../domain/block/source-class.ts'
import { normaliseTags } from '../../domain/block/tags.ts'
import { ElfmemError } from '../../errors.ts'
import type { Ids } from '../../ports/ids.ts'
import { asNew } from './as-new.ts'
import { type LineRules, readLine } from './import-line.ts'

/** A row that was recognised somewhere, by its columns. */
export type FoundRow = Readonly<Record<string, unknown>>

/** Rules of a rescue: those of an import, and what fills gaps. */
export interface RescueRules {
  readonly rules: LineRules
  readonly ids: Pick<Ids, 'sha256'>
  /** ISO-8601 UTC, for rows without a time. */
  readonly at: string
  /** True: the words are the owner's own and keep their class and tags. */
  readonly trusted: boolean
}

/**
 * The line of an export for a row of some table of blocks, which an import takes in: its words, where they are from and
 * when. It waits in the inbox, since nothing that was made of it there is believed. Undefined for an archived block, one
 * without an id that came already, and one that an import would refuse.
 *
 * @param seen ids that came before; the row's is added
 */
export function rescuedLine(
  row: FoundRow,
  { rules, ids, at, trusted }: RescueRules,
  seen: Set<string>,
): string | undefined {
  const content = textOf(row.content)
  if (content === undefined || row.status === 'archived') return undefined
  const id = /^[0-9a-f]{16}$/.test(String(row.id)) ? String(row.id) : ids.sha256(content).slice(0, 16)
  if (seen.has(id)) return undefined
  const fields = {
    table: 'blocks',
    id,
    content,
    ...wordsOf(row),
    ...placeOf(row, { at, number: seen.size + 1 }),
  }
  try {
    const line = JSON.stringify(fields)
    const made = asNew(readLine(line, seen.size + 2, rules).row, rules)
    seen.add(id)
    return trusted ? JSON.stringify({ ...made.row, ...fields, sequence: 1 }) : line
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return undefined
  }
}

function wordsOf(row: FoundRow): Record<string, unknown> {
  const { scope, source_class: sourceClass } = row
  return {
    ...pick(row, 'cue', 'summary', 'source'),
    category: spelled(() => normaliseCategory(String(row.category)), 'knowledge'),
    tags: spelled(() => normaliseTags(listOf(row.tags)), []),
    ...(typeof scope === 'string' && isScope(scope) ? { scope } : {}),
    ...(SOURCE_CLASSES.includes(sourceClass as SourceClass) ? { source_class: sourceClass } : {}),
  }
}

function placeOf(row: FoundRow, { at, number }: { readonly at: string; readonly number: number }) {
  const created = instant(row.created_at) ?? at
  const { position } = row
  return {
    arrival: number,
    status: 'inbox',
    created_at: created,
    occurred_at: instant(row.occurred_at) ?? created,
    session: textOf(row.session) ?? 'rescued',
    position: Number.isSafeInteger(position) && Number(position) >= 0 ? position : number,
  }
}

function pick(row: FoundRow, ...names: readonly string[]): Record<string, string> {
  const pairs = names.map((name) => [name, textOf(row[name])] as const)
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined))
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function instant(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(value)) return undefined
  const milliseconds = Date.parse(value)
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString()
}

function listOf(value: unknown): string[] {
  const list: unknown = JSON.parse(String(value ?? '[]'))
  return Array.isArray(list) ? list.map(String) : []
}

/** Returns the result of `work`, or the given value if that throws because there is no spelling of its own. */
function spelled<T>(work: () => T, otherwise: T): T {
  try {
    return work()
  } catch {
    return otherwise
  }
}
