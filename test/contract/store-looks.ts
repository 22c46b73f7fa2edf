import fc from 'fast-check'
import { DECAY_TIERS } from '../../src/domain/score/experience.ts'
import type { BlockCondition, BlockFilter, BlockOrder } from '../../src/ports/store/pages.ts'
import type {
  BlockPage,
  BlockVitality,
  IndexedBlock,
  StoreReader,
} from '../../src/ports/store/transaction.ts'
import { AT } from '../../src/testing/harness.ts'
import { hours, idsOf, LATER, limit, type Names, status } from './store-values.ts'

export type Look = (tx: StoreReader) => Promise<unknown>

/** A question with what it is given. */
export function look<T>(
  given: fc.Arbitrary<T>,
  call: (tx: StoreReader, given: T) => Promise<unknown>,
): fc.Arbitrary<Look> {
  return given.map(
    (value): Look =>
      (tx) =>
        call(tx, value),
  )
}

const nothing = fc.constant(undefined)

const ORDERS: readonly BlockOrder[] = ['recent', 'arrival', 'newest', 'proved', 'doubted', 'fading', 'joined']

/** A page in any order, of blocks that meet a condition or two. */
function filterOver({ sessions }: Names): fc.Arbitrary<Omit<BlockFilter, 'limit'>> {
  const conditions: fc.Arbitrary<BlockCondition> = fc.oneof(
    fc.record({ status }),
    fc.record({ category: fc.constantFrom('knowledge', 'decision', 'mind', 'observation') }),
    fc.record({ session: fc.constantFrom(...sessions) }),
    fc.record({ tag: fc.constantFrom('self/*', 'self*', 'selfish', 'x_y', 'x%y', 'x*', '*', 'ä') }),
    fc.record({ source: fc.constantFrom('', 'Ä_%') }),
    fc.record({ sourceClass: fc.constantFrom('agent' as const, 'peer' as const) }),
    fc.record({ tier: fc.constantFrom(...DECAY_TIERS) }),
    fc.record({
      words: fc.uniqueArray(fc.constantFrom('content', 'CONTENT', 'a', 'ä_%', '%', '_', '\\', 'é'), {
        minLength: 1,
        maxLength: 2,
      }),
    }),
    fc.record({ since: fc.constantFrom(AT, LATER) }),
    fc.record({ until: fc.constantFrom(AT, LATER) }),
    fc.constant({ isolated: true }),
    fc.constant({ undecided: true }),
  )
  const page = fc.record(
    { hours, offset: fc.nat(2), count: fc.constant(true), facets: fc.integer({ min: 1, max: 3 }) },
    { requiredKeys: [] },
  )
  return fc
    .tuple(fc.array(conditions, { maxLength: 2 }), page, fc.constantFrom(...ORDERS))
    .map(([wanted, asked, order]) => Object.assign({}, ...wanted, asked, { order }))
}

const spareLooks = [
  look(nothing, (tx) => tx.vectorTotals()),
  look(limit, (tx, most) => tx.missingShadow(most)),
]

/** What decides if blocks fade, page by page; their numbers count those of all scopes. */
async function vitality(tx: StoreReader, most: number): Promise<Omit<BlockVitality, 'arrival'>[]> {
  const all: Omit<BlockVitality, 'arrival'>[] = []
  for (let after = 0; ; ) {
    const page = await tx.vitalityPage(after, most)
    all.push(...page.map(({ arrival: _, ...block }) => block))
    if (page.length === 0) return all
    after = page.at(-1)?.arrival ?? after
  }
}

function blockLooks(names: Names): fc.Arbitrary<Look>[] {
  const { id, ids } = idsOf(names)
  const prefix = fc.constantFrom(
    '',
    'b%',
    '_',
    '%',
    'z',
    ...[...names.own, ...names.others].map(([first = '']) => first),
  )
  return [
    look(ids, (tx, given) => tx.blocks(given)),
    look(ids, (tx, given) => tx.vectors(given)),
    look(ids, (tx, given) => tx.replacing(given, 99)),
    look(fc.array(prefix), (tx, given) => tx.idsByPrefix(given)),
    look(fc.tuple(filterOver(names), limit), async (tx, [filter, most]) => {
      const pages: Omit<BlockPage, 'cursor'>[] = []
      for (let given = {}; ; ) {
        const { cursor, ...page } = await tx.page({ ...filter, ...given, limit: most })
        pages.push(page)
        if (cursor === undefined) return pages
        // Of the hours of a cursor those that are given now move nothing.
        given = { cursor, hours: 0, offset: 0 }
      }
    }),
    look(limit, vitality),
    look(fc.tuple(id, limit), (tx, [after, most]) => tx.datedPage(after, most)),
    look(nothing, (tx) => tx.oldestLogged()),
    look(nothing, (tx) => tx.days([AT.slice(0, 10), '2026-03-02'])),
    look(nothing, async (tx) => {
      const seen: IndexedBlock[] = []
      await tx.livingBlocks((batch) => seen.push(...batch))
      return seen.sort((one, other) => (one.block.id < other.block.id ? -1 : 1))
    }),
    look(nothing, (tx) => tx.counts()),
    look(fc.tuple(fc.constantFrom(undefined, ...names.scopes), limit), (tx, [scope, most]) =>
      tx.tagsIn(scope, most),
    ),
    look(nothing, (tx) => tx.judgementCounts('2026-01-15')),
    look(fc.tuple(fc.boolean(), limit), (tx, [pendingOnly, most]) =>
      tx.pendingJudgements({
        pendingOnly: pendingOnly,
        judgedBefore: '2026-01-15',
        excludeCategories: ['decision'],
        excludeTags: ['selfish'],
        limit: most,
      }),
    ),
    look(nothing, (tx) => tx.waiting()),
    look(limit, (tx, most) => tx.scopes(most)),
    ...(names.spares ? spareLooks : []),
  ]
}

