import type { Block, BlockStatus } from '../block/block.ts'
import { takeCodePoints } from '../block/text.ts'
import { type CountedDay, NOTHING_DONE } from '../engine/counts.ts'
import { ElfmemError } from '../errors.ts'
import { TIER_REASONS } from '../outcome/formulas.ts'
import {
  type BlockCondition,
  type BlockFilter,
  type BlockOrder,
  type BlockPage,
  type Counts,
  FACETS,
  type Facet,
  type FacetName,
  type Facets,
  type JudgementCounts,
  type PendingJudgementFilter,
  type ScopeCounts,
  type UnlabelledPair,
  type VectorTotals,
} from '../store/database.ts'
import { codecOf } from '../store/description.ts'
import { BLOCK } from '../store/tables.ts'
import {
  type Bind,
  columnsOf,
  compared,
  type Form,
  HAS_SHADOW,
  type ScopedConnection,
  SELECT_SET,
  statement,
  unique,
} from './statement.ts'

/** Spelled out in the statement's text, because an index on one status serves no bound parameter. */
const STATUSES: Readonly<Record<BlockStatus, string>> = {
  inbox: 'inbox',
  active: 'active',
  archived: 'archived',
}

/** The conditions on rows of `blocks`, which are joined by AND; of none an empty list. */
function conditionsOf(wanted: BlockCondition, bind: Bind, form: Form): string[] {
  const conditions = compared(bind, [
    [`${form.unindexed}blocks.category =`, wanted.category],
    [`${form.unindexed}blocks.session =`, wanted.session],
    ['blocks.source =', wanted.source],
    ['blocks.source_class =', wanted.sourceClass],
    ['blocks.created_at >=', wanted.since],
    ['blocks.created_at <', wanted.until],
  ])
  if (wanted.status !== undefined) conditions.push(`blocks.status = '${STATUSES[wanted.status]}'`)
  if (wanted.tag !== undefined) conditions.push(taggedBy(tagCondition(wanted.tag, bind), form))
  if (wanted.tier !== undefined) conditions.push(`${tierOf(form)} = ${bind(wanted.tier)}`)
  if (wanted.isolated) conditions.push(`blocks.id IN (${isolatedIds(form)})`)
  if (wanted.undecided) conditions.push(`blocks.id IN (${undecidedIds(form)})`)
  for (const word of new Set(wanted.words)) conditions.push(saysWord(word, bind, form))
  return conditions
}

/** The tier of a block, as `decayTier` says it. An expression for a column. */
function tierOf(form: Form): string {
  const cases = TIER_REASONS.map(({ tier, tags, categories }) => {
    const list = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ')
    const isTagged = tags.length === 0 ? '' : ` OR ${taggedBy(`tag IN (${list(tags)})`, form)}`
    return `WHEN blocks.category IN (${list(categories)})${isTagged} THEN '${tier}'`
  })
  return `CASE ${cases.join(' ')} ELSE 'standard' END`
}

function taggedBy(condition: string, { own }: Form): string {
  return `blocks.id IN (SELECT block_id FROM block_tags WHERE ${condition}${own('block_tags')})`
}

function tagCondition(tag: string, bind: Bind): string {
  if (!tag.endsWith('*')) return `tag = ${bind(tag)}`
  const prefix = tag.slice(0, -1)
  return `tag >= ${bind(prefix)} AND tag < ${bind(prefixEnd(prefix))}`
}

/** Selects blocks without edges in the order of ids, in which strengths lie, too: other orders would jump through them. */
function isolatedIds({ own, strengths }: Form): string {
  return `SELECT id FROM blocks AS loose WHERE loose.id > ''${own('loose')}
    AND NOT EXISTS (SELECT 1 FROM ${strengths} WHERE block_id = loose.id)`
}

/** Selects blocks of undecided pairs. The condition that an arrival is above 0 makes the index of open pairs serve. */
function undecidedIds({ own }: Form): string {
  const open = `FROM pairs WHERE resolved = 0 AND arrival > 0${own('pairs')}`
  return `SELECT a ${open} UNION ALL SELECT b ${open}`
}

