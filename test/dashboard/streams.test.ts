import { expect, test } from 'vitest'
import { createTestClock } from '../helpers/clock.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { createTestTimer } from '../helpers/timer.ts'
import { type StreamEvent, send, serve, stream } from './helpers/served.ts'

const called =
  (name: string) =>
  ({ event }: StreamEvent) =>
    event === name
const entriesOf = (events: readonly StreamEvent[]) =>
  events
    .filter(called('operations'))
    .flatMap(({ data }) => data as readonly { id: number; operation: string; actor: string }[])

/** A dashboard, and a program that writes beside it. */
async function both() {
  const opened = await openTestMemory()
  await opened.memory.remember({ content: 'Said before anybody looked.' })
  return { ...opened, page: await serve({ path: opened.path, clock: opened.clock }) }
}

test('a stream says what it is, then what anybody writes, each entry once and in order', async () => {
  const { memory, path, page } = await both()
  const events = await stream(page)
  const [hello] = await events.until(called('hello'))
  expect(hello).toEqual({
    event: 'hello',
    id: '1',
    data: { version: '0.0.0-test', readOnly: false, location: path },
  })
  await memory.remember({ content: 'The kettle\nis blue.' })
  await page.operation('remember', { content: 'The lamp is lit.' })
  const seen = entriesOf(await events.until(({ id }) => id === '3'))
  expect(seen.map(({ id, operation, actor }) => [id, operation, actor])).toEqual([
    [2, 'remember', 'library as owner'],
    [3, 'remember', 'dashboard'],
  ])
  expect(seen[0]).toMatchObject({ first: 'The kettle is blue.', blockCount: 1, summary: expect.any(String) })
})

test('a page that asks before its stream is open misses nothing: with the token it gets the place where a stream goes on', async () => {
  const { memory, path, page } = await both()
  const code = page.dashboard.newCode()
  const { body } = await send(page.port, '/api/session', {
    ...{ method: 'POST', headers: page.headers, body: JSON.stringify({ code }) },
  })
  expect(body).toEqual({
    token: page.token,
    hello: { version: '0.0.0-test', readOnly: false, location: path },
    last: 1,
  })
  await memory.remember({ content: 'Said while the page was loading.' })
  const events = await stream(page, { 'last-event-id': String(body.last) })
  expect(entriesOf(await events.until(({ id }) => id === '2')).map(({ id }) => id)).toEqual([2])
})

test('a page that comes again hears what it missed; after more than two hundred it is told to load anew', async () => {
  const { memory, page } = await both()
  for (let at = 0; at < 3; at++) await memory.remember({ content: `Boat number ${at}.` })
  const again = await stream(page, { 'last-event-id': '2' })
  expect(entriesOf(await again.until(({ id }) => id === '4')).map(({ id }) => id)).toEqual([3, 4])
  await memory.session(async () => {
    for (let at = 0; at < 205; at++) await memory.remember({ content: `Quay number ${at}.` })
  })
  const late = await stream(page, { 'last-event-id': '2' })
  const events = await late.until(called('stale'))
  expect(events.find(called('stale'))?.data).toEqual({ id: Number(events.find(called('stale'))?.id) })
  expect(entriesOf(events)).toEqual([])
  for (const odd of ['x', '-1', '1e9', '99999999999999999999'])
    expect((await (await stream(page, { 'last-event-id': odd })).until(called('hello')))[0]?.id).toBeDefined()
})

test('every page hears how far a call is that has a name', async () => {
  const { memory, page } = await both()
  for (let at = 0; at < 40; at++)
    await memory.remember({ content: `Boat number ${at} lies at quay ${at * 7}.` })
  const pages = [await stream(page), await stream(page)]
  await page.post('/api/operations/dream', {}, { 'x-call': 'dream-1' })
  await page.post('/api/operations/curate', {}, { 'x-call': 'no name <b>' })
  for (const each of pages) {
    const progress = (await each.until(called('progress'))).filter(called('progress'))
    expect(progress[0]?.data).toEqual({
      call: 'dream-1',
      stage: expect.any(String),
      done: expect.any(Number),
      total: expect.any(Number),
    })
    expect(new Set(progress.map(({ data }) => (data as { call: string }).call))).toEqual(new Set(['dream-1']))
  }
})

test('within a scope a stream tells of nothing else', async () => {
  const { memory, path, clock } = await openTestMemory()
  const page = await serve({ path, clock, scope: 'mine' })
  const events = await stream(page)
  await memory.remember({ content: 'The vault of Borealis opens at nine.', scope: 'theirs' })
  await memory.remember({ content: 'The lighthouse is mine.', scope: 'mine' })
  const seen = await events.until(called('operations'))
  expect(seen[0]?.data).toMatchObject({ scope: 'mine' })
  expect(JSON.stringify(seen)).toContain('lighthouse')
  expect(JSON.stringify(seen)).not.toContain('Borealis')
})

test('a stream gives a sign of life each fifteen seconds', async () => {
  const clock = createTestClock()
  const timer = createTestTimer(clock)
  const { port, headers } = await serve({ clock, timer })
  const response = await fetch(`http://127.0.0.1:${port}/api/events`, {
    headers: { authorization: headers.authorization! },
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-store')
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader.read()).value).toContain('event: hello')
  for (let sign = 0; sign < 3; sign++) {
    await timer.pass(15_000)
    expect((await reader.read()).value).toBe(': \n\n')
  }
  await reader.cancel()
})

test('eight streams are open at once, the ninth is asked to come again', async () => {
  const page = await serve()
  const open = []
  for (let at = 0; at < 8; at++) open.push(await stream(page))
  const { authorization = '' } = page.headers
  const ninth = () => send(page.port, '/api/events', { headers: { authorization } })
  expect(await ninth()).toMatchObject({ status: 429, body: { error: 'TOO_MANY' } })
  open[0]?.close()
  await open[0]?.ended
  await expect.poll(async () => (await stream(page).catch(() => undefined)) !== undefined).toBe(true)
})

test('at its end every stream says goodbye', async () => {
  const { page } = await both()
  const events = await stream(page)
  await events.until(called('hello'))
  await page.dashboard.close()
  expect((await events.until(called('bye'))).at(-1)?.event).toBe('bye')
  await events.ended
})
