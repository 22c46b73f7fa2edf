import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import type { Memory } from '../../../src/engine/memory.ts'
import { ElfmemError } from '../../../src/errors.ts'
import { handMadeModel } from '../../helpers/hand-made-model.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { statements } from '../../helpers/words.ts'
import { elfmem, temporaryDirectory } from '../../surfaces/helpers/cli.ts'

type Asked = Parameters<Memory['doctor']>[0]

/** Returns one check of doctor by its name. */
async function check(memory: Memory, name: string, asked: Asked = {}) {
  const { checks } = await memory.doctor(asked)
  return checks.find((each) => each.name === name)
}

const works = () => handMadeModel(() => '{"ok": true}')

const fails = (kind: string) =>
  handMadeModel(
    () =>
      new ElfmemError('MODEL_FAILED', `It said ${kind}.`, {
        recovery: `Mend the ${kind}.`,
        details: { kind },
      }),
  )

test('doctor of a new memory is ok, asks neither embedder nor model and writes nothing', async () => {
  const model = works()
  const embedder = { ...createHashingEmbedder(), embed: () => Promise.reject(new Error('asked')) }
  const { memory } = await openTestMemory({ languageModel: model, embedder })
  const { outcome, checks, tokens } = await memory.doctor()
  expect([outcome, tokens, model.asked]).toEqual(['ok', 0, []])
  const names = checks.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names).toEqual(expect.arrayContaining(['store', 'vectors', 'model']))
  expect((await memory.history()).operations).toEqual([])
})

test('doctor gives a recovery for everything that is not well', async () => {
  const first = await openTestMemory()
  await first.learn(...statements(3))
  const { memory } = await openTestMemory({
    path: first.path,
    embedder: createHashingEmbedder({ dimensions: 8 }),
    languageModel: fails('key'),
  })
  for (const content of statements(20)) await memory.remember({ content: `again ${content}` })
  const { checks, outcome } = await memory.doctor({ resolve: true })
  const bad = checks.filter((each) => each.outcome === 'warn' || each.outcome === 'fail')
  expect(bad.map(({ name }) => name)).toEqual(['vectors', 'inbox', 'judgements', 'embedding', 'answer'])
  expect(bad.every(({ recovery = '' }) => recovery !== '')).toBe(true)
  expect(outcome).toBe('fail')
})

test('doctor with resolve asks the model once and logs its tokens', async () => {
  const model = works()
  const { memory } = await openTestMemory({ languageModel: model })
  const { outcome, tokens } = await memory.doctor({ resolve: true })
  expect([outcome, tokens, model.asked.length]).toEqual(['ok', 15, 1])
  expect((await memory.status()).tokens).toMatchObject({ today: 15, lifetime: { llmCalls: 1 } })
  const used = { llmCalls: 1, llmInputTokens: 10, llmOutputTokens: 5 }
  expect((await memory.history({ operation: 'doctor' })).operations).toMatchObject([{ tokens: used }])
})

test('status is degraded until doctor finds that the model answers again', async () => {
  let broken = true
  const model = handMadeModel(() => (broken ? new Error('gone fishing') : '{"ok": true}'))
  const { memory } = await openTestMemory({ languageModel: model })
  await memory.doctor({ resolve: true })
  const before = await memory.status()
  expect(before.health).toBe('degraded')
  expect(before.reasons[0]).toContain('gone fishing')
  expect(await check(memory, 'model')).toMatchObject({ outcome: 'warn' })
  broken = false
  await memory.doctor({ resolve: true })
  expect(await memory.status()).toMatchObject({ health: 'good', reasons: [] })
})

test('elfmem doctor exits with 1 when a check fails, and prints no key', async () => {
  const home = temporaryDirectory()
  const env = {
    ELFMEM_LLM_MODEL: 'some-model',
    ELFMEM_LLM_BASE_URL: 'http://127.0.0.1:9/v1',
    ELFMEM_LLM_API_KEY_ENV: 'MY_KEY',
  }
  const without = await elfmem(['doctor', '--resolve', '--json'], { home, env })
  expect(without.code).toBe(1)
  const recovery = expect.stringContaining('MY_KEY')
  const answer = expect.objectContaining({ name: 'answer', outcome: 'fail', recovery })
  expect(JSON.parse(without.out)).toMatchObject({ outcome: 'fail', checks: expect.arrayContaining([answer]) })
  const withKey = await elfmem(['doctor'], { home, env: { ...env, MY_KEY: 'very-secret' } })
  expect(withKey.code).toBe(0)
  expect(withKey.out + withKey.err).not.toContain('very-secret')
})
