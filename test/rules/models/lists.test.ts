import fc from 'fast-check'
import type { UnlabelledPair } from '../../../src/ports/store/judging.ts'
import type { OutcomeRecord, QueuedOutcome, SessionRecord } from '../../../src/ports/store/transaction.ts'
import { AT, anOperation, trimLog } from '../../../src/testing/harness.ts'
import { batch, ends, endsOf, few, follows, hours, IDS, id, ids, isJoinable, keyOf } from './follows.ts'

follows('a pair waits once for a label, and the oldest give way beyond so many', {
  begin: (): Map<string, UnlabelledPair> => new Map(),
  calls: (calling) => [
    calling(
      fc.tuple(batch(fc.tuple(ends, fc.constantFrom(0.5, 1))), fc.integer({ min: 0, max: 6 })),
      (tx, [pairs, keep]) =>
        tx.queueUnlabelled(
          pairs.map(([[from, to], cosine]) => ({ from, to, cosine })),
          keep,
        ),
      (listed, [pairs, keep]) => {
        for (const [pair, cosine] of pairs.filter(([pair]) => isJoinable(pair))) {
          const [from, to] = endsOf(keyOf(pair))
          if (!listed.has(keyOf(pair))) listed.set(keyOf(pair), { from, to, cosine })
        }
        // Pairs of one block alone are no call at all.
        if (pairs.every(([[from, to]]) => from === to)) return
        for (const key of [...listed.keys()].slice(0, Math.max(0, listed.size - keep))) listed.delete(key)
      },
    ),
    calling(
      batch(ends),
      (tx, pairs) => tx.removeUnlabelled(pairs),
      (listed, pairs) => {
        for (const pair of pairs) listed.delete(keyOf(pair))
      },
    ),
  ],
  look: (tx) => tx.unlabelledPairs(99),
  seen: (listed) => [...listed.values()],
})

const queued = fc
  .tuple(id, few)
  .map(([blockId, signal]): QueuedOutcome => ({ blockId, signal, weight: 1, source: 's' }))
const applied = queued.map(
  (each): OutcomeRecord => ({ ...each, confidenceBefore: 0, confidenceAfter: 1, at: AT }),
)

interface Reports {
  applied: OutcomeRecord[]
  queued: QueuedOutcome[]
}

/** A list with more at its end, of which each block that is named keeps the newest. */
function appended<T extends QueuedOutcome>(list: readonly T[], more: readonly T[], keep: number): T[] {
  const named = new Set(more.map(({ blockId }) => blockId))
  const all = [...list, ...more.filter(({ blockId }) => blockId !== 'nobody')]
  return all.filter(({ blockId }, at) => {
    const newer = all.slice(at + 1).filter((each) => each.blockId === blockId)
    return !named.has(blockId) || newer.length < keep
  })
}

follows('a block keeps its newest reports, applied or waiting, and gives away what waited once', {
  begin: (): Reports => ({ applied: [], queued: [] }),
  calls: (calling) => [
    calling(
      fc.tuple(batch(applied), few),
      (tx, [records, keep]) => tx.appendOutcomes(records, keep),
      (reports, [records, keep]) => {
        reports.applied = appended(reports.applied, records, keep)
      },
    ),
    calling(
      fc.tuple(batch(queued), few),
      (tx, [outcomes, keep]) => tx.queueOutcomes(outcomes, keep),
      (reports, [outcomes, keep]) => {
        reports.queued = appended(reports.queued, outcomes, keep)
      },
    ),
    calling(
      ids,
      (tx, given) => tx.takeQueuedOutcomes(given),
      (reports, given) => {
        const taken = reports.queued.filter(({ blockId }) => given.includes(blockId))
        reports.queued = reports.queued.filter((each) => !taken.includes(each))
        return taken
      },
    ),
  ],
  look: async (tx) => [
    await Promise.all(IDS.map((each) => tx.outcomes(each, 99))),
    (await tx.counts()).queuedOutcomes,
  ],
  seen: (reports) => [
    IDS.map((each) => reports.applied.filter(({ blockId }) => blockId === each).reverse()),
    reports.queued.length,
  ],
})

interface Log {
  next: number
  entries: { readonly id: number; readonly hours: number }[]
}

follows('the clock is the newest entry, whose hours never fall, and stays when the log is trimmed', {
  begin: (): Log => ({ next: 1, entries: [] }),
  calls: (calling) => [
    calling(
      batch(hours),
      (tx, all) => tx.logAll(all.map((at) => anOperation({ hours: at }))),
      (log, all) => {
        for (const at of all)
          log.entries.push({ id: log.next++, hours: Math.max(at, log.entries.at(-1)?.hours ?? 0) })
      },
    ),
    calling(
      fc.tuple(few, few),
      (tx, [keep, most]) => trimLog(tx, keep, most),
      (log, [keep, most]) =>
        log.entries.splice(0, Math.min(most, Math.max(0, log.entries.length - Math.max(1, keep)))).length,
    ),
  ],
  look: async (tx) => [
    (await tx.operations({ limit: 99 })).map((entry) => ({ id: entry.id, hours: entry.hours })),
    (await tx.clock()).hours,
  ],
  seen: ({ entries }) => [entries.toReversed(), entries.at(-1)?.hours ?? 0],
})

const session = fc.tuple(fc.constantFrom('s', 't', 'u', 'v'), hours, fc.boolean()).map(
  ([name, startHours, isOpen]): SessionRecord => ({
    ...{ id: name, taskType: 'general', startedAt: AT, startHours },
    ...(isOpen ? {} : { endedAt: AT }),
  }),
)

/** Oldest first. */
function byStart(sessions: ReadonlyMap<string, SessionRecord>): SessionRecord[] {
  return [...sessions.values()].sort(
    (one, other) => one.startHours - other.startHours || (one.id < other.id ? -1 : 1),
  )
}

follows('the oldest sessions go beyond so many, but never the open one that was begun last', {
  begin: (): Map<string, SessionRecord> => new Map(),
  calls: (calling) => [
    calling(
      session,
      (tx, given) => tx.saveSession(given),
      (sessions, given) => void sessions.set(given.id, given),
    ),
    calling(
      fc.tuple(few, few),
      (tx, [keep, most]) => tx.trimSessions(keep, most),
      (sessions, [keep, most]) => {
        const old = byStart(sessions).slice(0, Math.max(0, sessions.size - keep))
        const open = byStart(sessions).findLast(({ endedAt }) => endedAt === undefined)
        const gone = old.filter((each) => each !== open).slice(0, most)
        for (const each of gone) sessions.delete(each.id)
        return gone.length
      },
    ),
  ],
  look: async (tx) => [
    await Promise.all(['s', 't', 'u', 'v'].map((name) => tx.session(name))),
    await tx.latestOpenSession(),
  ],
  seen: (sessions) => [
    ['s', 't', 'u', 'v'].map((name) => sessions.get(name)),
    byStart(sessions).findLast(({ endedAt }) => endedAt === undefined),
  ],
})
