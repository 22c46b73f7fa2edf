import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { type StreamEvent, serve, stream } from './helpers/served.ts'

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

test('a stream sends hello, then what anybody writes, once and in order', async () => {
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

test('a stream of one scope tells of nothing else', async () => {
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

test('a dashboard that ends sends bye and ends its streams', async () => {
  const { page } = await both()
  const events = await stream(page)
  await events.until(called('hello'))
  await page.dashboard.close()
  expect((await events.until(called('bye'))).at(-1)?.event).toBe('bye')
  await events.ended
})