function saysWord(word: string, bind: Bind, { sql }: Form): string {
  const spelled = spellingsOf(word).map((each) => {
    const place = bind(`%${each.replace(/[\\%_]/g, '\\$&')}%`)
    return ['content', 'cue', 'summary'].map((column) => `blocks.${column} ${sql.like} ${place} ESCAPE '\\'`)
  })
  return `(${spelled.flat().join(' OR ')})`
}

/**
 * The spellings under which a word is looked for where only A to Z are compared regardless of case: its own, small, capital,
 * and with one capital; one spelling of a word of A to Z.
 */
function spellingsOf(word: string): readonly string[] {
  const small = word.toLowerCase()
  const first = takeCodePoints(word, 1)
  const all = [word, small, word.toUpperCase(), first.toUpperCase() + small.slice(first.toLowerCase().length)]
  const unique = new Map(all.map((each) => [each.replace(/[A-Z]/g, (letter) => letter.toLowerCase()), each]))
  return [...unique.values()]
}

const LAST = 0x10ffff
const BEFORE_SURROGATES = 0xd7ff
const AFTER_SURROGATES = 0xe000

/**
 * The smallest string after all strings that begin with `prefix`, in the order of code points, which is SQLite's order
 * of UTF-8 bytes: so a prefix is a range and no character is a wildcard.
 */
export function prefixEnd(prefix: string): string {
  // A prefix may be as long as a whole text: a list of its characters would not fit the stack.
  for (let end = prefix.length; end > 0; ) {
    const start = end - (isPair(prefix, end - 2) ? 2 : 1)
    const point = prefix.codePointAt(start) as number
    if (point < LAST) {
      const next = point === BEFORE_SURROGATES ? AFTER_SURROGATES : point + 1
      return prefix.slice(0, start) + String.fromCodePoint(next)
    }
    end = start
  }
  return String.fromCodePoint(LAST, LAST)
}

/** True if a character of two halves begins there. */
function isPair(text: string, at: number): boolean {
  return at >= 0 && (text.codePointAt(at) as number) > 0xffff
}

/** The rows that a facet counts, each with its value. */
const VALUES: Readonly<Record<FacetName, (form: Form) => string>> = {
  tag: ({ own }) =>
    `SELECT tag AS value FROM block_tags WHERE block_id IN (SELECT id FROM fitting)${own('block_tags')}`,
  category: () => 'SELECT category AS value FROM fitting',
  sourceClass: () => 'SELECT source_class AS value FROM fitting',
  source: () => 'SELECT source AS value FROM fitting WHERE source IS NOT NULL',
  session: () => 'SELECT session AS value FROM fitting',
  tier: () => 'SELECT tier AS value FROM fitting',
  status: () => 'SELECT status AS value FROM of_any_status',
}

/** The number of facets from which it is quicker to keep the narrow rows than to walk the blocks for each. */
const KEPT_FROM = 3

