import { expect, onTestFinished, test } from 'vitest'
import { openMemory } from '../../src/client/index.ts'
import { atService, type Fate, failureOf, hostile, proxy } from './world.ts'

const token = 'elfmem_token-of-a-test'

/** Opens a memory through a proxy, whose later connections have the fates. */
async function through(
  fates: Fate[],
  options: { readonly retries?: number; readonly timeoutMs?: number } = {},
) {
  const { service, token: own, memory: near } = await atService()
  const line = await proxy(service.url, [])
  const memory = await openMemory(line.url, { token: own, ...options })
  onTestFinished(() => memory.close())
  // A connection that is kept open would escape its fate.
  line.cut()
  line.fates.push(...fates)
  return { memory, near, line, service }
}

test.each<Fate>(['cut before', 'cut the answer', 'half'])(
  'a write on a line that is %s is done once, under one key',
  async (fate) => {
    const { memory, near, line } = await through([fate, fate])
    const { blockId } = await memory.remember({ content: 'Tea is at four' })
    const keys = line.keys()
    expect(new Set(keys).size).toBe(1)
    expect(keys).toHaveLength(fate === 'cut before' ? 1 : 3)
    const { operations } = await near.history({ lastN: 10 })
    expect(operations.filter((each) => each.operation === 'remember')).toHaveLength(1)
    expect((await near.show({ blockId })).block.content).toBe('Tea is at four')
    await memory.remember({ content: 'The kettle is blue' })
    expect(new Set(line.keys()).size).toBe(2)
  },
)

test('a read is sent again', async () => {
  const { memory, line } = await through(['half', 'cut the answer'])
  expect((await memory.status()).summary).not.toBe('')
  expect(line.keys()).toHaveLength(3)
})

test('a line that stays cut, or silent, ends in a clear error', async () => {
  const cut = await through(['cut before', 'cut before', 'cut before'], { retries: 2 })
  const failure = await failureOf(cut.memory.status())
  expect(failure).toMatchObject({ code: 'STORE_FAILED', details: { location: cut.line.url } })
  const silent = await through(['silent'], { timeoutMs: 300 })
  expect(await failureOf(silent.memory.status())).toMatchObject({ code: 'STORE_FAILED' })
})

test('a signal ends a call that waits, and one that is to be sent again', async () => {
  const { memory } = await through(['silent', 'cut before'])
  for (const _ of ['silent', 'cut']) {
    const leaving = new AbortController()
    const asked = failureOf(memory.status({}, { signal: leaving.signal }))
    leaving.abort()
    expect(await asked).toMatchObject({ code: 'CANCELLED' })
  }
})

test('a service without room is asked again when it says', async () => {
  let asked = 0
  const url = await hostile((_, told) => {
    asked += 1
    told.setHeader('content-type', 'application/json')
    told.statusCode = asked === 1 ? 503 : asked === 2 ? 429 : 200
    if (asked < 3) told.setHeader('retry-after', '0')
    told.end(
      JSON.stringify(
        asked < 3 ? { code: 'STORE_BUSY', error: 'Busy.', recovery: 'Wait.' } : { summary: 'x' },
      ),
    )
  })
  await using memory = await openMemory(url, { token })
  expect(await memory.status()).toEqual({ summary: 'x' })
  expect(asked).toBe(3)
})

test('a service that never has room says so after some attempts', async () => {
  let asked = 0
  const url = await hostile((_, told) => {
    asked += 1
    told.statusCode = 429
    told.end(
      JSON.stringify({
        code: 'RATE_LIMITED',
        error: 'Slow.',
        recovery: 'Wait.',
        details: { retryAfterSeconds: 1 },
      }),
    )
  })
  await using memory = await openMemory(url, { token, retries: 1 })
  expect(await failureOf(memory.status())).toMatchObject({
    code: 'RATE_LIMITED',
    details: { retryAfterSeconds: 1 },
  })
  expect(asked).toBe(2)
})

test.each([
  ['no JSON', 200, '<html>hello'],
  ['a list', 200, '[]'],
  ['nothing', 200, ''],
  ['half a value', 200, '{"summary":"x"'],
  ['an error without a code', 500, '{"error":"x"}'],
  ['an error of another program', 404, '<html>no'],
  ['a code that is unknown', 500, '{"code":"BOOM","error":"x","recovery":"y"}'],
])('an answer that is %s is a clear error', async (_, status, body) => {
  const url = await hostile((_asked, told) => {
    told.statusCode = status
    told.end(body)
  })
  await using memory = await openMemory(url, { token, retries: 0 })
  expect(await failureOf(memory.status())).toMatchObject({
    code: 'STORE_FAILED',
    recovery: expect.stringMatching(/\w/),
  })
})

test('an answer without an end is not read without an end', async () => {
  const url = await hostile((_, told) => {
    const more = (): void =>
      void (
        told.destroyed || (told.write('x'.repeat(2 ** 20)) ? setImmediate(more) : told.once('drain', more))
      )
    more()
  })
  await using memory = await openMemory(url, { token })
  expect(await failureOf(memory.status())).toMatchObject({ code: 'STORE_FAILED' })
})

test('a redirect is not followed, and the token goes nowhere else', async () => {
  let reached = 0
  const elsewhere = await hostile((_, told) => {
    reached += 1
    told.end('{}')
  })
  for (const status of [301, 302, 307, 308]) {
    const url = await hostile((_, told) => {
      told.writeHead(status, { location: `${elsewhere}/v1/status` })
      told.end()
    })
    await using memory = await openMemory(url, { token })
    expect(await failureOf(memory.status())).toMatchObject({ code: 'STORE_FAILED' })
  }
  expect(reached).toBe(0)
})

test('a failure that repeats the token, or commands a terminal, is told without them', async () => {
  const url = await hostile((_, told) => {
    told.statusCode = 400
    told.end(
      JSON.stringify({
        code: 'INVALID_INPUT',
        error: `Bearer ${token}\u001b[2J`,
        recovery: `Send ${token}.`,
      }),
    )
  })
  await using memory = await openMemory(url, { token })
  const failure = await failureOf(memory.status())
  expect(failure.code).toBe('INVALID_INPUT')
  expect(failure.message + failure.recovery).not.toContain(token)
  expect(failure.message).not.toContain('\u001b')
})
