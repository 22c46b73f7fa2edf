import { type BlockCondition, FACETS, type Facet, type Facets } from '../../ports/store/pages.ts'
import { type Form, type ScopedConnection, statement } from '../connection/scoped-connection.ts'
import { conditionsOf, type Parameter, tierOf } from './block-filter.ts'

type Name = (typeof FACETS)[number]

/** The rows that a facet counts, each with its value. */
const VALUES: Readonly<Record<Name, (form: Form) => string>> = {
  tag: ({ own }) =>
    `SELECT tag AS value FROM block_tags WHERE block_id IN (SELECT id FROM fitting)${own('block_tags')}`,
  category: () => 'SELECT category AS value FROM fitting',
  sourceClass: () => 'SELECT source_class AS value FROM fitting',
  source: () => 'SELECT source AS value FROM fitting WHERE source IS NOT NULL',
  session: () => 'SELECT session AS value FROM fitting',
  tier: () => 'SELECT tier AS value FROM fitting',
  status: () => 'SELECT status AS value FROM of_any_status',
}

/** How the blocks that a condition lets through are spread. One statement, which walks them once. */
export function readFacets(
  connection: ScopedConnection,
  { status, ...wanted }: BlockCondition,
  most: number,
): Facets {
  let parameters: Parameter[] = []
  const asked = statement((form) => {
    parameters = []
    const bind = (value: Parameter): string => `?${parameters.push(value)}`
    const conditions = conditionsOf(wanted, bind, form)
    const isFitting = status === undefined ? '' : ` WHERE status = ${bind(status)}`
    const limit = bind(Math.max(0, most))
    const counted = FACETS.map(
      (name) => `SELECT * FROM (
  SELECT '${name}' AS facet, value, count(*) AS total, count(*) OVER () AS differing
  FROM (${VALUES[name](form)}) GROUP BY value ORDER BY total DESC, value LIMIT ${limit}
)`,
    )
    return `WITH of_any_status AS MATERIALIZED (
  SELECT blocks.id, blocks.status, blocks.category, blocks.source_class, blocks.source, blocks.session, ${tierOf(form)} AS tier
  FROM blocks WHERE ${[...conditions, 'true'].join(' AND ')}${form.own('blocks')}
), fitting AS (SELECT * FROM of_any_status${isFitting})
${counted.join('\nUNION ALL\n')}`
  })
  const rows = connection.all<{ facet: Name; value: string; total: number; differing: number }>(
    asked,
    ...parameters,
  )
  const facetOf = (name: Name): Facet => {
    const own = rows.filter(({ facet }) => facet === name)
    return {
      values: own.map(({ value, total }) => ({ value, blocks: total })),
      distinct: own[0]?.differing ?? 0,
    }
  }
  return Object.fromEntries(FACETS.map((name) => [name, facetOf(name)])) as Facets
}
