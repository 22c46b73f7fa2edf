import { expect } from 'vitest'
import type { Edge } from '../../src/graph/edge.ts'
import { bornIn, type Change, keyOfDisplaced, spentIn, touches } from './change.ts'
import { activeIds, keyOf, keyOfEdge } from './picture.ts'

const DISCONNECT_HOURS = 200

/** Active hours at which pairs were disconnected, until an agent joins them again. */
export type Apart = Map<string, number>

/** Notes what a step disconnected and joined. */
export function noteApart(apart: Apart, { claimed, report: { disconnected }, after }: Change): void {
  for (const key of claimed) apart.delete(key)
  if (disconnected?.action === 'removed')
    apart.set(keyOf(disconnected.sourceId, disconnected.targetId), after.hours)
}

/** What must hold of every step, whichever operation it was. */
export function expectLawfulStep(change: Change, apart: Apart): void {
  if (change.report.refused !== undefined) {
    expect(change.after, 'a refused operation changes nothing').toEqual(change.before)
    return
  }
  expectArchivedSaid(change)
  expectLossesSaid(change)
  expectDisplacedGone(change)
  expectAgentEdgesStand(change)
  expectOrigins(change)
  expectWaitingAccounted(change)
  expectApartHeeded(change, apart)
  if (change.act.do === 'recall' && !change.act.reinforce) expect(change.after).toEqual(change.before)
  expectContradictionsOpen(change)
}

/** Active blocks leave the graph only when the result names them; a waiting one may say what another says. */
function expectArchivedSaid({ archived, report, before }: Change): void {
  const active = activeIds(before)
  const said = report.archived.filter((id) => active.has(id))
  expect([...archived].filter((id) => active.has(id)).sort(), 'archived blocks').toEqual(said.sort())
}

/** An edge that is gone gave way, faded at a curation, was disconnected, was a contradiction of two that both hold, or lost an end. */
function expectLossesSaid(change: Change): void {
  const spent = spentIn(change)
  const { disconnected } = change.report
  const unsaid = change.vanished.filter((edge) => {
    const key = keyOfEdge(edge)
    const isRemoved =
      disconnected?.action === 'removed' && key === keyOf(disconnected.sourceId, disconnected.targetId)
    if (isRemoved || wasEnded(change, edge)) return false
    return !touches(change.archived, edge) && !change.displaced.has(key) && !spent.has(key)
  })
  expect(unsaid, 'edges that vanished without a word').toEqual([])
}

/** True of a contradiction of two of which it was said that both hold. */
function wasEnded(
  { report: { agreed = [] } }: Change,
  { relation, from, to }: Pick<Edge, 'relation' | 'from' | 'to'>,
): boolean {
  return relation === 'contradicts' && agreed.includes(from) && agreed.includes(to)
}

/** What is reported to have given way was there, was not an agent's, is gone, and made room for another. */
function expectDisplacedGone(change: Change): void {
  const { report, displaced, edgesBefore, edgesAfter, activated } = change
  expect(displaced.size, 'each gave way once').toBe(report.displaced.length)
  // In one dream an edge may give way to one that gives way itself, or goes with a block that curation archives.
  const passing = report.displaced.filter((edge) => !edgesBefore.has(keyOfDisplaced(edge)))
  const born = new Set([
    ...bornIn(change).flatMap(({ from, to }) => [from, to]),
    ...passing.flatMap(({ fromId, toId }) => [fromId, toId]),
    ...(change.act.do === 'learn' ? change.archived : []),
  ])
  for (const edge of report.displaced) {
    const key = keyOfDisplaced(edge)
    const [was, is] = [edgesBefore.get(key), edgesAfter.get(key)]
    if (was === undefined) expect(touches(activated, { from: edge.fromId, to: edge.toId }), key).toBe(true)
    else {
      expect(was.origin, `${key} gave way`).not.toBe('agent')
      expect(edge.relation).toBe(was.relation)
      // Reported as it was when it gave way: the same report may have made it firmer before.
      if (change.act.do !== 'outcome') expect(edge.weight).toBe(was.weight)
      expect(is?.createdAt, `${key} gave way`).not.toBe(was.createdAt)
    }
    expect(touches(born, { from: edge.fromId, to: edge.toId }), `${key} gave way to nothing`).toBe(true)
  }
}