/** Counts the blocks that a filter lets through, by facet. One statement. */
async function readFacets(
  connection: ScopedConnection,
  { status, facets: most = 0, facetsOf = FACETS, ...wanted }: BlockFilter,
): Promise<Facets> {
  const none: Facet = { values: [], distinct: 0 }
  if (facetsOf.length === 0) return Object.fromEntries(FACETS.map((name) => [name, none])) as Facets
  const rows = (await connection.made((form, bind) => {
    const conditions = conditionsOf(wanted, bind, form)
    // The sign keeps SQLite from making an index of the kept rows for each facet.
    const isFitting = status === undefined ? '' : ` WHERE ${form.sql.plus}status = ${bind(status)}`
    const limit = bind(Math.max(0, most))
    const counted = unique(facetsOf).map(
      (name) => `SELECT * FROM (
  SELECT '${name}' AS facet, value, count(*) AS total, count(*) OVER () AS differing
  FROM (${VALUES[name](form)}) AS valued GROUP BY value ORDER BY count(*) DESC, value LIMIT ${limit}
) AS of_${name}`,
    )
    const kept = facetsOf.length < KEPT_FROM ? 'NOT MATERIALIZED' : 'MATERIALIZED'
    return `WITH of_any_status AS ${kept} (
  SELECT blocks.id, blocks.status, blocks.category, blocks.source_class, blocks.source, blocks.session, ${tierOf(form)} AS tier
  FROM blocks WHERE ${[...conditions, 'true'].join(' AND ')}${form.own('blocks')}
), fitting AS (SELECT * FROM of_any_status${isFitting})
${counted.join('\nUNION ALL\n')}`
  })) as unknown as [facet: FacetName, value: string, total: number, differing: number][]
  const facetOf = (name: FacetName): Facet => {
    const own = rows.filter(([facet]) => facet === name)
    return {
      values: own.map(([, value, total]) => ({ value, blocks: total })),
      distinct: own[0]?.[3] ?? 0,
    }
  }
  return Object.fromEntries(FACETS.map((name) => [name, facetOf(name)])) as Facets
}

/** The end of a page: the value its order goes by, what tells equal ones apart, and the hours of `fading`. */
type Position = readonly [place: number | string, tie: string | number, hours: number]

/** An order of blocks: the value that they go by, and what tells equal ones apart. */
interface Ordering {
  /** An expression over a row of `blocks`. */
  readonly place: (form: Form, hours: string) => string
  readonly tie: 'id' | 'arrival'
  readonly ascends?: true
  /** The place behind which the first page begins, before all blocks, so that an index on the place gives the order. */
  readonly start?: number | string
}

/** The expression for the time when the newest words of a block arrived. */
const TOLD = 'coalesce(blocks.last_told_at, blocks.created_at)'

/** A text that sorts after every time that a column holds. */
const LAST_TIME = '~'

/** The mean of a Beta less one standard deviation. */
const reports = (inFavour: string, against: string) => {
  const [alpha, beta] = [`(1 + blocks.${inFavour})`, `(1 + blocks.${against})`]
  const total = `(${alpha} + ${beta})`
  return `${alpha} / ${total} - sqrt((${alpha} * ${beta}) / (${total} * ${total} * (${total} + 1)))`
}

const ORDERINGS: Readonly<Record<BlockOrder, Ordering>> = {
  recent: { place: () => 'blocks.last_reinforced_at', tie: 'id' },
  arrival: { place: () => 'blocks.arrival', tie: 'arrival', ascends: true, start: 0 },
  newest: { place: () => TOLD, tie: 'arrival', start: LAST_TIME },
  proved: { place: () => reports('successes', 'failures'), tie: 'arrival' },
  doubted: { place: () => reports('failures', 'successes'), tie: 'arrival' },
  fading: {
    place: ({ sql }, hours) =>
      `blocks.decay_lambda * ${sql.greatest}(0.0, ${hours} - blocks.last_reinforced_at)`,
    tie: 'arrival',
  },
  joined: {
    place: ({ strengths }) => `coalesce((SELECT strength FROM ${strengths} WHERE block_id = blocks.id), 0)`,
    tie: 'arrival',
  },
}

/** Reads one page of the blocks that a filter lets through, and what else it asks of them. */
export async function readPage(connection: ScopedConnection, filter: BlockFilter): Promise<BlockPage> {
  const limit = Math.max(0, filter.limit)
  const behind = filter.cursor === undefined ? undefined : parseCursor(filter.cursor, filter.order)
  const hours = behind?.[2] ?? filter.hours ?? 0
  const rows =
    limit === 0
      ? []
      : await connection.made((form, bind) => pageOf(form, bind, { ...filter, hours, limit, behind }))
  const blocks = rows.slice(0, limit).map(codecOf(BLOCK).decode)
  const [place, tie] = (rows[blocks.length - 1] ?? []).slice(BLOCK.properties.length)
  const isLast = blocks.length === 0 || rows.length === blocks.length
  const position: Position = [place as Position[0], tie as string | number, hours]
  return {
    blocks,
    ...(isLast ? {} : { cursor: cursorAt(filter.order, position) }),
    ...(filter.count ? { total: await countBlocks(connection, filter) } : {}),
    ...(filter.facets === undefined ? {} : { facets: await readFacets(connection, filter) }),
  }
}

