import { expect, test } from 'vitest'
import { ElfmemStore } from '../../src/integrations/langgraph/index.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'

const PASSWORD = 'Br4mble&Quay77'
const KEY = 'q8w7e6r5t4y3u2i1o0pA'
const keep = { settings: { memory: { secrets: 'keep' } } } as const

const SECRETS: readonly unknown[] = [
  { password: PASSWORD },
  { password: 'lanternfish' },
  { password: 'a"quoted\'9word\\' },
  { password: 'correct horse 9 battery' },
  { api_key: KEY },
  { secret: KEY, token: KEY },
  { db: { host: 'db.example', password: PASSWORD } },
  { users: [{ name: 'Ana', password: PASSWORD }] },
  { password: [PASSWORD] },
  [{ name: 'DB_PASSWORD', value: PASSWORD }],
  { headers: { 'x-api-key': KEY } },
  { clientSecret: KEY },
  { Passwort: PASSWORD },
]

const stringsIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [String(value)]

test('the name of a field of an item makes its value a secret, as in the same words', async () => {
  const { memory } = await openTestMemory()
  for (const value of SECRETS) {
    const kept = await memory.items('app').put({ key: 'k', value })
    const given = stringsIn(value).filter((text) => !['Ana', 'db.example', 'DB_PASSWORD'].includes(text))
    expect(stringsIn(kept.value).filter((text) => given.includes(text))).toEqual([])
    expect(
      stringsIn(kept.value).filter((text) => /^\[redacted: (?:password|secret)\]$/.test(text)),
    ).toHaveLength(given.length)
  }
})

test('the key of an item names what its value is', async () => {
  const { memory } = await openTestMemory()
  const { value } = await memory.items('app').put({ key: 'openai_api_key', value: KEY })
  expect(value).toBe('[redacted: secret]')
})

test('a field that only sounds like a secret, or says where one is, stays as it is', async () => {
  const { memory } = await openTestMemory()
  const values = [
    { password: 'required', passwordRules: 'required|min:12', password_file: '/run/secrets/db' },
    { password: '<your password>', token: '$TOKEN', secret: 'process.env.SECRET' },
    { token: 'word', maxTokens: 4096, token_count: '12345678901234' },
    { key: 'users/ana/2026-11-26/notes-4', author: 'Marisol Tallgrass 2' },
    { properties: { password: { type: 'string', title: 'Password' } } },
    { note: '[redacted: password]', password: '[redacted: password]' },
  ]
  for (const value of values)
    expect((await memory.items('app').put({ key: 'k', value })).value).toEqual(value)
})

test('a text of an item that repeats a value its name gave away is kept without it, too', async () => {
  const { memory } = await openTestMemory()
  const store = new ElfmemStore(memory)
  await store.put(['users', 'Ana'], 'login', {
    site: 'harbour.example',
    password: PASSWORD,
    hint: 'lanternfish',
  })
  await memory.items('app').put({ key: 'k', value: { token: KEY }, texts: [`Ana uses ${KEY} here.`] })
  await memory.dream()
  const { blocks } = await memory.ls({})
  expect(blocks.map(({ content }) => content).sort()).toEqual([
    'Ana uses [redacted: secret] here.',
    'harbour.example\n[redacted: password]\nlanternfish',
  ])
})

test('where secrets are refused, a field is refused by its name and nothing is kept', async () => {
  const { memory } = await openTestMemory({ settings: { memory: { secrets: 'refuse' } } })
  const refused = await refusal(memory.items('app').put({ key: 'k', value: { db: { password: PASSWORD } } }))
  expect(refused.code).toBe('SECRET_REFUSED')
  expect(refused.message).toContain('writes[0].value.db.password')
  expect(refused.message).not.toContain(PASSWORD)
  expect((await memory.items('app').list()).items).toEqual([])
})

test('doctor finds each value of an item that its name gives away, once, and none in what was redacted', async () => {
  const { path, memory: lax } = await openTestMemory(keep)
  await lax.items('app').put({ key: 'k', value: { db: { password: PASSWORD }, note: 'Tea is at four.' } })
  await lax.items('app').put({ key: 'service_token', value: KEY })
  const { memory } = await openTestMemory({ path })
  const found = (await memory.doctor({ secrets: true })).keptSecrets
  expect(found?.filter(({ place }) => place === 'item').map(({ kind, item }) => [kind, item?.key])).toEqual([
    ['password', 'k'],
    ['secret', 'service_token'],
  ])
  const clean = await openTestMemory()
  for (const value of SECRETS) await clean.memory.items('app').put({ key: 'k', value })
  expect((await clean.memory.doctor({ secrets: true })).keptSecrets).toEqual([])
})

test('an export with such values is taken without them', async () => {
  const { memory: lax } = await openTestMemory(keep)
  await lax.items('app').put({ key: 'k', value: { db: { password: PASSWORD } } })
  const { path } = await lax.export({ name: 'all.jsonl' })
  const { memory } = await openTestMemory()
  await memory.import({ path: path!, trusted: true })
  expect((await memory.items('app').get({ key: 'k' }))?.value).toEqual({
    db: { password: '[redacted: password]' },
  })
})
