import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/memory.ts'
import { problemsBeside } from './dump.ts'
import { copyOf, openSame, prepare } from './prepared.ts'

const fail = (at: number) => ({ at, code: 'STORE_FULL', when: 'before' }) as const

test('a session that could not be begun is none: what comes after begins one of its own', async () => {
  const path = copyOf(await prepare(temporaryFolder()))
  const { memory, calls, close } = await openSame(path)
  calls.arm(fail(3))
  await expect(memory.beginSession()).rejects.toMatchObject({ code: 'STORE_FULL' })
  expect(calls.disarm()).toMatchObject({ steps: ['clock', 'saveSession', 'COMMIT'], met: true })
  await memory.remember({ content: 'The quay is wet' })
  expect(problemsBeside(path)).toEqual([])
  await close()
})

test('a session that could not be ended goes on', async () => {
  const path = copyOf(await prepare(temporaryFolder()))
  const { memory, calls, store, close } = await openSame(path)
  const id = await memory.beginSession()
  calls.arm(fail(3))
  await expect(memory.endSession()).rejects.toMatchObject({ code: 'STORE_FULL' })
  calls.disarm()
  expect(await store.read((tx) => tx.session(id))).not.toHaveProperty('endedAt')
  await memory.endSession()
  expect(await store.read((tx) => tx.session(id))).toHaveProperty('endedAt')
  await close()
})

test('an idle session whose end could not be written is over all the same, and the next write writes it', async () => {
  const path = copyOf(await prepare(temporaryFolder()))
  const { memory, clock, calls, store, close } = await openSame(path)
  const id = await memory.beginSession()
  const lastAt = new Date(clock.now()).toISOString()
  clock.advance({ hours: 2 })
  calls.arm(fail(4))
  await expect(memory.remember({ content: 'The quay is wet' })).rejects.toMatchObject({ code: 'STORE_FULL' })
  expect(calls.disarm().steps.slice(0, 3)).toEqual(['clock', 'saveSession', 'saveSession'])
  expect(await store.read((tx) => tx.session(id))).not.toHaveProperty('endedAt')
  expect(memory.sessionBlockIds).toEqual([])
  await memory.remember({ content: 'The quay is long' })
  expect(await store.read((tx) => tx.session(id))).toMatchObject({ endedAt: lastAt })
  await close()
})

test('of two writes at once that begin a session, one failing takes it from neither', async () => {
  const prepared = await prepare(temporaryFolder())
  let isMet = true
  for (let at = 1; isMet; at++) {
    const path = copyOf(prepared)
    const { memory, calls, store, close } = await openSame(path)
    calls.arm(fail(at))
    await Promise.allSettled([
      memory.remember({ content: 'The quay is wet' }),
      memory.remember({ content: 'The quay is long' }),
    ])
    isMet = calls.disarm().met
    // Each takes a few steps at least.
    expect(isMet || at > 10).toBe(true)
    await memory.remember({ content: 'The quay is old' })
    expect([at, ...problemsBeside(path)]).toEqual([at])
    const written = await store.read((tx) => tx.operations({ limit: 9, operation: 'remember' }))
    const sessions = new Set(
      written.map(({ session }) => session).filter((id) => id?.startsWith('random-one')),
    )
    expect([at, sessions.size]).toEqual([at, 1])
    await close()
  }
})
