import * as stored from '../../src/testing/index.ts'
import { BLOCK, blocks, edges, PAIR, pairs, type Queries, type RowOf } from '../../src/testing/index.ts'
import { type Access, by, compare, first, has, seen, strengthsOf } from './access.ts'
import { pageOf } from './pages.ts'

type BlockRow = RowOf<typeof blocks>

/** Each question with the access of its call. */
type Answers = {
  readonly [Name in keyof Queries]: (
    access: Access,
    ...given: Parameters<Queries[Name]>
  ) => Awaited<ReturnType<Queries[Name]>>
}

/** All questions; `begin` begins the call of one. */
export function queriesOf(begin: () => Access): Queries {
  const answers = Object.entries(ANSWERS) as [string, (access: Access, ...given: unknown[]) => unknown][]
  const asked = answers.map(([name, answer]) => [
    name,
    async (...given: unknown[]) => answer(begin(), ...given),
  ])
  return Object.fromEntries(asked) as Queries
}

const blocksOf = (rows: readonly BlockRow[]) => rows.map((row) => seen(BLOCK, row))
const isLiving = ({ status }: BlockRow) => status !== 'archived'
const isActive = ({ status }: BlockRow) => status === 'active'
const isOpen = ({ resolved }: RowOf<typeof pairs>) => !resolved

