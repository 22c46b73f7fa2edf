import type { LsInput } from '../../../src/operations/methods.generated.ts'
import type { Query } from '../../address.ts'
import { speakerWords } from '../../format.ts'

/** Orders of the list, the usual one first, with their words. */
export const ORDERS = [
  ['used', 'last used first'],
  ['newest', 'newest first'],
  ['oldest', 'oldest first'],
  ['proved', 'most confirmed'],
  ['doubted', 'most doubted'],
  ['fading', 'fading first'],
  ['joined', 'best joined'],
] as const

/** Values of a status, the usual one first. */
export const STATUSES = [
  ['active', 'active'],
  ['inbox', 'waiting'],
  ['archived', 'archived'],
] as const

/** Kinds of blocks that are looked for besides. */
export const WHICH = [
  ['', 'all of them'],
  ['isolated', 'without edges'],
  ['undecided', 'to be decided'],
] as const

/** Names of tiers. */
export const TIERS = ['permanent', 'durable', 'standard', 'ephemeral'] as const

const SPEAKERS = ['user', 'agent', 'model', 'tool', 'document', 'peer', 'import'] as const

/** The filters of a list without its page. */
export type Filters = Omit<LsInput, 'limit' | 'cursor' | 'offset' | 'count' | 'details'>

/** One value of a list, or nothing: an address may hold anything. */
function oneOf<V extends string>(all: readonly V[], value: string | undefined): V | undefined {
  return all.find((each) => each === value)
}

const SORTS = ORDERS.map(([key]) => key)
const STATES = STATUSES.map(([key]) => key)

/** What an address asks of `ls`. Values that are none are left out. */
export function filtersOf(query: Query): Filters {
  const { words, tag, category, session, source, since, until, which } = query
  const given = {
    words: words?.trim().slice(0, 200) || undefined,
    ...{ tag, category, session, source, since, until },
    sourceClass: oneOf(SPEAKERS, query.by),
    tier: oneOf(TIERS, query.tier),
    isolated: which === 'isolated' || undefined,
    undecided: which === 'undecided' || undefined,
  }
  const known = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== ''),
  )
  return {
    ...known,
    status: oneOf(STATES, query.status) ?? 'active',
    sort: oneOf(SORTS, query.sort) ?? 'used',
  }
}

/** A filter that is set, as a chip that takes it away. */
export interface SetFilter {
  readonly key: string
  readonly words: string
}

/** The filters of an address in words. */
export function setFilters(query: Query): readonly SetFilter[] {
  const { words, status, tag, category, session, source, since, until, which, by, tier } = query
  const all: readonly (readonly [string, string | undefined])[] = [
    ['words', words && `“${words}”`],
    ['status', status && (STATUSES.find(([key]) => key === status)?.[1] ?? status)],
    ['by', by && `by ${speakerWords(by)}`],
    ['source', source && `from ${source}`],
    ['tag', tag && `#${tag}`],
    ['category', category],
    ['tier', tier],
    ['session', session && `conversation ${session}`],
    ['which', which && (WHICH.find(([key]) => key === which)?.[1] ?? which)],
    ['since', since && `since ${since}`],
    ['until', until && `before ${until}`],
  ]
  return all.flatMap(([key, said]) => (said ? [{ key, words: said }] : []))
}
