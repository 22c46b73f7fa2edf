import type { BlockStatus } from '../../domain/block/block.ts'
import { ElfmemError } from '../../errors.ts'
import type { BlockFilter, BlockPage } from '../../ports/store/transaction.ts'
import { codecOf } from '../../store/codec.ts'
import { BLOCK } from '../../store/views.ts'
import {
  columnsOf,
  type Form,
  type ScopedConnection,
  type Statement,
  statement,
} from '../connection/scoped-connection.ts'

type Position = readonly [number, string]
type Parameter = string | number
type Bind = (value: Parameter) => string

/** Every page begins after a position, the first one before all blocks: so each order is a range of its index. */
const STARTS: Readonly<Record<BlockFilter['order'], Position>> = {
  recent: [Number.MAX_VALUE, ''],
  arrival: [0, ''],
  newest: [Number.MAX_SAFE_INTEGER, ''],
}

const ORDERS: Readonly<Record<BlockFilter['order'], string>> = {
  recent: 'blocks.last_reinforced_at DESC, blocks.id',
  arrival: 'blocks.arrival',
  newest: 'blocks.arrival DESC',
}

/** Spelled out in the statement's text, because an index on one status serves no bound parameter. */
const STATUSES: Readonly<Record<BlockStatus, string>> = {
  inbox: 'inbox',
  active: 'active',
  archived: 'archived',
}

/** One page of the blocks a filter lets through. */
export function readPage(connection: ScopedConnection, filter: BlockFilter): BlockPage {
  const limit = Math.max(0, filter.limit)
  const { asked, parameters } = pageOf(filter)
  const rows = connection.values(asked, ...parameters, limit + 1)
  const blocks = rows.slice(0, limit).map(codecOf(BLOCK).decode)
  const last = blocks.at(-1)
  if (last === undefined || rows.length === blocks.length) return { blocks }
  const arrival = rows[blocks.length - 1]?.[BLOCK.properties.length] as number
  const place = filter.order === 'recent' ? last.lastReinforcedAt : arrival
  return { blocks, cursor: cursorAt(filter.order, [place, last.id]) }
}

function pageOf(filter: BlockFilter): { asked: Statement; parameters: Parameter[] } {
  let parameters: Parameter[] = []
  const asked = statement((form) => {
    parameters = []
    const bind = (value: Parameter): string => `?${parameters.push(value)}`
    const conditions = [...filterConditions(filter, bind, form), positionCondition(filter, bind)]
    return `SELECT ${columnsOf(BLOCK, 'blocks')}, blocks.arrival
FROM blocks
WHERE ${conditions.join(' AND ')}${form.own('blocks')}
ORDER BY ${ORDERS[filter.order]}
LIMIT ?${parameters.length + 1}`
  })
  return { asked, parameters }
}

function positionCondition(filter: BlockFilter, bind: Bind): string {
  const [place, id] =
    filter.cursor === undefined ? STARTS[filter.order] : parseCursor(filter.cursor, filter.order)
  const bound = bind(place)
  if (filter.order === 'arrival') return `blocks.arrival > ${bound}`
  if (filter.order === 'newest') return `blocks.arrival < ${bound}`
  return `blocks.last_reinforced_at <= ${bound} AND (blocks.last_reinforced_at < ${bound} OR blocks.id > ${bind(id)})`
}

function filterConditions(filter: BlockFilter, bind: Bind, { own, unindexed }: Form): string[] {
  const conditions: string[] = []
  if (filter.status !== undefined) conditions.push(`blocks.status = '${STATUSES[filter.status]}'`)
  for (const column of ['category', 'session'] as const) {
    const value = filter[column]
    if (value !== undefined) conditions.push(`${unindexed}blocks.${column} = ${bind(value)}`)
  }
  if (filter.tag !== undefined) {
    const tagged = `${tagCondition(filter.tag, bind)}${own('block_tags')}`
    conditions.push(`blocks.id IN (SELECT block_id FROM block_tags WHERE ${tagged})`)
  }
  return conditions
}

function tagCondition(tag: string, bind: Bind): string {
  if (!tag.endsWith('*')) return `tag = ${bind(tag)}`
  const prefix = tag.slice(0, -1)
  return `tag >= ${bind(prefix)} AND tag < ${bind(prefixEnd(prefix))}`
}

/** The order is part of it, since a place of another order would leave blocks out without a word. */
function cursorAt(order: BlockFilter['order'], position: Position): string {
  return Buffer.from(JSON.stringify([...position, order])).toString('base64url')
}

function parseCursor(cursor: string, order: BlockFilter['order']): Position {
  const position = positionIn(Buffer.from(cursor, 'base64url').toString(), order)
  if (position !== undefined) return position
  throw new ElfmemError('INVALID_INPUT', 'The cursor is not one that a page in this order returned.', {
    recovery: 'Ask for the first page, then pass its cursor on unchanged.',
  })
}

function positionIn(text: string, order: BlockFilter['order']): Position | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!Array.isArray(value) || value.length !== 3) return undefined
    const [place, id, given] = value as unknown[]
    return typeof place === 'number' && typeof id === 'string' && given === order ? [place, id] : undefined
  } catch {
    return undefined
  }
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
