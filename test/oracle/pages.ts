import { decayTier } from '../../src/domain/score/experience.ts'
import { ElfmemError } from '../../src/errors.ts'
import {
  type BlockFilter,
  type BlockPage,
  FACETS,
  type Facet,
  type Facets,
} from '../../src/ports/store/pages.ts'
import { BLOCK, blocks, edges, pairs, type RowOf } from '../../src/testing/index.ts'
import { type Access, by, compare, first, has, seen, strengthsOf } from './access.ts'

type BlockRow = RowOf<typeof blocks>

/** A block with the value that an order goes by. */
type Placed = BlockRow & { readonly place: number }

const TIES = { recent: 'id', arrival: 'arrival' } as const

/** A page of blocks, found by looking at each. */
export function pageOf(access: Access, filter: BlockFilter): BlockPage {
  const { order, limit, cursor, offset = 0 } = filter
  const fitting = fittingOf(access, filter)
  const start = cursor === undefined ? undefined : placeIn(cursor, order)
  const hours = start?.hours ?? filter.hours ?? 0
  const ascends = order === 'arrival'
  const place = by(
    ascends ? 'place' : '-place',
    order in TIES ? TIES[order as keyof typeof TIES] : '-arrival',
  )
  const rest = placed(access, fitting, { order, hours })
    .filter((row) => start === undefined || place(row, start as never) > 0)
    .sort(place)
    .slice(offset)
  const last = first(rest, limit).at(-1)
  const next = last && { order, hours, place: last.place, id: last.id, arrival: last.arrival }
  return {
    blocks: first(rest, limit).map((row) => seen(BLOCK, row)),
    ...(next && rest.length > limit && { cursor: JSON.stringify(next) }),
    ...(filter.count && { total: fitting.length }),
    ...(filter.facets !== undefined && { facets: facetsOf(access, filter) }),
  }
}

function placed(
  access: Access,
  rows: readonly BlockRow[],
  { order, hours }: { readonly order: BlockFilter['order']; readonly hours: number },
): Placed[] {
  const strengths = new Map(strengthsOf(access.own(edges)).map(({ id, strength }) => [id, strength]))
  const places: Readonly<Record<BlockFilter['order'], (row: BlockRow) => number>> = {
    recent: (row) => row.lastReinforcedAt,
    arrival: (row) => row.arrival,
    newest: (row) => row.arrival,
    proved: (row) => provenBelief(row.successes, row.failures),
    doubted: (row) => provenBelief(row.failures, row.successes),
    fading: (row) => row.decayLambda * Math.max(0, hours - row.lastReinforcedAt),
    joined: (row) => strengths.get(row.id) ?? 0,
  }
  return rows.map((row) => ({ ...row, place: places[order](row) }))
}

/** The mean of Beta(1 + for, 1 + against) less one standard deviation. */
function provenBelief(inFavour: number, against: number): number {
  const [alpha, beta] = [1 + inFavour, 1 + against]
  const total = alpha + beta
  return alpha / total - Math.sqrt((alpha * beta) / (total * total * (total + 1)))
}

function fittingOf(access: Access, wanted: BlockFilter): BlockRow[] {
  const { status, category, session, source, sourceClass, tag, tier, words = [], since, until } = wanted
  const given = Object.entries({ status, category, session, source, sourceClass })
  const exactly = Object.fromEntries(given.filter(([, value]) => value !== undefined))
  const isTagged = (each: string) => (tag?.endsWith('*') ? each.startsWith(tag.slice(0, -1)) : each === tag)
  const joined = new Set(access.own(edges).flatMap(({ from, to }) => [from, to]))
  const open = new Set(
    access
      .own(pairs)
      .filter(({ resolved }) => !resolved)
      .flatMap(({ a, b }) => [a, b]),
  )
  return access
    .own(blocks)
    .filter((row) => has(row, exactly))
    .filter((row) => tag === undefined || row.tags.some(isTagged))
    .filter((row) => tier === undefined || decayTier(row.tags, row.category) === tier)
    .filter((row) => words.every((word) => saysWord(row, word)))
    .filter((row) => since === undefined || row.createdAt >= since)
    .filter((row) => until === undefined || row.createdAt < until)
    .filter((row) => !wanted.isolated || !joined.has(row.id))
    .filter((row) => !wanted.undecided || open.has(row.id))
}

function saysWord({ content, cue = '', summary = '' }: BlockRow, word: string): boolean {
  const plain = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  const [begin = '', ...rest] = [...word]
  const capitalised = begin.toUpperCase() + rest.join('').toLowerCase()
  const spelled = [word, word.toLowerCase(), word.toUpperCase(), capitalised]
  return [content, cue, summary].some((text) => spelled.some((each) => plain(text).includes(plain(each))))
}

function facetsOf(access: Access, { status: _, facets: most = 0, ...wanted }: BlockFilter): Facets {
  const ofAny = fittingOf(access, wanted)
  const fitting = _ === undefined ? ofAny : ofAny.filter(({ status }) => status === _)
  const values: Readonly<Record<keyof Facets, readonly string[]>> = {
    tag: fitting.flatMap(({ tags }) => tags),
    category: fitting.map(({ category }) => category),
    sourceClass: fitting.map(({ sourceClass }) => sourceClass),
    source: fitting.flatMap(({ source }) => source ?? []),
    session: fitting.map(({ session }) => session),
    tier: fitting.map(({ tags, category }) => decayTier(tags, category)),
    status: ofAny.map(({ status }) => status),
  }
  const { facetsOf: asked = FACETS } = wanted
  const told = (name: keyof Facets) =>
    asked.includes(name) ? facetOf(values[name], most) : { values: [], distinct: 0 }
  return Object.fromEntries(FACETS.map((name) => [name, told(name)])) as Facets
}

function facetOf(all: readonly string[], most: number): Facet {
  const counted = [...new Set(all)].map((value) => ({
    value,
    blocks: all.filter((each) => each === value).length,
  }))
  counted.sort((one, other) => other.blocks - one.blocks || compare(one.value, other.value))
  // Of no values at all nothing is known of their number.
  return { values: first(counted, most), distinct: most > 0 ? counted.length : 0 }
}

interface Place {
  readonly hours: number
  readonly place: number
  readonly id: string
  readonly arrival: number
}

/** The place of the last block of a page, as its cursor says. */
function placeIn(cursor: string, order: string): Place {
  if (cursor.startsWith(`{"order":"${order}",`)) return JSON.parse(cursor)
  throw new ElfmemError('INVALID_INPUT', 'The cursor is not one that a page in this order returned.', {
    recovery: 'Ask for the first page, then pass its cursor on unchanged.',
  })
}
