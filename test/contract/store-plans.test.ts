import { expect, test } from 'vitest'
import type { BlockFilter, StoreWriter } from '../../src/ports/store/transaction.ts'
import { Connection } from '../../src/sqlite/connection/driver.ts'
import { TransactionLife } from '../../src/sqlite/connection/transaction.ts'
import { SqliteRows } from '../../src/sqlite/rows/sqlite-rows.ts'
import { makeTables } from '../../src/sqlite/schema.ts'
import { writerOn } from '../../src/store/store.ts'
import { TABLES } from '../../src/store/tables.ts'
import {
  AT,
  aBlock,
  anEdge,
  anIndex,
  anItem,
  anOperation,
  aPair,
  aPending,
  aProposal,
} from '../../src/testing/harness.ts'

/**
 * `counts`, `scopes`, `itemCount`, `vectorTotals` and the size that `trimChanges` looks at are reports about everything, and so are
 * the total and the facets of a page. `heaviestEdges` looks at all edges. `livingBlocks` reads everything, and a page in an order that no index keeps narrow columns
 * of it; `strongest` walks its index as far as the rank asked for, `missingShadow` as far as it finds what is missing, and a
 * view looks at all entries of the transaction that it takes back.
 */
const WALKS = new RegExp(
  [
    '(sqrt|max\\(0\\.0|SELECT strength|last_reinforced_at)[^]* AS place FROM blocks',
    'SELECT count\\(\\*\\) AS total FROM blocks',
    '^WITH of_any_status',
    'FROM operation_changes WHERE operation_id',
    'count\\(\\*\\) AS total FROM items',
    "count\\(\\*\\)( AS waiting)? FROM blocks WHERE status = 'inbox'",
    'GROUP BY scope',
    "status = '(active|inbox)'$",
    'ORDER BY strength DESC',
    'FROM edges\\s[^]*ORDER BY weight DESC',
    'sum\\((octet_)?length\\(',
    'other\\.arrival IS NULL',
  ].join('|'),
)

const FILTERS: readonly Omit<BlockFilter, 'order' | 'limit'>[] = [
  {},
  { status: 'inbox' },
  { status: 'active' },
  { status: 'archived' },
  { category: 'c' },
  { session: 's' },
  { tag: 't' },
  { tag: 't/*' },
  { source: 's', sourceClass: 'peer', tier: 'durable', since: AT, until: AT },
  { words: ['w', 'Ä'] },
  { isolated: true },
  { undecided: true },
  { status: 'active', tag: 't/*', category: 'c', session: 's' },
]

