import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { operations } from '../../src/operations/table.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import { isServed } from '../../src/surfaces/dashboard/served.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { createTestTimer } from '../helpers/timer.ts'
import { CALLS, livedMemory } from './helpers/lived.ts'
import { send, serve } from './helpers/served.ts'

const served = operations.filter(isServed)

/** Why a page may not call an operation. */
const HIDDEN: Readonly<Record<string, string>> = {
  rememberMany: 'a page takes in one thing at a time; a program brings many',
  learnDocument: 'a document is a file of this machine',
  restoreBackup: 'it takes the place of the whole memory, which the command line asks about',
  reembed: 'it is about the model of the settings, which a page does not change',
  export: 'it writes a file of this machine',
  import: 'it reads a file of this machine',
  importFrom: 'it reads a file of this machine',
  guide: 'it tells agents what to call',
}

test('every operation is served or has a reason not to be', () => {
  const hidden = operations.filter((each) => !isServed(each)).map(({ name }) => name)
  expect(hidden.sort()).toEqual(Object.keys(HIDDEN).sort())
  expect(served.map(({ name }) => name).sort()).toEqual(Object.keys(CALLS).sort())
})

test('an operation that must be told a place on this machine is not served', () => {
  const importFrom = operations.find(({ name }) => name === 'importFrom')!
  expect(importFrom.dashboard).toBeUndefined()
  expect(isServed(importFrom)).toBe(false)
})

const idIn = ({ decisions }: Readonly<Record<string, unknown>>) =>
  (decisions as readonly { readonly id: string }[])[0]!.id

test('a page calls each operation that is served, and both views, as the owner named dashboard', async () => {
  const { path, clock, ids, waiting, memory } = await livedMemory()
  const page = await serve({ path, clock })
  for (const [name, input] of Object.entries(CALLS)) {
    const asked = { ...input({ ids, waiting }) } as Record<string, unknown>
    if (name === 'decide') asked.id = idIn((await page.operation('decisions', { kind: 'proposal' })).body)
    const { status, body } = await page.operation(name, asked)
    expect([name, status, body.error]).toEqual([name, 200, undefined])
    expect([name, typeof body.summary]).toEqual([name, 'string'])
  }
  const settings = await page.view('settings')
  expect(settings.body.settings).toContainEqual(
    expect.objectContaining({ name: 'memory.inbox_threshold', isDefault: true, reason: expect.any(String) }),
  )
  expect((await page.view('place')).body).toMatchObject({
    ...{ file: path, version: '0.0.0-test', readOnly: false, configs: [] },
    backups: [{ by: 'owner', at: '2026-03-03T15:00:00.000Z', name: expect.stringMatching(/\.db$/) }],
  })
  const { operations: entries } = await memory.history({ limit: 100, actor: 'dashboard' })
  expect(entries.map(({ operation }) => operation)).toEqual(
    expect.arrayContaining(['remember', 'edit', 'decide']),
  )
  expect(page.errors).toEqual([])
})

test('each refusal has its status, and says what to do', async () => {
  const page = await serve()
  const { operation, view, post, port, headers } = page
  expect(await operation('show', { blockId: 'aaaaaaaa' })).toMatchObject({
    ...{
      status: 404,
      body: { error: 'NOT_FOUND', message: expect.any(String), recovery: expect.any(String) },
    },
  })
  expect((await operation('tables')).status).toBe(404)
  expect((await operation('toString')).status).toBe(404)
  expect((await view('toString')).status).toBe(404)
  expect((await view('constructor')).status).toBe(404)
  expect((await view('overview')).status).toBe(404)
  expect(await operation('show', { block: 1 })).toMatchObject({
    ...{ status: 422, body: { error: 'INVALID_INPUT', details: { operation: 'show' } } },
  })
  for (const body of ['', '[]', '{', 'null', '"x"', '{}{}'])
    expect((await send(port, '/api/operations/show', { method: 'POST', headers, body })).status).toBe(422)
  expect(await operation('remember', { content: '' })).toMatchObject({
    status: 422,
    body: { error: 'INVALID_INPUT' },
  })
  expect(await operation('backup', { path: '/tmp/elsewhere.db' })).toMatchObject({ status: 422 })
  expect(existsSync('/tmp/elsewhere.db')).toBe(false)
  expect((await post('/api/operations/export')).status).toBe(404)
})

test('odd ids and odd texts are data, and come back as they were', async () => {
  const page = await serve()
  for (const blockId of [
    '../../etc/passwd',
    "' OR 1=1 --",
    '\u0000aaaa',
    '\ud800aaaa',
    '💣💣💣💣',
    '<script>',
    'ä'.repeat(64),
  ])
    expect([404, 422]).toContain((await page.operation('show', { blockId })).status)
  const content = `<img src=x onerror=alert(1)> \u202edecb\u202c ${'word '.repeat(400)}`
  const { body } = await page.operation('remember', { content, tags: ['</script>'] })
  const { text, headers } = await page.operation('show', { blockId: body.blockId })
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(text).toContain('<img src=x onerror=alert(1)>')
})

test('with --read-only nothing is called that changes anything, and recall only looks', async () => {
  const { path, clock, ids, waiting, memory } = await livedMemory()
  const page = await serve({ path, clock, readOnly: true })
  const before = await memory.history({ limit: 200 })
  for (const { name, effect } of served) {
    const { status, body } = await page.operation(name, CALLS[name]!({ ids, waiting }))
    const isLook = effect === 'read' || name === 'recall'
    expect([name, status, body.error]).toEqual(isLook ? [name, 200, undefined] : [name, 403, 'READ_ONLY'])
  }
  expect((await page.operation('recall', { query: 'ferry', reinforce: true })).status).toBe(422)
  expect((await page.operation('recall', { query: 'ferry' })).status).toBe(200)
  expect((await page.view('place')).body.readOnly).toBe(true)
  expect(await memory.history({ limit: 200 })).toEqual(before)
})