/** Every question answered by walking over everything. */
const ANSWERS: Answers = {
  changes: (access, since) => {
    const { clock, sequence, generation } = access.state()
    const changed = access
      .own(blocks)
      .filter((row) => (row.sequence ?? 0) > since && (since > 0 || isLiving(row)))
      .sort(by('sequence', 'arrival'))
    return { clock, sequence, generation, blocks: changed.map((row) => indexed(access, row, since)) }
  },
  livingBlocks: (access, visit) => {
    const living = access.own(blocks).filter(isLiving)
    visit(living.map((row) => indexed(access, row, -1)))
  },
  use: (access, ids, { hours: lastReinforcedAt, sequence }) => {
    const used = access.own(blocks).filter((row) => isActive(row) && ids.includes(row.id))
    for (const was of used) {
      const reinforcementCount = was.reinforcementCount + 1
      access.write(blocks.table, was, { ...was, reinforcementCount, lastReinforcedAt, sequence })
    }
    return used.map(({ id }) => id)
  },
  number: (access, arrivals, sequence) => {
    for (const arrival of arrivals) access.change(blocks, { arrival }, { sequence })
  },
  blocksByText: (access, keys) => {
    const living = access.own(blocks).filter(isLiving).sort(by('arrival'))
    return keys.flatMap(([textKey, scope]) =>
      blocksOf(living.filter((row) => row.textKey === textKey && (row.scope ?? '') === scope)),
    )
  },
  replacing: (access, ids, limit) => {
    const rows = access.own(blocks).filter((row) => isLiving(row) && row.supersedes !== undefined)
    rows.sort(by('arrival'))
    const links = rows.map(({ id, supersedes = '' }) => [id, supersedes] as const)
    const chain = joinedWith(ids, links, limit)
    return blocksOf(rows.filter(({ supersedes = '' }) => chain.has(supersedes)))
  },
  idsByPrefix: (access, prefixes) => {
    const ids = access.own(blocks).map(({ id }) => id)
    const found = (prefix: string) => ids.filter((id) => id.startsWith(prefix)).sort(compare)
    return new Map(prefixes.map((each) => [each, ids.includes(each) ? [each] : first(found(each), 2)]))
  },
  page: pageOf,
  tagsIn: (access, scope, limit) => {
    const tags = access.own(blocks).flatMap((row) => (row.scope === scope ? row.tags : []))
    return first([...new Set(tags)].sort(compare), limit)
  },
  scopes: (access, limit) => {
    const scopes = new Set(access.own(blocks).flatMap(({ scope = [] }) => scope))
    const counted = [...scopes].map((scope) => {
      const of = (status: string) => access.own(blocks).filter((row) => has(row, { scope, status })).length
      return { scope, inbox: of('inbox'), active: of('active'), archived: of('archived') }
    })
    const living = (each: (typeof counted)[number]) => each.inbox + each.active
    counted.sort((one, other) => living(other) - living(one) || compare(one.scope, other.scope))
    return first(counted, limit)
  },
  counts: (access) => {
    const own = access.own(edges)
    const of = (wanted: string) => access.own(blocks).filter(({ status }) => status === wanted)
    return {
      inbox: of('inbox').length,
      active: of('active').length,
      archived: of('archived').length,
      edges: own.length,
      edgesByRelation: tally(own.map(({ relation }) => relation)),
      edgesByOrigin: tally(own.map(({ origin }) => origin)),
      isolated: of('active').filter(({ id }) => !own.some(({ from, to }) => from === id || to === id)).length,
      openPairs: access.own(pairs).filter(isOpen).length,
      stagedPairs: access.own(stored.staging).length,
      pendingConnections: access.own(stored.pendingConnections).length,
      queuedOutcomes: access.own(stored.queuedOutcomes).length,
    }
  },
  operations: (access, filter) => {
    const { limit, blockId, changing, since = '', until, before = Number.MAX_VALUE, ...others } = filter
    const { after, isKept, runs, ...wanted } = others
    const changes = access.all(stored.operationChanges)
    const keptOf = ({ id }: { readonly id: number }) =>
      changes.find(({ firstId, operationId }) => firstId <= id && id <= operationId)?.operationId
    const own = access.own(stored.operations)
    const ofRun = (run: string, rows: typeof own) => rows.filter((row) => row.run === run)
    const isNewest = ({ id, run }: (typeof own)[number]) =>
      run === undefined || ofRun(run, own).every((row) => row.id <= id)
    const named = access.all(stored.operations).filter((row) => row.id > (after ?? 0))
    const changed = new Set(
      named.filter((row) => row.blockIds.some((id) => changing?.includes(id))).map(keptOf),
    )
    const found = own
      .filter((row) => has(row, wanted) && row.id < before && row.at >= since)
      .filter((row) => blockId === undefined || row.blockIds.includes(blockId))
      .filter((row) => changing === undefined || changed.has(row.id))
      .filter((row) => until === undefined || row.at < until)
      .filter((row) => after === undefined || row.id > after)
      .filter((row) => isKept === undefined || keptOf(row) !== undefined)
      .filter((row) => runs === undefined || isNewest(row))
    return first(found.sort(by(after === undefined ? '-id' : 'id')), limit).map((row) => {
      const kept = keptOf(row)
      const entries = runs && row.run !== undefined ? ofRun(row.run, own).length : 0
      return { ...row, ...(kept === undefined ? {} : { kept }), ...(entries > 0 ? { entries } : {}) }
    })
  },
  trimChanges: (access, bytes) => {
    const kept = access.all(stored.operationChanges).sort(by('-operationId'))
    const bytesOf = (rows: typeof kept) =>
      Buffer.byteLength(rows.map(({ changes }) => JSON.stringify(changes)).join(''))
    const over = kept.findIndex((_, i) => bytesOf(kept.slice(0, i + 1)) > bytes)
    const gone = over < 0 ? [] : kept.slice(over)
    for (const row of gone) access.write(stored.operationChanges.table, row, undefined)
    return gone[0]?.operationId ?? 0
  },
  groupedPairs: (access, ids, limit) => {
    const open = access.own(pairs).filter(isOpen)
    const links = open.flatMap(({ a, b, kind }) => (kind === 'contradiction' ? [] : [[a, b] as const]))
    const grouped = joinedWith(ids, links, limit)
    const found = open.filter(({ a, b }) => grouped.has(a) && grouped.has(b))
    return found.sort(by('a', 'b')).map((row) => seen(PAIR, row))
  },
  strengths: (access, ids) => {
    const joined = strengthsOf(access.own(edges)).filter(({ id }) => ids.includes(id))
    return new Map(joined.map(({ id, ...each }) => [id, each]))
  },
  strongest: (access, limit, rank) => {
    const ranked = strengthsOf(access.own(edges)).sort(by('-strength', 'id'))
    return {
      strongest: first(ranked, limit).map(({ id, strength }) => ({ id, strength })),
      atRank: ranked[Math.max(0, rank - 1)]?.strength ?? 0,
    }
  },
  pendingJudgements: (access, { pendingOnly, judgedBefore, excludeCategories, excludeTags, limit }) => {
    const active = access.own(blocks).filter(isActive)
    const pending = active.filter(({ judgementPending }) => judgementPending)
    const due = active
      .filter(({ judgementPending, scoredAt = '' }) => !judgementPending && scoredAt < judgedBefore)
      .filter(({ category }) => !excludeCategories.includes(category))
      .filter(({ tags }) => !tags.some((tag) => excludeTags.includes(tag)))
    const others = pendingOnly ? [] : due.sort(by('scoredAt', 'arrival'))
    return first(blocksOf([...pending.sort(by('arrival')), ...others]), limit)
  },
  judgementCounts: (access, judgedBefore) => {
    const active = access.own(blocks).filter(isActive)
    return {
      pending: active.filter(({ judgementPending }) => judgementPending).length,
      unjudged: active.filter(({ scoredAt }) => scoredAt === undefined).length,
      stale: active.filter(({ scoredAt = judgedBefore }) => scoredAt < judgedBefore).length,
    }
  },
  unlabelledPairs: (access, limit) => {
    const active = new Set(
      access
        .own(blocks)
        .filter(isActive)
        .map(({ id }) => id),
    )
    const found = access
      .own(stored.unlabelledPairs)
      .filter(({ from, to }) => active.has(from) && active.has(to))
    return first(found.sort(by('arrival')), limit).map(({ from, to, cosine }) => ({ from, to, cosine }))
  },
  vectorTotals: (access) => {
    const inUse = blocksIn(access, access.state().vectorSet)
    return {
      blocks: inUse.length,
      characters: inUse.reduce((sum, { content }) => sum + [...content].length, 0),
      settled: inUse.filter(({ status }) => status !== 'inbox').length,
      ...(access.state().hasShadow && { missing: missingIn(access).length }),
    }
  },
  missingShadow: (access, limit) => first(blocksOf(missingIn(access)), limit),
}

