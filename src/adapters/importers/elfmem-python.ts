import { defined } from '../../block/text.ts'
import type { Imported, ImportedText } from '../../engine/ports.ts'
import type { EdgeOrigin } from '../../graph/edge.ts'
import {
  type ForeignTables,
  type ForeignValue,
  type Importer,
  left,
  type Source,
  textOf,
} from './importer.ts'

type Row = Readonly<Record<string, ForeignValue>>

/** Evidence without any report there. */
const PRIOR = 0.5

/** Sources under which the agent there wrote itself, by an act other than remembering. */
const ITS_OWN: ReadonlySet<string> = new Set(['mind_create', 'mind_predict', 'peer_send', 'setup'])

const ORIGINS: readonly EdgeOrigin[] = ['similarity', 'co_retrieval', 'outcome', 'agent', 'llm_inferred']

/**
 * The database of the Python elfmem, of any version. Its ids, evidence and edges mean the same here. Vectors are
 * not taken, since they are of another model.
 */
export const elfmemPython: Importer = {
  name: 'elfmem-python',
  title: 'the database of the Python elfmem',
  detects: ({ tables }) =>
    ['id', 'content', 'status', 'self_alignment'].every((name) =>
      tables?.columns.get('blocks')?.includes(name),
    ),
  read: readDatabase,
}

function* readDatabase({ tables, archived }: Source): Generator<Imported> {
  if (tables === undefined) return
  const tags = tagsByBlock(tables)
  for (const row of tables.rows('blocks')) {
    const id = textOf(row.id)
    const content = textOf(row.content)
    if (id === undefined || content === undefined)
      yield left('rows without words', 'there is nothing to keep')
    else if (row.status === 'archived' && !archived)
      yield left('archived blocks', 'they were put away there; the option archived takes them, too')
    else yield textIn(row, { id, content, tags: tags.get(id) ?? [] })
  }
  yield* edgesIn(tables)
  for (const table of ['peer_roster', 'block_amendments', 'contradictions']) {
    const many = [...tables.rows(table)].filter(({ resolved }) => resolved !== 1).length
    yield left(`rows of ${table}`, 'nothing here has a use for them', { many })
  }
}

interface Own {
  readonly id: string
  readonly content: string
  readonly tags: readonly string[]
}

function textIn(row: Row, own: Own): ImportedText {
  const source = textOf(row.source)
  return {
    kind: 'text',
    ...(source !== undefined && ITS_OWN.has(source) ? { speaker: 'agent' as const } : {}),
    ...own,
    key: own.id,
    place: source ?? 'blocks',
    session: textOf(row.last_session_id) ?? `elfmem-python/${(textOf(row.created_at) ?? '').slice(0, 10)}`,
    ...defined({ source, category: textOf(row.category), cue: textOf(row.cue), at: textOf(row.created_at) }),
    ...evidenceIn(row),
  }
}

/** Files from before the counts have a mean and a sum instead (its migration 4). */
function evidenceIn(row: Row): { readonly successes: number; readonly failures: number } {
  const [good, bad] = [numberOf(row.success_count), numberOf(row.failure_count)]
  const [mean, sum] = [numberOf(row.confidence), numberOf(row.outcome_evidence) ?? 0]
  const isCounted = good !== undefined && bad !== undefined && (good !== PRIOR || bad !== PRIOR || sum === 0)
  if (isCounted) return { successes: good - PRIOR, failures: bad - PRIOR }
  if (mean === undefined || sum <= 0) return { successes: 0, failures: 0 }
  return { successes: mean * (1 + sum) - PRIOR, failures: (1 - mean) * (1 + sum) - PRIOR }
}

function tagsByBlock(tables: ForeignTables): ReadonlyMap<string | undefined, readonly string[]> {
  const byBlock = Map.groupBy(tables.rows('block_tags'), (row) => textOf(row.block_id))
  return new Map([...byBlock].map(([id, rows]) => [id, rows.flatMap(({ tag }) => textOf(tag) ?? [])]))
}

/** The edges but those that rules made of similarity alone, which are made anew here. */
function* edgesIn(tables: ForeignTables): Generator<Imported> {
  for (const row of tables.rows('edges')) {
    const [from, to] = [textOf(row.from_id), textOf(row.to_id)]
    const [relation = 'similar', origin = 'similarity', note] = [row.relation_type, row.origin, row.note].map(
      textOf,
    )
    const isBySimilarity = origin === 'similarity' && relation === 'similar' && note === undefined
    if (from === undefined || to === undefined || isBySimilarity) continue
    yield {
      ...{ kind: 'link', from, to, relation },
      origin: ORIGINS.find((each) => each === origin) ?? 'agent',
      ...defined({
        weight: numberOf(row.weight),
        declaredBy: textOf(row.declared_by),
        ...{ note, at: textOf(row.created_at) },
      }),
    }
  }
}

function numberOf(value: ForeignValue): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
