import { expect } from 'vitest'
import type { OperationFilter } from '../../src/store/database.ts'
import { logOperation, logOperations, trimLog } from '../../src/store/log.ts'
import type { Store } from '../../src/store/transaction.ts'
import { insertBlock } from '../helpers/rows.ts'
import { aBlock, anOperation, idsIn, undoably } from './harness.ts'
import type { Suite } from './suite.ts'

const entriesOf = (store: Store, filter: Partial<OperationFilter> = {}) =>
  store.read((tx) => tx.queries.operations({ limit: 99, ...filter }))
const summariesOf = async (store: Store, filter: Partial<OperationFilter> = {}) =>
  (await entriesOf(store, filter)).map(({ summary }) => summary).join('')

/** Registers tests of the log, the counts of days, sessions and settings. */
export function checkLog({ check }: Suite): void {
  check('log and logAll keep entries exactly; operations gives them newest first', async (store) => {
    const full = anOperation({
      operation: 'edit',
      actor: 'mcp:Ünï',
      hours: 3,
      session: 's',
      blockIds: ['b', 'a', 'not a block'],
      reason: 'why — "so"',
      before: { content: 'was', nested: [1, null, { deep: true }] },
      tokens: { llmInputTokens: 12, llmOutputTokens: 3, llmCalls: 1, embeddingTokens: 0, embeddingCalls: 0 },
      run: 'r',
    })
    const first = await store.write((tx) => logOperation(tx, anOperation()))
    await store.write((tx) => logOperations(tx, [full, anOperation({ hours: 2.5 })]))
    const records = await entriesOf(store)
    expect(records).toEqual([
      { id: first + 2, ...anOperation({ hours: 3 }) },
      { id: first + 1, ...full },
      { id: first, ...anOperation() },
    ])
    expect(idsIn(await entriesOf(store, { limit: 1 }))).toEqual([first + 2])
  })

  check('operations applies each filter', async (store) => {
    const day = (at: number) => `2026-03-0${at}T12:00:00.000Z`
    await store.write((tx) =>
      logOperations(tx, [
        anOperation({ summary: '1', blockIds: ['a'], run: 'x', at: day(1) }),
        anOperation({ summary: '2', operation: 'edit', blockIds: ['a', 'b'], at: day(2) }),
        anOperation({ summary: '3', operation: 'edit', blockIds: ['b', 'b'], run: 'x', at: day(3) }),
        anOperation({ summary: '4', actor: 'cli', run: 'y', at: day(4) }),
      ]),
    )
    const [newest = { id: 0 }] = await entriesOf(store, { limit: 1 })
    const cases: [Partial<OperationFilter>, string][] = [
      [{ blockId: 'a' }, '21'],
      [{ operation: 'edit' }, '32'],
      [{ blockId: 'a', operation: 'edit' }, '2'],
      [{ blockId: 'c' }, ''],
      [{ blockId: 'b', after: 1 }, '23'],
      [{ before: newest.id }, '321'],
      [{ actor: 'cli' }, '4'],
      [{ run: 'x' }, '31'],
      [{ runs: true }, '432'],
      [{ since: day(2), until: day(4) }, '32'],
      [{ isKept: true }, ''],
    ]
    for (const [filter, summaries] of cases)
      expect(await summariesOf(store, filter), JSON.stringify(filter)).toBe(summaries)
    const runs = await entriesOf(store, { runs: true })
    expect(runs.map(({ entries }) => entries)).toEqual([1, 2, undefined])
  })

  check('trimming keeps the newest entries, those with kept changes, and always the clock', async (store) => {
    const kept = await undoably(store, (tx) => insertBlock(tx, aBlock('a')))
    for (const hours of [1, 2, 3, 4]) await store.write((tx) => logOperation(tx, anOperation({ hours })))
    const trim = (keep: number, most: number) => store.write((tx) => trimLog(tx, keep, most))
    expect([await trim(9, 9), await trim(2, 0), await trim(2, 1), await trim(2, 9)]).toEqual([0, 0, 1, 1])
    const left = await entriesOf(store)
    expect(left.map(({ id, hours }) => (id === kept ? 'kept' : hours))).toEqual([4, 3, 'kept'])
    await trim(0, 9)
    expect((await store.read((tx) => tx.state().then((state) => state.clock))).hours).toBe(4)
    expect(await store.write((tx) => logOperation(tx, anOperation({ hours: 6 })))).toBeGreaterThan(
      left[0]?.id ?? 0,
    )
  })
}
