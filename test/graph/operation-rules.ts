import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { Edge } from '../../src/domain/graph/edge.ts'
import type { Act } from './acts.ts'
import { bornIn, type Change, keyOfDisplaced } from './change.ts'
import type { Past } from './past.ts'
import { keyOf, keyOfEdge } from './picture.ts'

/** What must hold after one operation: it did what it says, and nothing else. */
export function expectAsSaid(change: Change, past: Past): void {
  if (change.report.refused === undefined) RULES[change.act.do](change, past)
}

const RULES: Readonly<Record<Act['do'], (change: Change, past: Past) => void>> = {
  connect: expectConnected,
  connects: expectConnected,
  disconnect: expectDisconnected,
  outcome: expectOutcome,
  recall: expectRecalled,
  learn: expectDreamt,
  curate: expectCurated,
  forget: (change) => expectNothingNew(change),
  restore: expectRestored,
  resolve: (change) => expectNothingNew(change),
  pause: (change) => expect(change.after).toEqual(change.before),
}

function expectNothingNew({ made, altered }: Change): void {
  expect(made, 'no edge is made').toEqual([])
  expect(altered, 'no edge is changed').toEqual([])
}

/** The last word on each pair is what the graph or the waiting list holds; other pairs are as they were. */
function expectConnected(change: Change): void {
  const { report, edgesBefore, edgesAfter, after, claimed } = change
  const last = new Map(report.claims.map((each) => [keyOf(each.sourceId, each.targetId), each]))
  for (const [key, { action, relation, weight }] of last) {
    const is = edgesAfter.get(key)
    const waiting = after.pending.filter(({ source, target }) => keyOf(source, target) === key)
    if (action === 'deferred') {
      expect(is, `${key} is deferred`).toBeUndefined()
      expect(waiting).toMatchObject([{ relation, weight, attempts: 0 }])
      expect(fullEnd(change, key), `${key} is deferred for want of room`).toBe(true)
      continue
    }
    // What was left as it was may give way to a later one of the same call.
    if (action === 'skipped' && change.displaced.has(key)) continue
    expect(is, key).toMatchObject({ relation, weight })
    if (claimed.has(key)) expect([is?.origin, waiting]).toEqual(['agent', []])
    else expect(is, `${key} is skipped`).toEqual(edgesBefore.get(key))
  }
  for (const { is } of change.altered) expect(claimed.has(keyOfEdge(is)), keyOfEdge(is)).toBe(true)
  for (const edge of change.made) expect(claimed.has(keyOfEdge(edge)), keyOfEdge(edge)).toBe(true)
  if (change.act.do === 'connect' && report.displaced.length > 0) expectFull(change)
}

/** Whether no edge of one of the ends would give way. */
function fullEnd({ after, settings }: Change, key: string): boolean {
  const cap = settings.memory?.edgeDegreeCap ?? 10
  return key.split(' ').some((id) => {
    const around = after.edges.map(({ edge }) => edge).filter(({ from, to }) => from === id || to === id)
    const stays = ({ origin, relation }: Edge): boolean =>
      origin === 'agent' || !['similar', 'co_occurs'].includes(relation)
    return around.length === cap && around.every(stays)
  })
}

/** Nobody gives way while there is room: what displaced an edge filled the block they share. */
function expectFull({ report, after, made, settings }: Change): void {
  const ends = made.flatMap(({ from, to }) => [from, to])
  for (const { fromId, toId } of report.displaced) {
    const shared = ends.find((id) => id === fromId || id === toId)
    const degree = after.edges.filter(({ edge }) => edge.from === shared || edge.to === shared).length
    expect(degree, `edges of ${shared}`).toBe(settings.memory?.edgeDegreeCap)
  }
}

/** One edge goes, and only what gave way to that one comes back. */
function expectDisconnected(change: Change, { gaveWay }: Past): void {
  const { report, before, after, vanished, made } = change
  const said = report.disconnected
  if (said?.action !== 'removed') {
    expect(graphOf(after)).toEqual(graphOf(before))
    return
  }
  const key = keyOf(said.sourceId, said.targetId)
  const was = change.edgesBefore.get(key)
  expect(vanished).toEqual(was === undefined ? [] : [was])
  expect(change.altered).toEqual([])
  expect(said.restoredEdges.map(keyOfDisplaced).sort(), 'restored').toEqual(made.map(keyOfEdge).sort())
  const mayReturn = (gaveWay.get(key) ?? []).map(keyOfDisplaced)
  expect(
    made.map(keyOfEdge).filter((each) => !mayReturn.includes(each)),
    `came back, but had not given way to ${key}`,
  ).toEqual([])
  expect(made.filter(({ origin }) => origin === 'agent')).toEqual([])
}

function graphOf({ edges, pending, openPairs }: Change['before']) {
  return { edges, pending, openPairs }
}

