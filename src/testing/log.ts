import type { Block } from '../domain/block/block.ts'
import type { OperationFilter } from '../ports/store/transaction.ts'
import { anOperation, insertAll, type Suite } from './harness.ts'

/** Promises about the entries of the log that a filter lets through. */
export function checkLog({ check, expect }: Suite): void {
  check('filters the log by block and by operation', async (store) => {
    await store.write(async (tx) => {
      await tx.log(anOperation({ operation: 'remember', blockIds: ['a'], summary: '1' }))
      await tx.log(anOperation({ operation: 'edit', blockIds: ['a', 'b'], summary: '2' }))
      await tx.log(anOperation({ operation: 'edit', blockIds: ['b', 'b'], summary: '3' }))
    })
    const found = (filter: Partial<OperationFilter>) =>
      store.read(async (tx) => (await tx.operations({ ...filter, limit: 9 })).map((record) => record.summary))
    expect(await found({ blockId: 'a' })).toEqual(['2', '1'])
    expect(await found({ operation: 'edit' })).toEqual(['3', '2'])
    expect(await found({ blockId: 'b', operation: 'edit' })).toEqual(['3', '2'])
    expect(await found({ blockId: 'a', operation: 'edit' })).toEqual(['2'])
    expect(await found({ blockId: 'c' })).toEqual([])
    expect(await found({ blockId: 'b', after: 1 })).toEqual(['2', '3'])
    expect(await found({ isKept: true })).toEqual([])
  })

  check('filters recalls by block however many came since, each once, newest first', async (store) => {
    for (let recall = 1; recall <= 70; recall++)
      await store.write((tx) =>
        tx.log(anOperation({ operation: 'recall', blockIds: ['a', `b${recall % 2}`], summary: `${recall}` })),
      )
    const found = (blockId: string) =>
      store.read(async (tx) => (await tx.operations({ blockId, limit: 99 })).map(({ summary }) => summary))
    const all = Array.from({ length: 70 }, (_, i) => `${70 - i}`)
    expect(await found('a')).toEqual(all)
    expect(await found('b1')).toEqual(all.filter((summary) => Number(summary) % 2 === 1))
    expect(await found('b')).toEqual([])
  })

  check(
    'names the transactions that may have changed blocks since, oldest first, each once',
    async (store) => {
      await insertAll(store, ['a', 'b'])
      const change = (content: string, ...named: readonly string[][]) =>
        store.write(
          async (tx) => {
            const [block] = await tx.blocks(['a'])
            await tx.saveBlocks([{ ...(block as Block), content }])
            await tx.logAll(named.map((blockIds) => anOperation({ summary: content, blockIds })))
          },
          { undoable: true },
        )
      await change('1', ['a'], ['b'], [])
      await store.write((tx) => tx.log(anOperation({ summary: 'nothing', blockIds: ['a'] })))
      await change('2', ['a'], ['a'])
      const found = (after: number, ...changing: string[]) =>
        store.read(async (tx) => (await tx.operations({ changing, after, limit: 9 })).map(({ id }) => id))
      const [{ id: last = 0 } = {}] = await store.read((tx) => tx.operations({ limit: 1 }))
      expect(await found(0, 'a', 'b')).toEqual([last - 3, last])
      expect(await found(last - 3, 'a')).toEqual([last])
      expect(await found(0, 'c')).toEqual([])
    },
  )

  check('shows of each run in the log the newest entry alone, and how many it has', async (store) => {
    await store.write((tx) =>
      tx.logAll([
        anOperation({ summary: '1', run: 'x' }),
        anOperation({ summary: '2' }),
        anOperation({ summary: '3', run: 'x' }),
        anOperation({ summary: '4', run: 'y' }),
      ]),
    )
    const found = (limit: number) => store.read((tx) => tx.operations({ runs: true, limit }))
    const told = (await found(9)).map(({ summary, entries }) => [summary, entries])
    expect(told).toEqual([
      ['4', 1],
      ['3', 2],
      ['2', undefined],
    ])
    expect((await found(1)).map(({ summary }) => summary)).toEqual(['4'])
  })
}
