import { expect, test } from 'vitest'
import { settingsInForce } from '../../src/adapters/project/settings/settings-in-force.ts'
import { settingsSchema } from '../../src/config/settings.ts'
import { ElfmemError } from '../../src/errors.ts'
import { CAPABILITIES } from '../../src/flow/engine/engine.ts'
import { acceptCaller } from '../../src/flow/guard/accept-caller.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { operations } from '../../src/operations/table.ts'
import { createViews } from '../../src/views/table.ts'
import { callFor } from '../helpers/call-for.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { openOn, openStore } from '../helpers/scoped.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

const settings = settingsSchema.parse({
  embeddings: { baseUrl: 'https://ann:hunter2@models.example/v1?key=s3cret' },
})
const views: readonly Operation[] = Object.values(
  createViews({
    settings: () => settingsInForce(settings),
    database: { path: '/there.db', rule: '--db' },
    configs: [{ path: '/there.yaml', rule: 'home' }],
    version: '0.0.0-test',
    readOnly: false,
  }),
)

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'ok'
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return error.code
  }
}

test('no tool and no command is made of the views', async () => {
  const { memory } = await openTestMemory()
  const client = await connectClient(memory, { as: 'owner' })
  const { tools } = await client.listTools()
  for (const { name } of views) {
    expect(operations.some((each) => each.name === name)).toBe(false)
    expect(tools.map((tool) => tool.name)).not.toContain(`elfmem_${name}`)
  }
})

test('whoever may look may see the views, and nobody passes them anything', async () => {
  const { memory } = await openTestMemory()
  for (const as of CAPABILITIES)
    for (const view of views) {
      const call = (input: unknown) =>
        codeOf(callFor(memory, view, input, { principal: acceptCaller('dashboard', { as }) }))
      expect([as, view.name, await call({})]).toEqual([as, view.name, 'ok'])
      for (const odd of [{ path: '/etc/passwd' }, { scope: 'theirs' }, { toString: 1 }, [], 'x'])
        expect([view.name, odd, await call(odd)]).toEqual([view.name, odd, 'INVALID_INPUT'])
    }
})

test('a view holds no password, and within a scope nothing of another one', async () => {
  const store = await openStore()
  const whole = await openOn(store)
  await whole.remember({ content: 'Mine.', scope: 'mine' })
  await whole.remember({ content: 'Theirs.', scope: 'borealis' })
  const mine = await openOn(store, { scope: 'mine' })
  const seen = async (memory: typeof whole) =>
    JSON.stringify(await Promise.all(views.map((view) => callFor(memory, view, {}))))
  expect(await seen(whole)).toContain('borealis')
  expect((await seen(mine)).includes('borealis')).toBe(false)
  expect(await seen(whole)).toContain('https://models.example/v1')
  expect(await seen(whole)).not.toMatch(/hunter2|s3cret/)
})
