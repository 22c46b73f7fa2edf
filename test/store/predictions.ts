import { expect } from 'vitest'
import {
  readDuePredictions,
  readPredictions,
  readSettledPredictions,
  removePredictions,
  savePredictions,
} from '../../src/store/predictions.ts'
import { blocks } from '../../src/store/tables.ts'
import { insertAll } from './harness.ts'
import type { Suite } from './suite.ts'

const open = (blockId: string, day: string) => ({
  ...{ blockId, expectedBy: `2026-03-${day}T00:00:00.000Z`, probability: 0.7 },
  createdAt: '2026-01-01T00:00:00.000Z',
})

/** Registers tests of predictions. */
export function checkPredictions({ check }: Suite): void {
  check(
    'predictions are read by block, by the time that is over, and once they are settled',
    async (store) => {
      await insertAll(store, ['a', 'b', 'c', 'd'])
      const settled = { ...open('d', '01'), settledAt: '2026-03-02T00:00:00.000Z', cameTrue: false }
      const all = [open('a', '03'), open('b', '02'), open('c', '02'), settled]
      await store.write((tx) => savePredictions(tx, [...all, open('nobody', '01')]))
      const due = (limit: number) =>
        store.read((tx) => readDuePredictions(tx, '2026-03-02T12:00:00.000Z', limit))
      expect(await store.read((tx) => readPredictions(tx, ['d', 'a', 'nobody']))).toEqual([settled, all[0]])
      expect(await due(1)).toEqual([all[1]])
      expect(await due(9)).toEqual([all[1], all[2]])
      expect(await store.read(readSettledPredictions)).toEqual([settled])
      const now = { ...open('b', '09'), probability: 0.2 }
      await store.write((tx) => savePredictions(tx, [now]))
      await store.write((tx) => removePredictions(tx, ['c']))
      expect(await store.read((tx) => readPredictions(tx, ['b', 'c']))).toEqual([now])
    },
  )

  check('a prediction has the scope of its block and goes with it', async (store) => {
    const view = store.within('atlas')
    await insertAll(store, ['a'])
    await insertAll(view, ['b'])
    await store.write((tx) => savePredictions(tx, [open('a', '02'), open('b', '02')]))
    expect(await view.read((tx) => readDuePredictions(tx, '2026-04', 9))).toEqual([open('b', '02')])
    expect(await view.read((tx) => readPredictions(tx, ['a', 'b']))).toEqual([open('b', '02')])
    await view.write((tx) => removePredictions(tx, ['a']))
    await store.write(async (tx) => {
      const arrival = (await tx.lookUp(['b']))('b')?.arrival as number
      await tx.rows.remove(blocks, [[arrival]])
    })
    expect(await store.read((tx) => readPredictions(tx, ['a', 'b']))).toEqual([open('a', '02')])
  })
}
