import {
  type BlockFilter,
  FACETS,
  type Facet,
  type FacetName,
  type Facets,
} from '../../ports/store/queries.ts'
import { type Form, type ScopedConnection, statement } from '../connection/connection.ts'
import { conditionsOf, type Parameter, tierOf } from './block-filter.ts'

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

/** From so many facets on it is quicker to keep the narrow rows than to walk the blocks for each. */
const KEPT_FROM = 3

/** How the blocks that a filter lets through are spread. One statement. */
export function readFacets(
  connection: ScopedConnection,
  { status, facets: most = 0, facetsOf = FACETS, ...wanted }: BlockFilter,
): Facets {
  let parameters: Parameter[] = []
  const asked = statement((form) => {
    parameters = []
    const bind = (value: Parameter): string => `?${parameters.push(value)}`
    const conditions = conditionsOf(wanted, bind, form)
    // The sign keeps SQLite from making an index of the kept rows for each facet.
    const isFitting = status === undefined ? '' : ` WHERE +status = ${bind(status)}`
    const limit = bind(Math.max(0, most))
    const counted = [...new Set(facetsOf)].map(
      (name) => `SELECT * FROM (
  SELECT '${name}' AS facet, value, count(*) AS total, count(*) OVER () AS differing
  FROM (${VALUES[name](form)}) GROUP BY value ORDER BY total DESC, value LIMIT ${limit}
)`,
    )
    const kept = facetsOf.length < KEPT_FROM ? 'NOT MATERIALIZED' : 'MATERIALIZED'
    return `WITH of_any_status AS ${kept} (
  SELECT blocks.id, blocks.status, blocks.category, blocks.source_class, blocks.source, blocks.session, ${tierOf(form)} AS tier
  FROM blocks WHERE ${[...conditions, 'true'].join(' AND ')}${form.own('blocks')}
), fitting AS (SELECT * FROM of_any_status${isFitting})
${counted.join('\nUNION ALL\n')}`
  })
  const rows = connection.all<{ facet: FacetName; value: string; total: number; differing: number }>(
    asked,
    ...parameters,
  )
  const facetOf = (name: FacetName): Facet => {
    const own = rows.filter(({ facet }) => facet === name)
    return {
      values: own.map(({ value, total }) => ({ value, blocks: total })),
      distinct: own[0]?.differing ?? 0,
    }
  }
  return Object.fromEntries(FACETS.map((name) => [name, facetOf(name)])) as Facets
}
