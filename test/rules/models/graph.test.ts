import fc from 'fast-check'
import type { BlockPair, Edge, PendingConnection } from '../../../src/domain/graph/edge.ts'
import { anEdge, aPair, aPending } from '../../../src/testing/harness.ts'
import { batch, ends, endsOf, few, follows, hours, IDS, id, ids, isJoinable, keyOf } from './follows.ts'

const edge = fc
  .tuple(
    ends,
    fc.record({
      weight: fc.constantFrom(0.25, 0.5),
      origin: fc.constantFrom('agent' as const, 'co_retrieval' as const),
      reinforcementCount: fc.constantFrom(0, 1),
      lastActiveAt: fc.constantFrom(0, 1),
    }),
  )
  .map(([[from, to], fields]): Edge => ({ ...anEdge('a', 'b', fields), from, to }))

const keyOfEdge = ({ from, to }: Edge) => keyOf([from, to])

function inOrder(given: Edge): Edge {
  const [from, to] = endsOf(keyOfEdge(given))
  return { ...given, from, to }
}

/** Edges by their pair, in its order. */
function sorted(edges: ReadonlyMap<string, Edge>): Edge[] {
  return [...edges].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each)
}

type Edges = Map<string, Edge>

function save(edges: Edges, given: readonly Edge[]): void {
  for (const each of given) if (isJoinable([each.from, each.to])) edges.set(keyOfEdge(each), inOrder(each))
}

function remove(edges: Edges, keys: readonly string[]): Edge[] {
  return [...new Set(keys)].flatMap((key) => {
    const gone = edges.get(key)
    edges.delete(key)
    return gone ?? []
  })
}

follows('an edge is between two blocks that exist, one for each pair, and goes when it is as it was read', {
  begin: (): Edges => new Map(),
  calls: (calling) => [
    calling(batch(edge), (tx, given) => tx.saveEdges(given), save),
    calling(
      batch(ends),
      (tx, pairs) => tx.removeEdges(pairs),
      (edges, pairs) => remove(edges, pairs.map(keyOf)),
    ),
    calling(
      batch(edge),
      (tx, given) => tx.removeUnusedEdges(given),
      (edges, given) => {
        const last = new Map(given.map((each) => [keyOfEdge(each), each]))
        const unused = [...last].filter(([key, then]) => {
          const now = edges.get(key)
          return (
            now?.weight === then.weight &&
            now.reinforcementCount === then.reinforcementCount &&
            now.lastActiveAt === then.lastActiveAt
          )
        })
        return remove(
          edges,
          unused.map(([key]) => key),
        )
      },
    ),
    calling(
      fc.tuple(ids, hours),
      (tx, [among, at]) => tx.reinforceEdgesAmong(among, at),
      (edges, [among, lastActiveAt]) => {
        const used = [...edges].filter(([, { from, to }]) => among.includes(from) && among.includes(to))
        for (const [key, each] of used)
          edges.set(key, { ...each, reinforcementCount: each.reinforcementCount + 1, lastActiveAt })
        return used.length
      },
    ),
  ],
  look: async (tx) => [await tx.edgePage(['', ''], 99), await tx.degrees(IDS)],
  seen: (edges) => [
    sorted(edges),
    new Map(
      IDS.map((each) => [each, sorted(edges).filter(({ from, to }) => [from, to].includes(each)).length]),
    ),
  ],
})

interface Staging {
  readonly edges: Set<string>
  readonly apart: Map<string, number>
  readonly sessions: Map<string, string[]>
}

follows('a pair is counted once a mark until it is joined, and the least counted give way', {
  begin: (): Staging => ({ edges: new Set(), apart: new Map(), sessions: new Map() }),
  calls: (calling) => [
    calling(
      fc.tuple(batch(ends), fc.constantFrom('s', 't', 'u'), few, fc.integer({ min: 0, max: 6 })),
      (tx, [pairs, session, threshold, limit]) =>
        tx.stagePairs(pairs, { mark: session, threshold, limit, disconnectedSince: 2 }),
      ({ edges, apart, sessions }, [pairs, session, threshold, limit]) => {
        const keys = [...new Set(pairs.filter(isJoinable).map(keyOf))]
        const open = keys.filter((key) => !edges.has(key) && (apart.get(key) ?? 0) <= 2)
        for (const key of open) sessions.set(key, [...new Set([...(sessions.get(key) ?? []), session])])
        const leastFirst = [...sessions].sort(([, one], [, other]) => one.length - other.length)
        const over = open.length === 0 ? [] : leastFirst.slice(0, Math.max(0, sessions.size - limit))
        for (const [key] of over) sessions.delete(key)
        const due = open.filter((key) => (sessions.get(key)?.length ?? 0) >= threshold)
        return over.length > 0 ? [] : due.map(endsOf)
      },
    ),
    calling(
      edge,
      (tx, given) => tx.saveEdges([given]),
      ({ edges, sessions }, { from, to, origin }) => {
        if (!isJoinable([from, to])) return
        if (origin === 'co_retrieval' && !edges.has(keyOf([from, to]))) sessions.delete(keyOf([from, to]))
        edges.add(keyOf([from, to]))
      },
    ),
    calling(
      fc.tuple(ends, hours),
      (tx, [[from, to], at]) => tx.saveDisconnections([{ from, to, at }]),
      ({ apart }, [pair, at]) => void (isJoinable(pair) && apart.set(keyOf(pair), at)),
    ),
    calling(
      fc.constant(undefined),
      (tx) => tx.removeStaleStaging(),
      ({ edges, sessions }) =>
        [...sessions.keys()].filter((key) => edges.has(key) && sessions.delete(key)).length,
    ),
  ],
  look: (tx) => tx.stagedPairs({ atLeast: 1, limit: 99 }),
  seen: ({ sessions }) =>
    [...sessions]
      .map(([key, each]) => ({ from: endsOf(key)[0], to: endsOf(key)[1], count: each.length }))
      .sort((one, other) => other.count - one.count),
})

