import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'
import { statements } from '../helpers/words.ts'

function start(name: string, ...parameters: string[]): ChildProcessWithoutNullStreams {
  const child = join(import.meta.dirname, 'children', name)
  return spawn(process.execPath, ['--no-warnings', child, ...parameters])
}

test('backups made while two processes write are whole, and each restores to one state', async () => {
  const { memory, path } = await openTestMemory()
  const agents = ['one', 'other'].map((name) => start('live.ts', path, name, '60'))
  const finished = agents.map(async (agent) => {
    let complaint = ''
    agent.stderr.on('data', (chunk) => {
      complaint += String(chunk)
    })
    agent.stdout.resume()
    const [code] = await once(agent, 'exit')
    return { code, complaint }
  })
  for (const agent of agents) agent.stdin.write('go\n')
  await once(agents[0]!.stdout, 'data')
  const folder = temporaryFolder()
  const made: { readonly path: string; readonly blocks: number }[] = []
  while (agents.some((agent) => agent.exitCode === null))
    made.push(await memory.backup({ path: join(folder, `${made.length}.db`) }))
  expect(await Promise.all(finished)).toEqual(agents.map(() => ({ code: 0, complaint: '' })))
  expect(made.length).toBeGreaterThan(3)
  expect(made.some(({ blocks }) => blocks > 0 && blocks < 120)).toBe(true)
  const { memory: restored } = await openTestMemory()
  for (const { path: from, blocks } of [made[0]!, made[made.length >> 1]!, made.at(-1)!]) {
    await restored.restoreBackup({ path: from })
    const { activeCount, inboxCount, archivedCount } = await restored.status()
    expect(activeCount + inboxCount + archivedCount).toBe(blocks)
    const { checks } = await restored.doctor({ resolve: true })
    expect(checks.filter(({ outcome }) => outcome === 'fail')).toEqual([])
  }
}, 180_000)

test('another process that has the memory open finds what was restored and not what it remembers', async () => {
  const { memory, path, learn } = await openTestMemory()
  const [kettle] = await learn('The red kettle boils.')
  const { name } = await memory.backup()
  const [teapot] = await learn('The blue teapot steams.', ...statements(10))
  const other = start('recall-twice.ts', path)
  const lines = createInterface(other.stdout)[Symbol.asyncIterator]()
  const ask = async (query: string): Promise<string[]> => {
    other.stdin.write(`${query}\n`)
    return JSON.parse((await lines.next()).value as string)
  }
  expect(await ask('blue teapot steams')).toContain(teapot)
  await memory.restoreBackup({ name })
  expect(await ask('blue teapot steams')).not.toContain(teapot)
  expect(await ask('red kettle boils')).toEqual([kettle])
  other.stdin.end()
  expect((await once(other, 'exit'))[0]).toBe(0)
}, 60_000)

test('a memory is restored while another process writes, and nobody is told of a lock', async () => {
  const { memory, path, learn } = await openTestMemory()
  await learn('The red kettle boils.')
  const { name } = await memory.backup()
  const agent = start('live.ts', path, 'one', '60')
  let complaint = ''
  agent.stderr.on('data', (chunk) => {
    complaint += String(chunk)
  })
  agent.stdin.write('go\n')
  await once(agent.stdout, 'data')
  agent.stdout.resume()
  const ended = once(agent, 'exit')
  await memory.restoreBackup({ name })
  const [code] = await ended
  // What it was about to report on may be gone; a damaged or locked file is no answer it may get.
  expect([code === 0 || complaint.includes('NOT_FOUND'), complaint]).toEqual([
    true,
    expect.not.stringMatching(/BUSY|CORRUPT|locked|malformed/),
  ])
  const { checks } = await memory.doctor({ resolve: true })
  expect(checks.filter(({ outcome }) => outcome === 'fail')).toEqual([])
}, 60_000)
