import { expect, test } from 'vitest'
import { settingsInForce } from '../../src/adapters/project/settings/settings-in-force.ts'
import { settingsSchema } from '../../src/engine/settings.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { createViews } from '../../src/views/table.ts'
import { callFor } from '../helpers/call-for.ts'
import { openOn, openStore } from '../helpers/scoped.ts'

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
