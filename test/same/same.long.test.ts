import { expect, test } from 'vitest'
import { compareCheckouts, tell } from './same.ts'

test('calls recorded before answer as they did, but for differences that have a reason', async () => {
  const { calls, found } = await compareCheckouts({})
  expect(calls).toBeGreaterThan(2_000)
  expect(found.filter(({ why }) => why === undefined).map(tell)).toEqual([])
})