test('within a scope a page sees nothing of another, and leaves it by no argument', async () => {
  const { memory, path, clock } = await openTestMemory()
  const { blockId } = await memory.remember({
    content: 'The vault of Borealis opens at nine.',
    scope: 'theirs',
  })
  await memory.remember({ content: 'The lighthouse is mine.', scope: 'mine' })
  await memory.dream()
  const page = await serve({ path, clock, scope: 'mine' })
  expect((await page.operation('show', { blockId })).status).toBe(404)
  expect((await page.operation('ls', { scope: 'theirs' })).body.error).toBe('OUT_OF_SCOPE')
  expect((await page.operation('ls', {})).text).not.toMatch(/Borealis/)
  expect((await page.view('place')).body).toMatchObject({ scope: 'mine', scopes: [] })
})

/** An embedder that answers when it is let, or when its call ends. */
function waitingEmbedder() {
  const { promise: isLet, resolve: letGo } = Promise.withResolvers<void>()
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>()
  const hashing = createHashingEmbedder()
  let ends = 0
  const embedder: Embedder = {
    ...hashing,
    embed: async (texts, options) => {
      options?.signal?.throwIfAborted()
      asked()
      const ended = new Promise<never>((_, reject) => {
        options?.signal?.addEventListener('abort', () => {
          ends += 1
          reject(options.signal?.reason)
        })
      })
      await Promise.race([isLet, ended])
      return hashing.embed(texts, options)
    },
  }
  return { embedder, letGo, isAsked, aborted: () => ends }
}

test('sixteen calls run at once, the next one is asked to come again', async () => {
  const { embedder, letGo } = waitingEmbedder()
  const { path, learn } = await openTestMemory()
  await learn('Tea is at four.')
  const page = await serve({ path, embedder })
  const recall = (at: number) =>
    page.operation('recall', { query: `when is tea number ${at}`, reinforce: false })
  const answers = Array.from({ length: 17 }, (_, at) => recall(at))
  expect(await Promise.race(answers)).toMatchObject({ status: 429, body: { error: 'TOO_MANY' } })
  letGo()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(16)
  expect((await page.operation('status')).status).toBe(200)
})

test('a call that takes longer than half a minute is cancelled, but for those that work as long as there is to do', async () => {
  const { embedder, letGo, isAsked } = waitingEmbedder()
  const { path, learn, memory, clock } = await openTestMemory()
  await learn('Tea is at four.')
  await memory.remember({ content: 'The kettle is blue.' })
  const timer = createTestTimer(clock)
  const page = await serve({ path, clock, embedder, timer })
  const recall = page.operation('recall', { query: 'when is tea', reinforce: false })
  await isAsked
  const dream = page.operation('dream')
  await timer.pass(30_000)
  expect(await recall).toMatchObject({
    ...{ status: 422, body: { error: 'CANCELLED', message: expect.stringContaining('30 seconds') } },
  })
  letGo()
  expect(await dream).toMatchObject({ status: 200, body: { promoted: 1 } })
})

test('a call ends when whoever asked is gone', async () => {
  const { embedder, isAsked, aborted } = waitingEmbedder()
  const { path, learn } = await openTestMemory()
  await learn('Tea is at four.')
  const page = await serve({ path, embedder })
  const leaving = new AbortController()
  const called = send(page.port, '/api/operations/recall', {
    ...{ method: 'POST', headers: page.headers, signal: leaving.signal },
    body: JSON.stringify({ query: 'when is tea', reinforce: false }),
  }).catch((error: Error) => error.name)
  await isAsked
  leaving.abort()
  expect(await called).toBe('AbortError')
  await expect.poll(aborted).toBe(1)
  expect((await page.operation('status')).status).toBe(200)
})

test('however many say nothing, a page is answered, and a head has an end', async () => {
  const page = await serve()
  const silent = Array.from({ length: 60 }, () => connect({ host: '127.0.0.1', port: page.port }))
  for (const socket of silent) socket.on('error', () => undefined)
  await Promise.all(silent.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
  expect((await page.operation('status')).status).toBe(200)
  await expect
    .poll(() => silent.filter(({ destroyed, closed }) => !destroyed && !closed).length)
    .toBeLessThanOrEqual(32)
  for (const socket of silent) socket.destroy()
  const long = await send(page.port, '/', { headers: { 'x-long': 'x'.repeat(17_000) } })
  expect(long.status).toBe(431)
})

test('only this machine reaches it', async () => {
  const { port } = await serve()
  const others = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal }) => !internal)
  for (const { address, scopeid } of others) {
    const host = scopeid ? `${address}%${scopeid}` : address
    const code = await new Promise((resolve) => {
      const socket = connect({ host, port })
      socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
      socket.on('connect', () => resolve('connected'))
    })
    expect([host, code]).not.toEqual([host, 'connected'])
  }
  // Nobody listens there on the address of all.
  const other = createServer()
  const code = await new Promise((resolve) => {
    other.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
    other.listen({ host: '127.0.0.2', port }, () => resolve('free'))
  })
  other.close()
  expect(code).toBe('free')
})