/** A block with what a reader lacks who read the changes up to a number. */
function indexed(access: Access, row: BlockRow, since: number): stored.IndexedBlock {
  const { arrival, id, status } = row
  const block = seen(BLOCK, row)
  const index = access.all(stored.blockIndex).find((each) => each.arrival === arrival)
  const place = { arrival, set: access.state().vectorSet }
  const held = access.all(stored.blockVectors).find((each) => has(each, place))
  const vector = held && { vector: new Float32Array(held.vector.slice().buffer) }
  if (status === 'inbox') return { block, ...vector }
  if (status === 'archived' || index === undefined) return { block }
  if (index.sequence <= since) return { block, indexUnchanged: true }
  const { terms, asks, timed, names } = index
  return { block, index: { id, terms, asks, timed, ...(names === undefined ? {} : { names }), ...vector } }
}

/** Some blocks and those that links join with them in either direction, the nearest first; at most so many. */
function joinedWith(
  ids: readonly string[],
  links: readonly (readonly [string, string])[],
  limit: number,
): ReadonlySet<string> {
  const joined = new Set(first([...new Set(ids)], limit))
  // A set that grows while it is walked hands out what is added.
  for (const id of joined)
    for (const [one, other] of links)
      if (joined.size < limit && (one === id || other === id)) joined.add(one === id ? other : one)
  return joined
}

/** How often each word is there, in their order. */
function tally(words: readonly string[]): Record<string, number> {
  const sorted = words.toSorted()
  return Object.fromEntries(sorted.map((word) => [word, sorted.filter((each) => each === word).length]))
}

/** Blocks with a vector in a set, by arrival; vectors are the whole store's. */
function blocksIn(access: Access, set: number): BlockRow[] {
  const held = access.all(stored.blockVectors).filter((each) => each.set === set)
  const arrivals = new Set(held.map(({ arrival }) => arrival))
  return access
    .all(blocks)
    .filter(({ arrival }) => arrivals.has(arrival))
    .sort(by('arrival'))
}

/** Those with a vector in use and none in the shadow set, if there is one. */
function missingIn(access: Access): BlockRow[] {
  const { vectorSet, hasShadow } = access.state()
  const made = new Set(blocksIn(access, 1 - vectorSet).map(({ id }) => id))
  return blocksIn(access, vectorSet).filter(({ id }) => hasShadow && !made.has(id))
}
