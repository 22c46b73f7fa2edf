import { ElfmemError } from '../../errors.ts'
import type { BlockFilter, BlockOrder, BlockPage } from '../../ports/store/queries.ts'
import { codecOf } from '../../store/codec.ts'
import { BLOCK } from '../../store/views.ts'
import {
  columnsOf,
  type Form,
  type ScopedConnection,
  type Statement,
  statement,
} from '../connection/connection.ts'
import { type Bind, conditionsOf, type Parameter } from './block-filter.ts'
import { readFacets } from './facets.ts'

/** Where a page ends: the value its order goes by, what tells equal ones apart, and the hours of `fading`. */
type Position = readonly [place: number | string, tie: string | number, hours: number]

/** How an order is made: the value that blocks go by, and what tells equal ones apart. */
interface Ordering {
  /** An expression over a row of `blocks`. */
  readonly place: (form: Form, hours: string) => string
  readonly tie: 'id' | 'arrival'
  readonly ascends?: true
  /** Every page begins behind a place, the first one before all blocks, so that an index on the place gives the order. */
  readonly start?: number | string
}

/** When the newest words of a block arrived. */
const TOLD = 'coalesce(blocks.last_told_at, blocks.created_at)'

/** It is after every time that a column holds. */
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
    place: (_, hours) => `blocks.decay_lambda * max(0.0, ${hours} - blocks.last_reinforced_at)`,
    tie: 'arrival',
  },
  joined: {
    place: ({ strengths }) => `coalesce((SELECT strength FROM ${strengths} WHERE block_id = blocks.id), 0)`,
    tie: 'arrival',
  },
}

/** One page of the blocks a filter lets through, and what else it asks of them. */
export function readPage(connection: ScopedConnection, filter: BlockFilter): BlockPage {
  const limit = Math.max(0, filter.limit)
  const { asked, parameters, hours } = pageOf(filter)
  const rows = limit === 0 ? [] : connection.values(asked, ...parameters, limit + 1, filter.offset ?? 0)
  const blocks = rows.slice(0, limit).map(codecOf(BLOCK).decode)
  const [place, tie] = (rows[blocks.length - 1] ?? []).slice(BLOCK.properties.length)
  const isLast = blocks.length === 0 || rows.length === blocks.length
  const position: Position = [place as Position[0], tie as string | number, hours]
  return {
    blocks,
    ...(isLast ? {} : { cursor: cursorAt(filter.order, position) }),
    ...(filter.count ? { total: countBlocks(connection, filter) } : {}),
    ...(filter.facets === undefined ? {} : { facets: readFacets(connection, filter) }),
  }
}

/** The rows are found by narrow columns first, so that whole blocks are read of one page alone. */
function pageOf(filter: BlockFilter): { asked: Statement; parameters: Parameter[]; hours: number } {
  const { place, tie, ascends, start } = ORDERINGS[filter.order]
  const behind = filter.cursor === undefined ? undefined : parseCursor(filter.cursor, filter.order)
  const hours = behind?.[2] ?? filter.hours ?? 0
  let parameters: Parameter[] = []
  const asked = statement((form) => {
    parameters = []
    const bind = (value: Parameter): string => `?${parameters.push(value)}`
    const at = place(form, filter.order === 'fading' ? bind(hours) : '')
    const from =
      behind ??
      (start === undefined ? undefined : ([start, ascends ? 0 : Number.MAX_SAFE_INTEGER, hours] as const))
    const conditions = [
      ...conditionsOf(filter, bind, form),
      ...(from === undefined ? [] : [isBehind(filter.order, from, bind)]),
    ]
    const direction = ascends ? '' : ' DESC'
    const order = `place${direction}, blocks.${tie}${tie === 'id' ? '' : direction}`
    return `SELECT ${columnsOf(BLOCK, 'blocks')}, picked.place, blocks.${tie} AS tie
FROM (
  SELECT blocks.arrival AS number, ${at} AS place FROM blocks
  WHERE ${[...conditions, 'true'].join(' AND ')}${form.own('blocks')}
  ORDER BY ${order}
  LIMIT +?${parameters.length + 1} OFFSET ?${parameters.length + 2}
) AS picked CROSS JOIN blocks ON blocks.arrival = picked.number
ORDER BY picked.${order}`
  })
  return { asked, parameters, hours }
}

function isBehind(order: BlockOrder, [place, tie]: Position, bind: Bind): string {
  const bound = bind(place)
  if (order === 'arrival') return `blocks.arrival > ${bound}`
  if (order === 'newest')
    return `${TOLD} <= ${bound} AND (${TOLD} < ${bound} OR blocks.arrival < ${bind(tie)})`
  if (order === 'recent')
    return `blocks.last_reinforced_at <= ${bound} AND (blocks.last_reinforced_at < ${bound} OR blocks.id > ${bind(tie)})`
  return `(place < ${bound} OR (place = ${bound} AND blocks.arrival < ${bind(tie)}))`
}

function countBlocks(connection: ScopedConnection, filter: BlockFilter): number {
  let parameters: Parameter[] = []
  const asked = statement((form) => {
    parameters = []
    const conditions = conditionsOf(filter, (value) => `?${parameters.push(value)}`, form)
    return `SELECT count(*) AS total FROM blocks WHERE ${[...conditions, 'true'].join(' AND ')}${form.own('blocks')}`
  })
  return connection.get<{ total: number }>(asked, ...parameters)?.total ?? 0
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
