import { expect } from 'vitest'
import {
  readRequest,
  removeRequest,
  type StoredRequest,
  saveRequest,
  trimRequests,
} from '../../src/store/requests.ts'
import type { Suite } from './suite.ts'

const row = (key: string, minute: number): StoredRequest => ({
  ...{ holder: 'http:ann', operation: 'remember', key, input: 'hash' },
  at: `2026-03-01T12:${String(minute).padStart(2, '0')}:00.000Z`,
})
const keyOf = ({ holder, operation, key }: StoredRequest) => [holder, operation, key] as const

export function checkRequests({ check }: Suite): void {
  check(
    'a request is kept by holder, operation and key, in any scope, and takes an answer',
    async (store) => {
      const [one, other] = [row('a', 1), { ...row('a', 2), operation: 'forget' }]
      await store.write(async (tx) => {
        await saveRequest(tx, one)
        await saveRequest(tx, other)
      })
      const answered = { ...one, entry: 7, answer: { blockId: 'x', list: [1, 2] } }
      await store.within('s').write((tx) => saveRequest(tx, answered))
      const read = await store.within('t').read((tx) => readRequest(tx, keyOf(one)))
      expect(read).toEqual(answered)
      await store.write((tx) => removeRequest(tx, keyOf(one)))
      expect(await store.read((tx) => readRequest(tx, keyOf(one)))).toBeUndefined()
      expect(await store.read((tx) => readRequest(tx, keyOf(other)))).toEqual(other)
    },
  )

  check('requests are trimmed by their time', async (store) => {
    const rows = Array.from({ length: 10 }, (_, n) => row(`k${n}`, n))
    await store.write(async (tx) => {
      for (const each of rows) await saveRequest(tx, each)
    })
    const left = async () => {
      const found = await store.read((tx) => Promise.all(rows.map((each) => readRequest(tx, keyOf(each)))))
      return found.flatMap((each) => each?.key ?? [])
    }
    await store.write((tx) => trimRequests(tx, rows[2]?.at ?? '', 100))
    expect(await left()).toEqual(['k3', 'k4', 'k5', 'k6', 'k7', 'k8', 'k9'])
    await store.write((tx) => trimRequests(tx, rows[9]?.at ?? '', 5))
    expect(await left()).toEqual(['k8', 'k9'])
  })
}