/** Selects one row more than a page. Rows are found by narrow columns first, so that whole blocks are read of one page alone. */
function pageOf(
  form: Form,
  bind: Bind,
  filter: BlockFilter & { readonly hours: number; readonly behind: Position | undefined },
): string {
  const { place, tie, ascends, start } = ORDERINGS[filter.order]
  const at = place(form, filter.order === 'fading' ? bind(filter.hours) : '')
  const from =
    filter.behind ??
    (start === undefined ? undefined : ([start, ascends ? 0 : Number.MAX_SAFE_INTEGER, 0] as const))
  const conditions = [
    ...conditionsOf(filter, bind, form),
    ...(from === undefined ? [] : [isBehind(filter.order, from, bind, at)]),
  ]
  const direction = ascends ? '' : ' DESC'
  const order = `place${direction}, blocks.${tie}${tie === 'id' ? '' : direction}`
  return `SELECT ${columnsOf(BLOCK, 'blocks')}, picked.place, blocks.${tie} AS tie
FROM (
  SELECT blocks.arrival AS number, ${at} AS place FROM blocks
  WHERE ${[...conditions, 'true'].join(' AND ')}${form.own('blocks')}
  ORDER BY ${order}
  LIMIT ${form.sql.plus}${bind(filter.limit + 1)} OFFSET ${bind(filter.offset ?? 0)}
) AS picked ${form.sql.join('blocks', 'blocks', 'blocks.arrival = picked.number')}
ORDER BY picked.${order}`
}

function isBehind(order: BlockOrder, [place, tie]: Position, bind: Bind, at: string): string {
  const bound = bind(place)
  if (order === 'arrival') return `blocks.arrival > ${bound}`
  if (order === 'newest')
    return `${TOLD} <= ${bound} AND (${TOLD} < ${bound} OR blocks.arrival < ${bind(tie)})`
  if (order === 'recent')
    return `blocks.last_reinforced_at <= ${bound} AND (blocks.last_reinforced_at < ${bound} OR blocks.id > ${bind(tie)})`
  return `(${at} < ${bound} OR (${at} = ${bound} AND blocks.arrival < ${bind(tie)}))`
}

async function countBlocks(connection: ScopedConnection, filter: BlockFilter): Promise<number> {
  const [[total] = []] = await connection.made((form, bind) => {
    const conditions = conditionsOf(filter, bind, form)
    return `SELECT count(*) AS total FROM blocks WHERE ${[...conditions, 'true'].join(' AND ')}${form.own('blocks')}`
  })
  return Number(total)
}

/** The order is part of it, since a place of another order would leave blocks out without a word. */
function cursorAt(order: BlockOrder, position: Position): string {
  return Buffer.from(JSON.stringify([...position, order])).toString('base64url')
}

function parseCursor(cursor: string, order: BlockOrder): Position {
  const position = positionIn(Buffer.from(cursor, 'base64url').toString(), order)
  if (position !== undefined) return position
  throw new ElfmemError('INVALID_INPUT', 'The cursor is not one that a page in this order returned.', {
    recovery: 'Ask for the first page, then pass its cursor on unchanged.',
  })
}

function positionIn(text: string, order: BlockOrder): Position | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!Array.isArray(value) || value.length !== 4) return undefined
    const [place, tie, hours, given] = value as unknown[]
    const isTie = typeof tie === (ORDERINGS[order].tie === 'id' ? 'string' : 'number')
    const isPlace = typeof place === (order === 'newest' ? 'string' : 'number')
    const isWhole = isPlace && isTie && typeof hours === 'number' && given === order
    return isWhole ? [place as Position[0], tie as string | number, hours] : undefined
  } catch {
    return undefined
  }
}

