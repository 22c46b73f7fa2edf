import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTestClock } from '../helpers/clock.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { openResting, QUIET_MS } from '../helpers/resting.ts'

function child(path: string, way: 'leave' | 'hang') {
  const script = join(import.meta.dirname, 'children/rest.ts')
  const running = spawn(process.execPath, ['--no-warnings', script, path, way])
  onTestFinished(() => void running.kill('SIGKILL'))
  return running
}

test('a program that leaves a memory open ends by itself though a dream at rest is still to come', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  expect(await once(child(path, 'leave'), 'exit')).toEqual([0, null])
}, 30_000)

test('a process killed while it dreams at rest leaves a whole memory, and another dreams when its lease is over', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const killed = child(path, 'hang')
  await once(killed.stdout, 'data')
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  const { memory, timer, waiting } = await openResting({
    path,
    clock: createTestClock(new Date().toISOString()),
  })
  expect(await memory.status()).toMatchObject({ inboxCount: 12, autoDream: { elsewhere: true } })
  await timer.pass(QUIET_MS - 10_000)
  expect(await waiting()).toBe(12)
  for (let tries = 0; tries < 3; tries++) await timer.pass(QUIET_MS)
  expect(await waiting()).toBe(0)
  expect(await memory.status()).toMatchObject({ activeCount: 12, autoDream: { elsewhere: false } })
  expect((await memory.doctor()).checks.filter(({ outcome }) => outcome === 'fail')).toEqual([])
}, 30_000)
