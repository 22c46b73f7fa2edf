import type { Block } from '../../src/domain/block/block.ts'
import { ElfmemError } from '../../src/errors.ts'
import type { BlockFilter, BlockPage } from '../../src/ports/store/transaction.ts'
import { byString, type StoredBlock } from './state.ts'

/** One page of the blocks a filter lets through; the cursor is the place of the last one shown. */
export function findPage(stored: readonly StoredBlock[], filter: BlockFilter): BlockPage {
  const matching = stored
    .filter(({ block }) => matches(block, filter))
    .map((each) => ({ block: each.block, place: placeOf(each, filter.order) }))
    .sort((one, other) => comparePlaces(one.place, other.place))
  const start = filter.cursor === undefined ? undefined : parseCursor(filter.cursor)
  const rest =
    start === undefined ? matching : matching.filter(({ place }) => comparePlaces(place, start) > 0)
  const shown = rest.slice(0, Math.max(0, filter.limit))
  const last = shown.at(-1)
  const blocks = shown.map(({ block }) => block)
  return last === undefined || shown.length === rest.length
    ? { blocks }
    : { blocks, cursor: JSON.stringify(last.place) }
}

type Place = readonly [number, string]

function placeOf({ block, arrival }: StoredBlock, order: BlockFilter['order']): Place {
  return order === 'recent' ? [-block.lastReinforcedAt, block.id] : [arrival, block.id]
}

function comparePlaces(one: Place, other: Place): number {
  return one[0] - other[0] || byString(one[1], other[1])
}

function matches(block: Block, { status, category, session, tag }: BlockFilter): boolean {
  return (
    (status === undefined || block.status === status) &&
    (category === undefined || block.category === category) &&
    (session === undefined || block.session === session) &&
    (tag === undefined || block.tags.some((each) => tagMatches(each, tag)))
  )
}

function tagMatches(tag: string, wanted: string): boolean {
  return wanted.endsWith('*') ? tag.startsWith(wanted.slice(0, -1)) : tag === wanted
}

function parseCursor(cursor: string): Place {
  try {
    const [number, id] = JSON.parse(cursor) as unknown[]
    if (typeof number === 'number' && typeof id === 'string') return [number, id]
  } catch (error) {
    throw badCursor(error)
  }
  throw badCursor()
}

function badCursor(cause?: unknown): ElfmemError {
  return new ElfmemError('INVALID_INPUT', 'The cursor is not one that a page returned.', {
    recovery: 'Ask for the first page, then pass its cursor on unchanged.',
    cause,
  })
}