/** Returns a statement that counts the blocks of a status that have an edge. The active ones are the rest of all that have one. */
function joinedOf(status: 'inbox' | 'archived', own: Form['own'], strengths: Form['strengths']): string {
  return `SELECT count(*) FROM blocks WHERE status = '${status}'${own('blocks')}
    AND EXISTS (SELECT 1 FROM ${strengths} WHERE block_id = blocks.id)`
}

const SELECT_COUNTS = statement(
  ({ own, ofOwn, strengths }) => `SELECT
  (SELECT count(*) FROM blocks WHERE status = 'inbox'${own('blocks')}) AS inbox,
  (SELECT count(*) FROM blocks WHERE status = 'active'${own('blocks')}) AS active,
  (SELECT count(*) FROM blocks WHERE status = 'archived'${own('blocks')}) AS archived,
  (SELECT count(*) FROM blocks WHERE status = 'active'${own('blocks')})
    - (SELECT count(*) FROM ${strengths} WHERE true${own(strengths)})
    + (${joinedOf('inbox', own, strengths)})
    + (${joinedOf('archived', own, strengths)}) AS isolated,
  (SELECT count(*) FROM pairs WHERE resolved = 0${own('pairs')}) AS open_pairs,
  (SELECT count(*) FROM co_retrieval_staging WHERE true${own('co_retrieval_staging')}) AS staged_pairs,
  (SELECT count(*) FROM pending_connections WHERE true${own('pending_connections')}) AS pending_connections,
  (SELECT count(*) FROM queued_outcomes WHERE true${ofOwn('block_id')}) AS queued_outcomes`,
)

/** Selects the scopes, without a bound scope when the whole store is asked; the index of scopes holds all it needs. */
const SELECT_SCOPES = statement(
  ({ sql, own }) => `SELECT scope,
  count(*) FILTER (WHERE status = 'inbox') AS inbox, count(*) FILTER (WHERE status = 'active') AS active,
  count(*) FILTER (WHERE status = 'archived') AS archived
FROM blocks WHERE scope <> ''${own('blocks')}
GROUP BY scope ORDER BY count(*) FILTER (WHERE status <> 'archived') DESC, scope LIMIT ${sql.plus}?1`,
)

const SELECT_EDGE_COUNTS = statement(
  ({ own }) => `SELECT relation, origin, sum(total) AS total FROM edge_counts WHERE true${own('edge_counts')}
GROUP BY relation, origin ORDER BY relation, origin`,
)

/** Counts everything that `status` shows, in two statements. They walk the blocks; edges are counted as they come and go. */
export async function readCounts(connection: ScopedConnection): Promise<Counts> {
  const [counts = []] = await connection.values(SELECT_COUNTS)
  const [inbox = 0, active = 0, archived = 0, isolated = 0, ...waiting] = counts as readonly number[]
  const [openPairs = 0, stagedPairs = 0, pendingConnections = 0, queuedOutcomes = 0] = waiting
  const edgesByRelation: Record<string, number> = {}
  const edgesByOrigin: Record<string, number> = {}
  let edges = 0
  const byKind = (await connection.values(SELECT_EDGE_COUNTS)) as unknown as [string, string, number][]
  for (const [relation, origin, total] of byKind) {
    edges += total
    edgesByRelation[relation] = (edgesByRelation[relation] ?? 0) + total
    edgesByOrigin[origin] = (edgesByOrigin[origin] ?? 0) + total
  }
  return {
    ...{ inbox, active, archived, edges, edgesByRelation, edgesByOrigin },
    ...{ isolated, openPairs, stagedPairs, pendingConnections, queuedOutcomes },
  }
}