/** What an agent asserted goes only by disconnect, by a decision about it or with an end, and stays as the agent said it. */
function expectAgentEdgesStand(change: Change): void {
  const { disconnected } = change.report
  for (const was of change.edgesBefore.values()) {
    if (was.origin !== 'agent') continue
    const key = keyOfEdge(was)
    const is = change.edgesAfter.get(key)
    if (is === undefined) {
      const isRemoved =
        disconnected !== undefined && key === keyOf(disconnected.sourceId, disconnected.targetId)
      const isSaid = isRemoved || wasEnded(change, was)
      expect(isSaid || touches(change.archived, was), `the agent's edge ${key} is gone`).toBe(true)
      continue
    }
    const { origin, previousOrigin, createdAt } = was
    expect({ ...is, ...pick(was) }, `the agent's edge ${key}`).toEqual(is)
    expect({ ...is, origin, createdAt }).toEqual(is)
    expect(is.previousOrigin).toBe(previousOrigin)
    if (change.claimed.has(key)) continue
    expect({ ...is, relation: was.relation, note: was.note, declaredBy: was.declaredBy }).toEqual(is)
    expect(is.weight, `weight of ${key}`).toBeGreaterThanOrEqual(was.weight)
  }
}

function pick({ from, to }: { readonly from: string; readonly to: string }) {
  return { from, to }
}

/** Who made an edge changes only when an agent takes it over, and then it says whose it was. */
function expectOrigins(change: Change): void {
  const spent = spentIn(change)
  for (const { was, is } of change.altered) {
    const key = keyOfEdge(is)
    if (was.createdAt !== is.createdAt) {
      expect(change.displaced.has(key) || spent.has(key), `${key} was made anew`).toBe(true)
      continue
    }
    if (was.origin === is.origin) continue
    expect(change.claimed.has(key), `${key} was taken over`).toBe(true)
    expect([is.origin, is.previousOrigin]).toEqual(['agent', was.origin])
  }
}

/** A deferred connection waits until it is made, called off, ended, dropped with a word, or an end is archived. */
function expectWaitingAccounted(change: Change): void {
  const { before, after, report, claimed, archived, edgesAfter, curated } = change
  const waiting = new Map(after.pending.map((each) => [keyOf(each.source, each.target), each]))
  const dropped = new Set(report.pendingDropped.map(({ source, target }) => keyOf(source, target)))
  const { disconnected } = report
  const calledOff =
    disconnected?.pendingRemoved === true ? keyOf(disconnected.sourceId, disconnected.targetId) : undefined
  for (const was of before.pending) {
    const key = keyOf(was.source, was.target)
    const is = waiting.get(key)
    waiting.delete(key)
    if (claimed.has(key)) continue
    const isEnded = wasEnded(change, { relation: was.relation, from: was.source, to: was.target })
    const isOver =
      isEnded || key === calledOff || dropped.has(key) || archived.has(was.source) || archived.has(was.target)
    const isMade = curated && edgesAfter.get(key)?.origin === 'agent'
    if (isOver || isMade) expect(is, `${key} waits no more`).toBeUndefined()
    else expect(is, `${key} waits on`).toEqual({ ...was, attempts: was.attempts + (curated ? 1 : 0) })
  }
  expect(
    [...waiting.keys()].filter((key) => !claimed.has(key)),
    'nobody asked for these',
  ).toEqual([])
}

/** What an agent disconnected lately is joined by nobody but an agent, or with a restored block. */
function expectApartHeeded(change: Change, apart: Apart): void {
  if (change.act.do === 'restore') return
  const waited = new Set(change.before.pending.map(({ source, target }) => keyOf(source, target)))
  for (const edge of bornIn(change)) {
    const key = keyOfEdge(edge)
    const since = apart.get(key)
    if (since === undefined || change.claimed.has(key) || (change.curated && waited.has(key))) continue
    expect(change.after.hours - since, `${key} was disconnected`).toBeGreaterThanOrEqual(DISCONNECT_HOURS)
  }
}

/** As long as an agent says that two contradict each other, resolve can settle it; when it takes that back, it is settled. */
function expectContradictionsOpen(change: Change): void {
  const { edgesBefore, after, act } = change
  const open = new Map(after.openPairs.map((pair) => [keyOf(pair.a, pair.b), pair]))
  for (const is of [...bornIn(change), ...change.altered.map((each) => each.is)]) {
    const key = keyOfEdge(is)
    const wasSaid = edgesBefore.get(key)?.relation === 'contradicts'
    const isSaid = is.relation === 'contradicts'
    if (isSaid && !wasSaid && act.do !== 'restore')
      expect(open.get(key)?.kind, `the contradiction ${key} is open`).toBe('contradiction')
    if (wasSaid && !isSaid)
      expect(open.get(key)?.kind, `the contradiction ${key} was taken back`).not.toBe('contradiction')
  }
}