function graphLooks(names: Names): fc.Arbitrary<Look>[] {
  const { ids, ends } = idsOf(names)
  return [
    look(ids, (tx, given) => tx.links(given)),
    look(ids, (tx, given) => tx.groundsOf(given)),
    look(ids, (tx, given) => tx.restingOn(given)),
    look(idsOf(names).id, (tx, given) => tx.groundPage([given, ''], 5)),
    look(ids, (tx, given) => tx.groupedPairs(given, 99)),
    look(ids, (tx, given) => tx.degrees(given)),
    look(ids, (tx, given) => tx.edgesAround(given)),
    look(ids, (tx, given) => tx.strengths(given)),
    look(fc.tuple(limit, limit), (tx, [most, rank]) => tx.strongest(most, rank)),
    look(fc.tuple(limit, fc.nat(3), fc.option(ids)), (tx, [most, atLeast, among]) =>
      tx.stagedPairs({ limit: most, atLeast, ...(among === null ? {} : { among }) }),
    ),
    look(limit, (tx, most) => tx.pendingConnections(most)),
    look(fc.tuple(ids, hours), (tx, [given, since]) => tx.disconnections(given, since)),
    look(limit, (tx, most) => tx.openPairs(most)),
    look(fc.tuple(ends, limit), (tx, [behind, most]) => tx.openPairs(most, behind)),
    look(limit, (tx, most) => tx.unlabelledPairs(most)),
    look(fc.tuple(ends, limit), (tx, [after, most]) => tx.edgePage(after, most)),
    look(limit, (tx, most) => tx.edgeNotes(most)),
    look(limit, (tx, most) => tx.heaviestEdges(most)),
  ]
}

function logLooks(names: Names): fc.Arbitrary<Look>[] {
  const { id } = idsOf(names)
  const filter = fc.record(
    {
      blockId: id,
      operation: fc.constantFrom('edit', 'dream'),
      changing: fc.array(id, { maxLength: 2 }),
      after: fc.nat(9),
      isKept: fc.constant(true as const),
      runs: fc.constant(true as const),
    },
    { requiredKeys: [] },
  )
  return [
    look(fc.tuple(limit, filter), (tx, [most, given]) => tx.operations({ limit: most, ...given })),
    look(fc.nat(20), (tx, kept) => tx.keptChanges(kept)),
    look(fc.array(fc.nat(20), { maxLength: 3 }), (tx, kept) => tx.sharedChanges(kept)),
    look(fc.tuple(id, limit), (tx, [given, most]) => tx.outcomes(given, most)),
    look(fc.constantFrom(...names.own), (tx, key) => tx.meta(key)),
    look(fc.constantFrom(...names.sessions), (tx, name) => tx.session(name)),
    look(nothing, (tx) => tx.latestOpenSession()),
  ]
}

/** Any question to a store, except what it can only answer about all of itself. */
export function lookOver(names: Names): fc.Arbitrary<Look> {
  return fc.oneof(...blockLooks(names), ...graphLooks(names), ...logLooks(names))
}

/** All there is to see at once, whatever it is. */
export function lookAtAll({ own, others, sessions, scopes }: Names): Look {
  const ids = [...own, ...others]
  const due = { judgedBefore: '2026-03', excludeCategories: [], excludeTags: [], limit: 99 }
  return async (tx) => {
    const living: IndexedBlock[] = []
    await tx.livingBlocks((batch) => living.push(...batch))
    const { blocks } = await tx.page({ order: 'recent', limit: 99 })
    return [
      [await tx.changes(0), await tx.counts(), await tx.waiting(), await tx.scopes(99), blocks],
      living.sort((one, other) => (one.block.id < other.block.id ? -1 : 1)),
      [await tx.links(ids), await tx.groupedPairs(ids, 99), await tx.edgesAround(ids), await tx.degrees(ids)],
      [await tx.strengths(ids), await tx.strongest(99, 1), await vitality(tx, 99)],
      [
        await tx.openPairs(99),
        await tx.stagedPairs({ atLeast: 1, limit: 99 }),
        await tx.pendingConnections(99),
      ],
      [await tx.disconnections(ids, 0), await tx.unlabelledPairs(99), await tx.operations({ limit: 99 })],
      [await tx.pendingJudgements({ ...due, pendingOnly: false }), await tx.judgementCounts('2026-01-15')],
      [await tx.vectors(ids), await tx.idsByPrefix(ids), await tx.replacing(ids, 99)],
      await tx.sameTexts(blocks),
      await Promise.all([undefined, ...scopes].map((scope) => tx.tagsIn(scope, 99))),
      await Promise.all(ids.map((id) => tx.outcomes(id, 99))),
      await Promise.all(sessions.map((id) => tx.session(id))),
      await tx.latestOpenSession(),
    ]
  }
}

/** What changed since some sequence, which counts the changes of all scopes. */
export const changesLook: fc.Arbitrary<Look> = look(fc.nat(12), (tx, since) => tx.changes(since))