/** The scopes that have most blocks that are not archived. */
export async function readScopes(connection: ScopedConnection, limit: number): Promise<ScopeCounts[]> {
  const rows = await connection.values(SELECT_SCOPES, Math.max(0, limit))
  return (rows as unknown as [string, number, number, number][]).map(([scope, inbox, active, archived]) => ({
    scope,
    inbox,
    active,
    archived,
  }))
}

/** Kinds of acts by the column of the time at which they were done. */
const DONE = [
  ['takenIn', 'created_at', 'blocks', ''],
  ['archived', 'archived_at', 'blocks', ''],
  ['recalled', 'at', 'operations', `operation = 'recall' AND `],
  ['reported', 'at', 'operations', `operation IN ('outcome', 'settle') AND `],
  ['edgesByUse', 'created_at', 'edges', `origin IN ('co_retrieval', 'outcome') AND `],
  ['edgesBySimilarity', 'created_at', 'edges', `origin = 'similarity' AND `],
  ['edgesOtherwise', 'created_at', 'edges', `origin IN ('agent', 'llm_inferred') AND `],
  ['promoted', 'created_at', 'edges', `coalesce(previous_origin, origin) = 'co_retrieval' AND `],
  ['sessions', 'started_at', 'sessions', ''],
] as const

const SELECT_DAYS = statement(({ own }) =>
  DONE.map(
    ([
      what,
      time,
      table,
      which,
    ]) => `SELECT substr(${time}, 1, 10) AS day, '${what}' AS what, count(*) AS total
FROM ${table} WHERE ${which}${time} >= ?1${own(table)} GROUP BY substr(${time}, 1, 10)`,
  ).join('\nUNION ALL\n'),
)

/** Counts what was done on each UTC day since one, in the order of days. One statement. */
export async function readDays(connection: ScopedConnection, since: string): Promise<CountedDay[]> {
  const days = new Map<string, CountedDay>()
  const rows = (await connection.values(SELECT_DAYS, since)) as unknown as [string, string, number][]
  for (const [day, what, total] of rows)
    days.set(day, { ...(days.get(day) ?? { day, ...NOTHING_DONE }), [what]: total })
  return [...days.values()].sort((one, other) => (one.day < other.day ? -1 : 1))
}

/** Vectors in use, and beside each the one of its block in the other set. */
const IN_BOTH = `block_vectors LEFT JOIN block_vectors AS other
  ON other.arrival = block_vectors.arrival AND other.set_number <> block_vectors.set_number`

const SELECT_TOTALS = statement(
  ({ sql }) => `SELECT count(*) AS blocks, coalesce(sum(length(content)), 0) AS characters,
  count(*) FILTER (WHERE status <> 'inbox') AS settled, ${HAS_SHADOW} AS keeps,
  count(*) FILTER (WHERE other.arrival IS NULL) AS missing
FROM ${IN_BOTH} ${sql.join('blocks', 'blocks', 'blocks.arrival = block_vectors.arrival')}
WHERE block_vectors.set_number = ${SELECT_SET}`,
)

const SELECT_MISSING = statement(
  ({ sql }) => `SELECT ${columnsOf(BLOCK, 'blocks')}
FROM ${IN_BOTH} ${sql.join('blocks', 'blocks', 'blocks.arrival = block_vectors.arrival')}
WHERE block_vectors.set_number = ${SELECT_SET} AND other.arrival IS NULL AND ${HAS_SHADOW} = 1
ORDER BY block_vectors.arrival LIMIT ${sql.plus}?1`,
)

/** Counts the vectors in use, the text they are of, and the vectors that the shadow set lacks. */
export async function readVectorTotals(
  connection: ScopedConnection,
): Promise<VectorTotals & { readonly settled: number }> {
  const [row = []] = await connection.values(SELECT_TOTALS)
  const [blocks = 0, characters = 0, settled = 0, keeps = 0, missing = 0] = row.map(Number)
  return { blocks, characters, settled, ...(keeps === 0 ? {} : { missing }) }
}