async function callEverything(tx: StoreWriter): Promise<void> {
  const { block } = await tx.insertBlock(aBlock('a', { tags: ['t'] }))
  await tx.insertBlock(aBlock('a'))
  await tx.insertBlock(aBlock('b'))
  await tx.insertBlocks([aBlock('a'), aBlock('c')])
  await tx.saveBlocks([block])
  await tx.saveIndex([anIndex('a')])
  await tx.saveIndex([anIndex('a', { vector: new Float32Array([1]) })])
  await tx.saveWaitingVectors([{ id: 'a', content: 'content of a', vector: new Float32Array([2]) }])
  await tx.dropWaitingVectors()
  await tx.beginShadow()
  await tx.saveShadow([{ id: 'a', content: 'content of a', vector: new Float32Array([2]) }])
  await tx.swapVectors()
  await tx.dropShadow()
  await tx.reinforceBlocks(['a'], 1)
  await tx.stagePairs([['a', 'b']], { mark: 's', threshold: 1, limit: 9, disconnectedSince: 0 })
  await tx.savePendingConnections([aPending('a', 'b')])
  await tx.removePendingConnections([['a', 'b']])
  await tx.saveDisconnections([{ from: 'a', to: 'b', at: 1 }])
  await tx.removeDisconnections([['a', 'b']])
  await tx.trimDisconnections(1)
  await tx.removeUnusedEdges([anEdge('a', 'b')])
  await tx.saveEdges([anEdge('a', 'b')])
  await tx.reinforceEdgesAmong(['a', 'b'], 1)
  await tx.removeEdges([['a', 'b']])
  await tx.removeStaleStaging()
  await tx.queueUnlabelled([{ from: 'a', to: 'b', cosine: 0.7 }], 9)
  await tx.removeUnlabelled([['a', 'b']])
  const told = { question: 'q', blockId: 'a', helped: 1, misled: 0, graded: 0, beside: 0 }
  await tx.saveEvidence({
    questions: [{ id: 'q', hours: 1, vector: new Uint8Array([1]) }],
    evidence: [told],
    goneQuestions: ['r'],
    goneEvidence: [['r', 'a']],
    state: { k: 'v' },
  })
  await tx.experience()
  await tx.dropQuestionVectors()
  await tx.noteAsked(await tx.log(anOperation()), { text: 'q' }, 1)
  await tx.recalls({ limit: 1 })
  await tx.recalls({ limit: 1, id: 1 })
  await tx.saveGrounds([{ blockId: 'a', ground: 'b', foundBy: 'rule', createdAt: AT }])
  await tx.groundsOf(['a'])
  await tx.restingOn(['b'])
  await tx.groundPage(['', ''], 9)
  await tx.removeGrounds([{ blockId: 'a', ground: 'b' }])
  await tx.saveItems([anItem('i', ['a', 'b'])])
  await tx.saveItems([anItem('i', ['b'], 2)])
  await tx.items(['i'])
  await tx.itemPage({ limit: 9 })
  await tx.itemPage({ space: 'x', limit: 9 })
  await tx.itemPage({ space: 'x', bounds: ['n', 'o'], after: 1, limit: 9 })
  await tx.itemNamespaces({ space: 'x' })
  await tx.itemNamespaces({ space: 'x', bounds: ['n', 'o'] })
  await tx.itemCount()
  await tx.itemsOfBlocks(['a'])
  await tx.removeItems(['i'])
  await tx.saveProposals([aProposal('p')])
  await tx.saveProposals([aProposal('p', { state: 'refused' })])
  await tx.savePairs([aPair('a', 'b')])
  await tx.resolvePair('a', 'b')
  await tx.appendOutcomes(
    [{ blockId: 'a', signal: 1, weight: 1, source: 's', confidenceBefore: 0, confidenceAfter: 1, at: AT }],
    9,
  )
  await tx.queueOutcomes([{ blockId: 'a', signal: 1, weight: 1, source: 's' }], 9)
  await tx.takeQueuedOutcomes(['a'])
  await tx.archiveEdgesOf([{ id: 'a', previousStatus: 'active' }])
  await tx.addArchivedEdges([anEdge('a', 'b')])
  await tx.takeArchivedEdges('a')
  await tx.log(anOperation())
  await tx.logAll([anOperation()])
  await tx.removeLogged(await tx.loggedBeyond(1))
  await tx.trimChanges(9)
  await tx.revert(1)
  await tx.touchedEdges([['a', 'b']], { after: 1, except: [] })
  await tx.saveMeta('k', 'v')
  await tx.saveSession({ id: 's', taskType: 't', startedAt: AT, startHours: 0 })
  await tx.trimSessions(9, 9)
}

async function askEverything(tx: StoreWriter): Promise<void> {
  await tx.clock()
  await tx.changes(0)
  await tx.changes(1)
  await tx.blocks(['a'])
  await tx.vectors(['a'])
  await tx.vectorTotals()
  await tx.missingShadow(1)
  await tx.idsByPrefix(['a'])
  await tx.links(['a'])
  await tx.groupedPairs(['a'], 9)
  await tx.replacing(['a'], 9)
  await tx.sameTexts([{ content: 'content of a' }])
  await tx.degrees(['a'])
  await tx.edgesAround(['a'])
  await tx.strengths(['a'])
  await tx.strongest(1, 1)
  await tx.stagedPairs({ atLeast: 1, limit: 1 })
  await tx.stagedPairs({ atLeast: 1, limit: 1, among: ['a'] })
  await tx.pendingConnections(1)
  await tx.disconnections(['a'], 0)
  await tx.counts()
  await tx.waiting()
  await tx.tagsIn(undefined, 1)
  await tx.tagsIn('s', 1)
  await tx.scopes(1)
  await tx.sequence()
  await tx.removedSince(0)
  await tx.livingBlocks(() => undefined)
  for (const filter of [
    {},
    { blockId: 'a' },
    { operation: 'o' },
    { blockId: 'a', operation: 'o' },
    { runs: true as const },
    { run: 'r', after: 0, isKept: true as const },
    { changing: ['a', 'b'], after: 1 },
  ]) {
    await tx.operations({ limit: 1, ...filter })
  }
  await tx.outcomes('a', 1)
  await tx.keptChanges(1)
  await tx.sharedChanges([1])
  await tx.openPairs(1)
  await tx.openPairs(1, ['a', 'b'])
  await tx.openPairs(1, undefined, 'contradiction')
  await tx.proposals(['p'])
  await tx.proposalPage({ state: 'open', limit: 1 })
  await tx.proposalPage({ state: 'refused', after: 1, limit: 1 })
  await tx.waitingOfOthers({ limit: 1 })
  await tx.unlabelledPage({ limit: 1 })
  await tx.decisionCounts()
  await tx.settledPairs([['a', 'b']])
  const due = { judgedBefore: '2', excludeCategories: ['c'], excludeTags: ['t'], limit: 1 }
  await tx.pendingJudgements({ ...due, pendingOnly: true })
  await tx.pendingJudgements({ ...due, pendingOnly: false })
  await tx.judgementCounts('2')
  await tx.unlabelledPairs(1)
  await tx.meta('k')
  await tx.session('s')
  await tx.latestOpenSession()
  await tx.vitalityPage(0, 1)
  await tx.datedPage('', 1)
  await tx.oldestLogged()
  await tx.days(['2026-01-01'])
  await tx.edgePage(['', ''], 1)
  await tx.edgeNotes(1)
  await tx.heaviestEdges(1)
  for (const filter of FILTERS) {
    for (const order of ['recent', 'arrival', 'newest'] as const)
      await tx.page({ ...filter, order, limit: 1, count: true, facets: 1 })
    for (const order of ['proved', 'doubted', 'fading', 'joined'] as const)
      await tx.page({ ...filter, order, limit: 1 })
  }
}