/**
 * Pairs that helped are joined or firmer, pairs that misled perhaps weaker, and outcome edges of what did not help this time
 * perhaps too; nobody else is touched.
 */
function expectOutcome(change: Change): void {
  const { report, made, altered, act } = change
  const concerned = new Set(report.concerned)
  expect(bornIn(change).length).toBe(report.reported?.outcomeEdgesCreated)
  expect(bornIn(change).filter(({ origin }) => origin !== 'outcome')).toEqual([])
  const isOfOthers = ({ from, to }: Edge) => !concerned.has(from) || !concerned.has(to)
  expect(made.filter(isOfOthers), 'edges of others').toEqual([])
  // What helped with a block before is joined less to it when it now did not.
  const isLowered = ({ was, is }: (typeof altered)[number]) =>
    is.origin === 'outcome' &&
    (concerned.has(is.from) || concerned.has(is.to)) &&
    is.weight < was.weight &&
    isDeepStrictEqual({ ...is, weight: 0 }, { ...was, weight: 0 })
  expect(altered.filter((each) => isOfOthers(each.is) && !isLowered(each))).toEqual([])
  if (act.do === 'outcome' && act.scope === 'set') expectNothingNew(change)
}

/** Edges among the blocks shown are used once more, and pairs of them may be joined; a mere look changes nothing. */
function expectRecalled(change: Change): void {
  const { report, before, after, made, edgesBefore, edgesAfter, act } = change
  if (act.do === 'recall' && !act.reinforce) {
    expect(after).toEqual(before)
    return
  }
  const shown = new Set(report.concerned)
  const isShown = ({ from, to }: Edge): boolean => shown.has(from) && shown.has(to)
  expect(made.length).toBe(report.recalled?.edgesPromoted)
  expect(made.filter((edge) => edge.origin !== 'co_retrieval' || !isShown(edge))).toEqual([])
  for (const [key, was] of edgesBefore) {
    const is = edgesAfter.get(key)
    const used = { reinforcementCount: was.reinforcementCount + 1, lastActiveAt: after.hours }
    if (is !== undefined) expect(is, key).toEqual(isShown(was) ? { ...was, ...used } : was)
  }
}

/** New edges join new blocks; without a curation nothing else changes. */
function expectDreamt(change: Change): void {
  const { report, made, altered, activated, before, after, curated } = change
  if (curated) return
  expect(altered).toEqual([])
  const beside = made.filter(
    ({ from, to, origin }) => origin !== 'similarity' || !(activated.has(from) || activated.has(to)),
  )
  expect(beside, 'edges that no new block has').toEqual([])
  const created = report.dreamt?.edgesCreated ?? 0
  expect(after.edges.length).toBe(before.edges.length + created - report.displaced.length)
}

/** Every edge and every waiting connection is in one of the counts. */
function expectCurated(change: Change): void {
  const { report, before, after, archived, vanished, remade, displaced } = change
  const said = report.curated
  if (said === undefined) throw new Error('curate said nothing')
  expect(change.altered.length, 'curation changes no edge that stays').toBe(remade.length)
  const lost = vanished.filter(({ from, to }) => archived.has(from) || archived.has(to))
  const gone = vanished.length - lost.length + remade.length - displaced.size
  expect(said.edgesPruned + said.edgesDecayed, 'edges dropped').toBe(gone)
  expect(said.pendingAdmitted + said.promoted, 'edges made').toBe(bornIn(change).length)
  const left = before.pending.filter(({ source, target }) => archived.has(source) || archived.has(target))
  const { pendingAdmitted, pendingRemaining, pendingDropped } = said
  expect(pendingRemaining).toBe(after.pending.length)
  expect(pendingAdmitted + pendingRemaining + pendingDropped.length + left.length, 'waiting').toBe(
    before.pending.length,
  )
  expect(said.totalEdgesAfter).toBe(after.edges.length)
  expect(said.graph.isolated).toBe(after.counts.isolated)
}

/** A restored block comes back with edges it had, exactly as they were; other edges stay unless said to give way. */
function expectRestored(change: Change, { buried }: Past): void {
  const { report, made, vanished, altered, displaced } = change
  const said = report.restored
  expect(altered).toEqual([])
  expect(vanished.map(keyOfEdge).sort(), 'gave way').toEqual([...displaced].sort())
  expect(made.length).toBe(said?.edgesRestored)
  if (said === undefined || !said.restored) return
  const had = buried.get(said.blockId)
  const foreign = made.filter(
    (edge) =>
      !had?.edges.some((each) => isDeepStrictEqual(each, edge)) &&
      !had?.unseen.has(edge.from) &&
      !had?.unseen.has(edge.to),
  )
  expect(foreign, 'edges it never had').toEqual([])
}