/** The first blocks that the shadow set lacks. Walks the index as far as the last of them. */
export async function readMissingShadow(connection: ScopedConnection, limit: number): Promise<Block[]> {
  return (await connection.values(SELECT_MISSING, Math.max(0, limit))).map(decode)
}

const { decode } = codecOf(BLOCK)

const COLUMNS = columnsOf(BLOCK, 'blocks')

/** A block of none of the categories with none of the tags. */
const notExcluded = ({ sql }: Form) => `NOT (${sql.in('category', '?2')})
  AND NOT EXISTS (SELECT 1 FROM ${sql.texts('blocks.tags', 'tag')} WHERE ${sql.in('tag.value', '?3')})`

const SELECT_MARKED_PENDING = statement(
  ({ sql, own }) => `SELECT ${COLUMNS} FROM blocks
WHERE status = 'active' AND judgement_pending = 1 AND arrival > 0${own('blocks')} ORDER BY arrival LIMIT ${sql.plus}?1`,
)

const SELECT_UNJUDGED_OR_STALE = statement(
  (form) => `SELECT ${COLUMNS} FROM blocks
WHERE status = 'active' AND coalesce(scored_at, '') < ?4 AND judgement_pending = 0 AND ${notExcluded(form)}${form.own('blocks')}
ORDER BY coalesce(scored_at, ''), arrival LIMIT ${form.sql.plus}?1`,
)

const COUNT_PENDING_JUDGEMENTS = statement(
  ({ own }) => `SELECT
  (SELECT count(*) FROM blocks WHERE status = 'active' AND judgement_pending = 1 AND arrival > 0${own('blocks')}) AS pending,
  (SELECT count(*) FROM blocks WHERE status = 'active' AND coalesce(scored_at, '') = ''${own('blocks')}) AS unjudged,
  (SELECT count(*) FROM blocks WHERE status = 'active' AND coalesce(scored_at, '') > ''
    AND coalesce(scored_at, '') < ?1${own('blocks')}) AS stale`,
)

const SELECT_UNLABELLED = statement(
  ({ sql, own }) => `SELECT from_id, to_id, cosine FROM unlabelled_pairs
WHERE arrival > 0 AND (SELECT status FROM blocks WHERE id = from_id) = 'active'
  AND (SELECT status FROM blocks WHERE id = to_id) = 'active'${own('unlabelled_pairs')}
ORDER BY arrival LIMIT ${sql.plus}?1`,
)

/** Active blocks that want a judgement: the pending, then the never judged, then those judged longest ago. */
export async function readPendingJudgements(
  connection: ScopedConnection,
  filter: PendingJudgementFilter,
): Promise<Block[]> {
  const limit = Math.max(0, filter.limit)
  const pending = (await connection.values(SELECT_MARKED_PENDING, limit)).map(decode)
  const room = limit - pending.length
  if (filter.pendingOnly || room === 0) return pending
  const excluded = [unique(filter.excludeCategories), unique(filter.excludeTags)] as const
  const others = await connection.values(SELECT_UNJUDGED_OR_STALE, room, ...excluded, filter.judgedBefore)
  return [...pending, ...others.map(decode)]
}

/** Counts the active blocks that want a judgement, by entries of indexes. */
export async function readJudgementCounts(
  connection: ScopedConnection,
  judgedBefore: string,
): Promise<JudgementCounts> {
  const [row = []] = await connection.values(COUNT_PENDING_JUDGEMENTS, judgedBefore)
  const [pending = 0, unjudged = 0, stale = 0] = row as readonly number[]
  return { pending, unjudged, stale }
}

/** Pairs of active blocks without a label, oldest first. */
export async function readUnlabelled(connection: ScopedConnection, limit: number): Promise<UnlabelledPair[]> {
  const rows = await connection.values(SELECT_UNLABELLED, Math.max(0, limit))
  return (rows as unknown as [string, string, number][]).map(([from, to, cosine]) => ({ from, to, cosine }))
}
