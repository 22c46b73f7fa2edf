import fc from 'fast-check'
import type { BlockPage, StoreReader } from '../../src/ports/store.ts'
import { ends, hours, id, ids, limit, session, status } from './store-values.ts'

export type Look = (tx: StoreReader) => Promise<unknown>

const filter = fc.record(
  {
    status,
    category: fc.constantFrom('knowledge', 'decision'),
    session,
    tag: fc.constantFrom('self/*', 'self*', 'selfish', 'x_y', 'x%y', 'x*', '*', 'ä'),
    order: fc.constantFrom('recent' as const, 'arrival' as const),
  },
  { requiredKeys: ['order'] },
)

/** Any question to a store. */
export const look: fc.Arbitrary<Look> = fc.oneof(
  fc.nat(12).map(
    (since): Look =>
      (tx) =>
        tx.changes(since),
  ),
  ids.map(
    (each): Look =>
      (tx) =>
        tx.blocks(each),
  ),
  ids.map(
    (each): Look =>
      (tx) =>
        tx.vectors(each),
  ),
  fc.constant<Look>((tx) => tx.vectorTotals()),
  limit.map(
    (most): Look =>
      (tx) =>
        tx.missingSpare(most),
  ),
  fc.array(fc.constantFrom('', 'a', 'ab', 'b', 'b%', '_', '%', 'c', 'z')).map(
    (each): Look =>
      (tx) =>
        tx.idsByPrefix(each),
  ),
  fc.tuple(filter, limit).map(
    ([each, most]): Look =>
      async (tx) => {
        const pages: BlockPage['blocks'][] = []
        let page = await tx.page({ ...each, limit: most })
        pages.push(page.blocks)
        while (page.cursor !== undefined) {
          page = await tx.page({ ...each, limit: most, cursor: page.cursor })
          pages.push(page.blocks)
        }
        return pages
      },
  ),
  ids.map(
    (each): Look =>
      (tx) =>
        tx.links(each),
  ),
  ids.map(
    (each): Look =>
      (tx) =>
        tx.degrees(each),
  ),
  ids.map(
    (each): Look =>
      (tx) =>
        tx.edgesAround(each),
  ),
  ids.map(
    (each): Look =>
      (tx) =>
        tx.strengths(each),
  ),
  fc.tuple(limit, limit).map(
    ([most, rank]): Look =>
      (tx) =>
        tx.strongest(most, rank),
  ),
  fc.tuple(limit, fc.nat(3), fc.option(ids)).map(
    ([most, atLeast, among]): Look =>
      (tx) =>
        tx.stagedPairs({ limit: most, atLeast, ...(among === null ? {} : { among }) }),
  ),
  limit.map(
    (most): Look =>
      (tx) =>
        tx.pendingConnections(most),
  ),
  fc.tuple(ids, hours).map(
    ([each, since]): Look =>
      (tx) =>
        tx.disconnections(each, since),
  ),
  fc.constant<Look>((tx) => tx.counts()),
  fc
    .tuple(
      limit,
      fc.record({ blockId: id, operation: fc.constantFrom('edit', 'dream') }, { requiredKeys: [] }),
    )
    .map(
      ([most, each]): Look =>
        (tx) =>
          tx.operations({ limit: most, ...each }),
    ),
  fc.tuple(id, limit).map(
    ([each, most]): Look =>
      (tx) =>
        tx.outcomes(each, most),
  ),
  limit.map(
    (most): Look =>
      (tx) =>
        tx.openPairs(most),
  ),
  id.map(
    (key): Look =>
      (tx) =>
        tx.meta(key),
  ),
  session.map(
    (name): Look =>
      (tx) =>
        tx.session(name),
  ),
  fc.constant<Look>((tx) => tx.latestOpenSession()),
  fc.tuple(id, limit).map(
    ([after, most]): Look =>
      (tx) =>
        tx.vitalityPage(after, most),
  ),
  fc.tuple(ends, limit).map(
    ([after, most]): Look =>
      (tx) =>
        tx.edgePage(after, most),
  ),
)
