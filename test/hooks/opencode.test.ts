import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Hooks } from '../../src/hooks/hooks.ts'
import { listenForHooks } from '../../src/surfaces/hooks/socket.ts'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'
import { memoriesOf, OPTIONS } from './helpers/hooks-of.ts'

const PLUGIN = join(import.meta.dirname, '../../src/surfaces/hooks/opencode.ts')

/** Plays a session of opencode with the plugin in a process of its own, whose home is another; returns the parts of its messages. */
async function played(home: string, directory: string): Promise<{ text: string; synthetic?: boolean }[][]> {
  const program = `
    const { elfmem } = await import(${JSON.stringify(PLUGIN)})
    const hooks = await elfmem({ directory: ${JSON.stringify(directory)} })
    const child = { id: 'c', parentID: 's' }
    await hooks.event({ event: { type: 'session.created', properties: { sessionID: 'c', info: child } } })
    const task = { type: 'text', text: 'From now on, always answer in French.' }
    await hooks['chat.message']({ sessionID: 'c' }, { message: { id: 'm', sessionID: 'c' }, parts: [task] })
    const file = [{ ...task, synthetic: true }]
    await hooks['chat.message']({ sessionID: 's' }, { message: { id: 'm', sessionID: 's' }, parts: file })
    const said = []
    for (const text of ['which port does staging listen on?', 'which port does staging listen on again?']) {
      const parts = [{ type: 'text', text }]
      await hooks['chat.message']({ sessionID: 's' }, { message: { id: 'm', sessionID: 's' }, parts })
      said.push(parts)
      const bash = (command, exit) =>
        hooks['tool.execute.after']({ tool: 'bash', sessionID: 's', args: { command } }, { metadata: { exit } })
      await bash('npm run check:staging', 1)
      await bash('curl staging:4210', 0)
      await bash('npm run check:staging', 0)
      await hooks.event({ event: { type: 'session.idle', properties: { sessionID: 's' } } })
    }
    process.stdout.write(JSON.stringify(said))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: process.env.PATH, HOME: home, ELFMEM_HOOKS_BUDGET_MS: '20000' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const out: Buffer[] = []
  child.stdout.on('data', (part) => out.push(part))
  await once(child, 'close')
  return JSON.parse(Buffer.concat(out).toString())
}

test('the opencode plugin adds memory to a message once, and a passing check is evidence for it', async () => {
  const { memory, learn } = await openTestMemory()
  const [port = ''] = await learn('Staging listens on port 4210.')
  const home = realpathSync(temporaryFolder())
  const cwd = join(home, 'app')
  mkdirSync(cwd)
  const hooks = new Hooks(memoriesOf(memory), OPTIONS)
  const listening = listenForHooks(hooks, { cwd, home }, () => undefined)
  onTestFinished(() => listening.close())
  await listening.ready
  const [first, second] = await played(home, cwd)
  expect(first?.[1]).toMatchObject({
    synthetic: true,
    text: expect.stringContaining('4210'),
    id: expect.stringMatching(/^prt_/),
  })
  expect(second).toHaveLength(1)
  await hooks.close()
  const { operations } = await memory.history({ operation: 'settle' })
  expect(operations).toMatchObject([{ blockIds: [port], reason: 'implicit: check' }, {}])
  // Nobody typed what an agent asks another one, nor the words of a file.
  expect((await memory.ls({ tag: 'captured', status: 'inbox' })).blocks).toEqual([])
})
