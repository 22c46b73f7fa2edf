import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { memoryTools, type WithMemoryOptions, withMemory } from '../../../src/integrations/ai-sdk/index.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { SDKS, type Sdk, type Step } from './sdks.ts'

const STAGING = 'Staging listens on port 4210.'
const user = (content: string) => ({ role: 'user', content })

/** A tool of the program: a command fails if it says so. */
const sh = {
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }: { readonly command: string }) => {
    if (failing.delete(command)) throw new Error('exit 1')
    return 'exit 0'
  },
}
const failing = new Set<string>()

/** Plays two messages and returns what the memory holds of the block about staging. */
async function taught(
  sdk: Sdk,
  steps: readonly Step[],
  next: string,
  options: Partial<WithMemoryOptions> = {},
) {
  const { memory, learn } = await openTestMemory()
  const [staging = ''] = await learn(STAGING)
  const scripted = sdk.scripted(...steps, { say: 'Done.' }, { say: 'Well.' }, { say: 'Well.' })
  const tools = { ...memoryTools(memory), sh }
  const play = async (messages: readonly object[]) => {
    const middleware = withMemory(memory, { conversation: 'c', learn: 'implicit', ...options })
    return sdk.generate({ model: sdk.wrapped(scripted.model, middleware), messages, tools }, 8)
  }
  const asked = [user('Deploy to staging, please.')]
  const { messages } = await play(asked)
  for (const _ of [1, 2]) await play([...asked, ...messages, user(next)])
  const { outcomes } = await memory.show({ blockId: staging })
  const { operations } = await memory.history({ operation: 'settle' })
  return { memory, staging, outcomes, operations }
}

const command = (line: string): Step => ({ call: 'sh', input: { command: line } })

describe.each(SDKS)('with $name', (sdk) => {
  test('a check that failed and passed after a block was used is evidence for it', async () => {
    failing.add('npm test')
    const steps = [command('npm test'), command('ship --port 4210'), command('npm test')]
    const { outcomes, operations } = await taught(sdk, steps, 'Thanks.')
    expect(outcomes).toMatchObject([{ source: 'implicit: check' }])
    expect(operations).toMatchObject([{ actor: expect.stringContaining('library:ai-sdk') }])
  })

  test('a correction of the user is evidence against a block, once however often it is sent', async () => {
    const { memory, outcomes, operations, staging } = await taught(
      sdk,
      [command('curl localhost:4210')],
      'No, 4210 is the old port.',
    )
    expect(outcomes).toMatchObject([{ source: 'implicit: correction' }])
    expect(operations).toHaveLength(1)
    const { block } = await memory.show({ blockId: staging })
    expect(block.confidence).toBeLessThan(0.5)
  })

  test('calls of the memory itself and learn off leave no evidence', async () => {
    failing.add('npm test')
    const own: Step = { call: 'memory_remember', input: { content: 'The console is at 4210 as well.' } }
    const steps = [command('npm test'), own, command('npm test')]
    expect((await taught(sdk, steps, 'Thanks.')).outcomes).toEqual([])
    failing.add('npm test')
    const used = [command('npm test'), command('ship --port 4210'), command('npm test')]
    const off = await taught(sdk, used, 'No, 4210 is wrong.', { learn: 'off' })
    expect([off.outcomes, off.operations]).toEqual([[], []])
  })
})
