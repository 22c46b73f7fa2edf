import { bornIn, type Change, spentIn } from './change.ts'
import { activeIds, keyOfEdge } from './picture.ts'

/** How often each kind of event happened. */
export type Tally = Map<string, number>

/** Counts what happened in a step: a property that never met its cases has shown nothing. */
export function noteIn(tally: Tally, change: Change): void {
  const { act, report, altered, archived, displaced, vanished, curated } = change
  const add = (what: string, many: number): void => void tally.set(what, (tally.get(what) ?? 0) + many)
  add(report.refused === undefined ? 'acts' : 'refusals', 1)
  add(`edges given way at ${act.do}`, displaced.size)
  add(`edges made at ${act.do}`, bornIn(change).length)
  const active = activeIds(change.after)
  const ofWaiting = bornIn(change).filter(({ from, to }) => !active.has(from) || !active.has(to))
  add('edges made at a waiting block', ofWaiting.length)
  add('edges taken over', altered.filter(({ was, is }) => was.origin !== is.origin).length)
  add(
    'edges lost with an archived end',
    vanished.filter(({ from, to }) => archived.has(from) || archived.has(to)).length,
  )
  const spent = spentIn(change)
  add('edges faded', vanished.filter((edge) => spent.has(keyOfEdge(edge))).length)
  add('connections deferred', report.claims.filter(({ action }) => action === 'deferred').length)
  add('connections dropped', report.pendingDropped.length)
  add('connections admitted', report.curated?.pendingAdmitted ?? 0)
  add('connections called off', report.disconnected?.pendingRemoved ? 1 : 0)
  add('pairs disconnected', report.disconnected?.action === 'removed' ? 1 : 0)
  add('pairs kept apart', report.reported?.edgesSkipped ?? 0)
  add('dreams that curated', curated && act.do === 'learn' ? 1 : 0)
  add('pairs settled', act.do === 'resolve' && report.refused === undefined ? 1 : 0)
}
