import { expect, onTestFinished, test } from 'vitest'
import { openMemory, type RemoteOptions } from '../../src/client/index.ts'
import { openProxy } from '../helpers/line-proxy.ts'
import { refusal } from '../helpers/memory.ts'
import { answering, atService, hostile } from './world.ts'

const token = 'elfmem_token-of-a-test'

/** Opens a memory through a proxy. */
async function through(options: Partial<RemoteOptions> = {}) {
  const { service, token: own, memory: near } = await atService()
  const proxy = await openProxy(Number(new URL(service.url).port))
  const memory = await openMemory(proxy.through(service.url), { token: own, ...options })
  onTestFinished(() => memory.close())
  const keys = () => [...proxy.seen().matchAll(/^idempotency-key: (\S+)/gim)].map(([, key]) => key)
  return { memory, near, keys, proxy }
}

test.each([
  ['before it', undefined],
  ['before the answer', 0],
  ['in the answer', 60],
])('a write whose line is cut %s twice is done once, under one key', async (_, passes) => {
  const { memory, near, proxy, keys } = await through()
  const loss = { asked: /remember/, ...(passes === undefined ? {} : { passes }) }
  if (passes === undefined) {
    // A line that is kept open would not be refused.
    proxy.cut()
    proxy.refuse(2)
  } else proxy.lose(loss, loss)
  const { blockId } = await memory.remember({ content: 'Tea is at four' })
  expect(new Set(keys()).size).toBe(1)
  expect(keys()).toHaveLength(passes === undefined ? 1 : 3)
  const { operations } = await near.history({ lastN: 10 })
  expect(operations.filter((each) => each.operation === 'remember')).toHaveLength(1)
  expect((await near.show({ blockId })).block.content).toBe('Tea is at four')
  await memory.remember({ content: 'The kettle is blue' })
  expect(new Set(keys()).size).toBe(2)
})

test('a line that stays cut, or silent, ends in a clear error', async () => {
  const cut = await through({ retries: 2 })
  cut.proxy.cut()
  cut.proxy.refuse(3)
  const { location } = cut.memory
  expect(await refusal(cut.memory.status())).toMatchObject({ code: 'STORE_FAILED', details: { location } })
  const silent = await through({ timeoutMs: 300 })
  silent.proxy.hold()
  expect(await refusal(silent.memory.status())).toMatchObject({ code: 'STORE_FAILED' })
})

test('a signal ends a call that waits, and one that is to be sent again', async () => {
  const { memory, proxy } = await through()
  const left = () => {
    const leaving = new AbortController()
    const asked = refusal(memory.status({}, { signal: leaving.signal }))
    leaving.abort()
    return asked
  }
  proxy.hold()
  expect(await left()).toMatchObject({ code: 'CANCELLED' })
  proxy.cut()
  proxy.refuse(9)
  expect(await left()).toMatchObject({ code: 'CANCELLED' })
})

test('a service without room is asked again when it says, and not for ever', async () => {
  const busy = (status: number) => ({ status, body: '{"code":"STORE_BUSY","error":"x"}', retryAfter: '0' })
  const { url, asked } = await answering([busy(503), busy(429), { status: 200, body: '{"summary":"x"}' }])
  await using memory = await openMemory(url, { token })
  expect(await memory.status()).toEqual({ summary: 'x' })
  expect(asked()).toBe(3)
  const limited = '{"code":"RATE_LIMITED","error":"x","details":{"retryAfterSeconds":1}}'
  const never = await answering([{ status: 429, body: limited }])
  await using other = await openMemory(never.url, { token, retries: 1 })
  expect(await refusal(other.status())).toMatchObject({
    ...{ code: 'RATE_LIMITED', details: { retryAfterSeconds: 1 } },
  })
  expect(never.asked()).toBe(2)
})

test.each([
  ['no JSON', 200, '<html>hello'],
  ['of another shape', 200, '{"name":"x","limits":{}}'],
  ['an error without a code', 500, '{"error":"x"}'],
  ['an error of another program', 404, '<html>no'],
  ['a code that is unknown', 500, '{"code":"BOOM","error":"x","recovery":"y"}'],
])('an answer that is %s is a clear error', async (_, status, body) => {
  const { url } = await answering([{ status, body }])
  await using memory = await openMemory(url, { token, retries: 0 })
  const recovery = expect.stringMatching(/\w/)
  expect(await refusal(memory.status())).toMatchObject({ code: 'STORE_FAILED', recovery })
})

test('an answer without an end is not read without an end', async () => {
  const url = await hostile((_, told) => {
    const more = () => {
      while (!told.destroyed && told.write('x'.repeat(2 ** 20)));
      if (!told.destroyed) told.once('drain', more)
    }
    more()
  })
  await using memory = await openMemory(url, { token })
  expect(await refusal(memory.status())).toMatchObject({ code: 'STORE_FAILED' })
})

test.each([302, 307])('a redirect (%d) is not followed, so no token goes there', async (status) => {
  const elsewhere = await answering([{ status: 200, body: '{}' }])
  const { url } = await answering([{ status, body: '', location: `${elsewhere.url}/v1/status` }])
  await using memory = await openMemory(url, { token })
  expect(await refusal(memory.status())).toMatchObject({ code: 'STORE_FAILED' })
  expect(elsewhere.asked()).toBe(0)
})

test('a failure that repeats the token, or commands a terminal, is told without them', async () => {
  const told = { code: 'INVALID_INPUT', error: `Bearer ${token}\u001b[2J`, recovery: `Send ${token}.` }
  const { url } = await answering([{ status: 400, body: JSON.stringify(told) }])
  await using memory = await openMemory(url, { token })
  const failure = await refusal(memory.status())
  expect(failure.code).toBe('INVALID_INPUT')
  expect(failure.message + failure.recovery).not.toContain(token)
  expect(failure.message).not.toContain('\u001b')
})