/** Notes which of the calls are made. */
function noting(tx: StoreWriter, called: Set<string>): StoreWriter {
  return new Proxy(tx, {
    get: (on, name) => {
      called.add(String(name))
      return Reflect.get(on, name)
    },
  })
}

/** The plans of every statement of a transaction, each line with the statement it is part of. */
async function plansOf(scope?: string): Promise<{ readonly detail: string; readonly text: string }[]> {
  const connection = new Connection(':memory:')
  await makeTables(connection, { milliseconds: 0, now: () => 0 })
  const writer = writerOn(new SqliteRows(new TransactionLife(connection), scope))
  const called = new Set<string>()
  const tx = noting(writer, called)
  await callEverything(tx)
  await askEverything(tx)
  const calls = Object.getOwnPropertyNames(Object.getPrototypeOf(writer)).filter(
    (name) => name !== 'constructor',
  )
  expect(calls.filter((name) => !called.has(name))).toEqual([])
  const statements = connection.preparedTexts().filter((text) => /^(SELECT|INSERT|UPDATE|DELETE)/.test(text))
  expect(statements.length).toBeGreaterThan(55)
  const plans = statements.flatMap((text) =>
    connection
      .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text.replaceAll(/\?\d*/g, '1')}`)
      .map(({ detail }) => ({ detail, text })),
  )
  connection.close()
  return plans
}

/** Settings, and what has a limit: their tables stay small. */
const SMALL = ['meta', 'co_retrieval_staging']

const STORED = TABLES.map(({ name }) => name).filter((name) => !SMALL.includes(name))
const GROWING = new RegExp(`^SCAN (${STORED.join('|')}|block_|scope_|operation_)`)

/** Ways through what belongs to all scopes: looking for one among them costs as much as all the others have. */
const OF_ALL = new RegExp(
  [
    'blocks_by_category',
    'blocks_(inbox|active|archived) ',
    'USING INDEX blocks_by_sequence',
    'block_tags USING PRIMARY KEY',
    'block_strengths',
    'operations_by_operation \\(operation=\\?\\)',
    'operations USING INTEGER PRIMARY KEY \\(rowid[<>]',
    'pairs_open',
    'blocks_waiting_by_class',
    'pending_connections USING INTEGER PRIMARY KEY \\(rowid>',
    'co_retrieval_staging_by_count',
    'disconnections_by_time',
    'sessions_open ',
    'sessions_by_start',
  ].join('|'),
)

test('no statement but those about everything scans a table that grows', async () => {
  const scans = (await plansOf()).filter(({ detail, text }) => GROWING.test(detail) && !WALKS.test(text))
  expect(scans).toEqual([])
})

test('what is asked of one scope is not looked for among what belongs to others', async () => {
  const plans = await plansOf('s')
  const walks = plans.filter(({ detail, text }) => {
    return (GROWING.test(detail) || OF_ALL.test(detail)) && !WALKS.test(text)
  })
  expect(walks).toEqual([])
  expect(plans.filter(({ detail }) => detail.includes('_of_scope')).length).toBeGreaterThan(20)
})
