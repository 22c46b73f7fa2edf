import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { createTestClock } from '../helpers/clock.ts'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'
import { openResting, QUIET_MS } from '../helpers/resting.ts'
import { problemsIn } from './whole.ts'

function start(name: string, ...parameters: readonly string[]): ChildProcessWithoutNullStreams {
  const child = join(import.meta.dirname, 'children', name)
  const running = spawn(process.execPath, ['--no-warnings', child, ...parameters])
  onTestFinished(() => void running.kill('SIGKILL'))
  return running
}

/** Starts agents that each live so many turns, and resolves to how they ended. */
async function liveTogether(path: string, names: readonly string[], count: number) {
  const agents = names.map((name) => start('live.ts', path, name, String(count)))
  const ends = agents.map(async (agent) => {
    let complaint = ''
    agent.stderr.on('data', (chunk) => {
      complaint += String(chunk)
    })
    agent.stdout.resume()
    const [code] = await once(agent, 'close')
    return { code: code as number | null, complaint }
  })
  for (const agent of agents) agent.stdin.write('go\n')
  await once(agents[0]!.stdout, 'data')
  return { agents, ends: Promise.all(ends) }
}

const FINE = { code: 0, complaint: '' }

test('backup while two processes write makes whole files, and restoreBackup brings each back', async () => {
  const { memory, path } = await openTestMemory()
  const { agents, ends } = await liveTogether(path, ['one', 'other'], 60)
  const folder = temporaryFolder()
  const made: { readonly path: string; readonly blocks: number }[] = []
  while (agents.some((agent) => agent.exitCode === null))
    made.push(await memory.backup({ path: join(folder, `${made.length}.db`) }))
  expect(await ends).toEqual([FINE, FINE])
  expect(made.some(({ blocks }) => blocks > 0 && blocks < 300)).toBe(true)
  const { memory: restored } = await openTestMemory()
  for (const { path: from, blocks } of [made[0]!, made[made.length >> 1]!, made.at(-1)!]) {
    await restored.restoreBackup({ path: from })
    const { activeCount, inboxCount, archivedCount } = await restored.status()
    expect(activeCount + inboxCount + archivedCount).toBe(blocks)
    expect(problemsIn(from)).toEqual([])
  }
})

test('recall finds at once what another process wrote, dreamed or restored', async () => {
  const { memory, path, learn } = await openTestMemory()
  await learn('The red kettle boils.')
  const { name } = await memory.backup()
  const other = start('obey.ts', path)
  const lines = createInterface(other.stdout)[Symbol.asyncIterator]()
  const ask = async (line: string): Promise<string[]> => {
    other.stdin.write(`${line}\n`)
    return JSON.parse((await lines.next()).value as string)
  }
  await lines.next()
  await memory.remember({ content: 'The blue teapot steams.' })
  expect(await ask('recall blue teapot steams')).toContain('The blue teapot steams.')
  await ask('remember The samovar hums.')
  await ask('dream')
  expect((await memory.recall({ query: 'samovar hums' })).blocks[0]?.content).toBe('The samovar hums.')
  await memory.restoreBackup({ name })
  expect(await ask('recall blue teapot steams')).not.toContain('The blue teapot steams.')
  expect(await ask('recall red kettle boils')).toEqual(['The red kettle boils.'])
  other.stdin.write('close\n')
  expect(await once(other, 'exit')).toEqual([0, null])
})

test('after a process is killed in a dream at rest another one dreams once the lease is over', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const killed = start('rest.ts', path)
  await once(killed.stdout, 'data')
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  const clock = createTestClock(new Date().toISOString())
  const { memory, timer, waiting } = await openResting({ path, clock })
  // All blocks became active before the model was asked.
  expect(await memory.status()).toMatchObject({ activeCount: 12, autoDream: { elsewhere: true } })
  await memory.remember({ content: 'Shelf 12 holds globes.' })
  await timer.pass(QUIET_MS - 10_000)
  expect(await waiting()).toBe(1)
  for (let tries = 0; tries < 3; tries++) await timer.pass(QUIET_MS)
  expect(await memory.status()).toMatchObject({ activeCount: 13, autoDream: { elsewhere: false } })
})