const KINDS = ['near_duplicate', 'supersession', 'contradiction'] as const

const pair = fc
  .tuple(
    ends,
    fc.record({ kind: fc.constantFrom(...KINDS), resolved: fc.boolean(), score: fc.constantFrom(0.5, 1) }),
  )
  .map(([[a, b], fields]): BlockPair => ({ ...aPair('a', 'b', fields), a, b }))

follows('a pair is kept until a stronger kind is found, and a contradiction opens it again', {
  begin: (): Map<string, BlockPair> => new Map(),
  calls: (calling) => [
    calling(
      batch(pair),
      (tx, given) => tx.savePairs(given),
      (pairs, given) => {
        for (const each of given.filter(({ a, b }) => isJoinable([a, b]))) {
          const was = pairs.get(keyOf([each.a, each.b]))
          const isStronger = was && !was.resolved && KINDS.indexOf(each.kind) > KINDS.indexOf(was.kind)
          if (was === undefined || isStronger || each.kind === 'contradiction')
            pairs.set(keyOf([each.a, each.b]), { ...each, ...sides(each) })
        }
      },
    ),
    calling(
      ends,
      (tx, [one, other]) => tx.resolvePair(one, other),
      (pairs, each) => {
        const open = pairs.get(keyOf(each))
        if (open === undefined || open.resolved) return false
        return pairs.set(keyOf(each), { ...open, resolved: true }).size > 0
      },
    ),
  ],
  look: (tx) => tx.openPairs(99),
  seen: (pairs) => [...pairs.values()].filter(({ resolved }) => !resolved),
})

function sides({ a, b }: BlockPair): Pick<BlockPair, 'a' | 'b'> {
  const [first, second] = endsOf(keyOf([a, b]))
  return { a: first, b: second }
}

const pending = fc
  .tuple(ends, few)
  .map(([[source, target], attempts]): PendingConnection => aPending(source, target, { attempts }))

follows(
  'a connection waits once for two blocks, and keeps its place and direction when it is asked for again',
  {
    begin: (): Map<string, PendingConnection> => new Map(),
    calls: (calling) => [
      calling(
        batch(pending),
        (tx, given) => tx.savePendingConnections(given),
        (waiting, given) => {
          for (const each of given.filter(({ source, target }) => isJoinable([source, target]))) {
            const key = keyOf([each.source, each.target])
            const { source, target } = waiting.get(key) ?? each
            waiting.set(key, { ...each, source, target })
          }
        },
      ),
      calling(
        batch(ends),
        (tx, pairs) => tx.removePendingConnections(pairs),
        (waiting, pairs) => {
          const keys = new Set(pairs.map(keyOf))
          const gone = [...waiting].filter(([key]) => keys.has(key))
          for (const [key] of gone) waiting.delete(key)
          return gone.map(([, each]) => each)
        },
      ),
    ],
    look: (tx) => tx.pendingConnections(99),
    seen: (waiting) => [...waiting.values()],
  },
)

interface Archive {
  readonly edges: Edges
  readonly kept: Map<string, { readonly previousStatus: 'inbox' | 'active'; readonly edges: Edge[] }>
}

const strongestFirst = (edges: readonly Edge[]) => edges.toSorted((one, other) => other.weight - one.weight)

follows('what is archived keeps its edges with each end until one is asked for, and how it was at first', {
  begin: (): Archive => ({ edges: new Map(), kept: new Map() }),
  calls: (calling) => [
    calling(
      batch(edge),
      (tx, given) => tx.saveEdges(given),
      ({ edges }, given) => save(edges, given),
    ),
    calling(
      fc.tuple(fc.uniqueArray(id, { maxLength: 3 }), fc.constantFrom('inbox' as const, 'active' as const)),
      (tx, [given, previousStatus]) => tx.archiveEdgesOf(given.map((each) => ({ id: each, previousStatus }))),
      ({ edges, kept }, [given, previousStatus]) => {
        const known = given.filter((each) => (IDS as readonly string[]).includes(each))
        for (const each of known) {
          const joined = strongestFirst(sorted(edges)).filter(({ from, to }) => from === each || to === each)
          const was = kept.get(each) ?? { previousStatus, edges: [] }
          kept.set(each, { ...was, edges: [...was.edges, ...joined] })
        }
        for (const [key, { from, to }] of edges)
          if (known.includes(from) || known.includes(to)) edges.delete(key)
      },
    ),
    calling(
      batch(edge.filter(({ from, to }) => from !== to)),
      (tx, given) => tx.addArchivedEdges(given),
      ({ kept }, given) => {
        for (const each of given)
          for (const end of [each.from, each.to]) {
            const was = kept.get(end)
            if (was) kept.set(end, { ...was, edges: [...was.edges, each] })
          }
      },
    ),
    calling(
      id,
      (tx, each) => tx.takeArchivedEdges(each),
      ({ kept }, each) => {
        const taken = kept.get(each)
        kept.delete(each)
        return taken && { blockId: each, ...taken, pairs: [] }
      },
    ),
  ],
  look: (tx) => tx.edgePage(['', ''], 99),
  seen: ({ edges }) => sorted(edges),
})
