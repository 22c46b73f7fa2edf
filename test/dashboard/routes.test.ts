import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import { operations } from '../../src/operations/table.ts'
import { isServed } from '../../src/surfaces/dashboard/served.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { createTestTimer } from '../helpers/timer.ts'
import { CALLS, livedMemory } from './helpers/lived.ts'
import { send, serve } from './helpers/served.ts'

const served = operations.filter(isServed)

/** These operations need a path of this machine, replace the whole memory, or are for programs. */
const HIDDEN = [
  ...['rememberMany', 'learnDocument', 'restoreBackup', 'reembed', 'export', 'import', 'importFrom', 'guide'],
]

test('every operation is served but eight', () => {
  const hidden = operations.filter((each) => !isServed(each)).map(({ name }) => name)
  expect(hidden.sort()).toEqual(HIDDEN.sort())
  expect(served.map(({ name }) => name).sort()).toEqual(Object.keys(CALLS).sort())
})

const idIn = ({ decisions }: Readonly<Record<string, unknown>>) =>
  (decisions as readonly { readonly id: string }[])[0]!.id

test('each served operation and both views answer, under the name dashboard', async () => {
  const { path, clock, ids, waiting, memory } = await livedMemory()
  const page = await serve({ path, clock })
  for (const [name, input] of Object.entries(CALLS)) {
    const asked = { ...input({ ids, waiting }) } as Record<string, unknown>
    if (name === 'decide') asked.id = idIn((await page.operation('decisions', { kind: 'proposal' })).body)
    const { status, body } = await page.operation(name, asked)
    expect([name, status, body.error]).toEqual([name, 200, undefined])
    expect([name, typeof body.summary]).toEqual([name, 'string'])
  }
  expect((await page.view('settings')).body).toHaveProperty('settings')
  expect((await page.view('place')).body).toMatchObject({ file: path, readOnly: false, backups: [{}] })
  const { operations: entries } = await memory.history({ limit: 100, actor: 'dashboard' })
  expect(entries.map(({ operation }) => operation)).toEqual(
    expect.arrayContaining(['remember', 'edit', 'decide']),
  )
  expect(page.errors).toEqual([])
})

test('a refusal has a status, a code and a recovery', async () => {
  const page = await serve()
  const { operation, view, post, port, headers } = page
  expect(await operation('show', { blockId: 'aaaaaaaa' })).toMatchObject({
    status: 404,
    body: { error: 'NOT_FOUND', message: expect.any(String), recovery: expect.any(String) },
  })
  expect((await operation('toString')).status).toBe(404)
  expect((await view('toString')).status).toBe(404)
  expect((await view('place', { path: '/etc/passwd' })).status).toBe(422)
  expect(await operation('show', { block: 1 })).toMatchObject({
    status: 422,
    body: { error: 'INVALID_INPUT', details: { operation: 'show' } },
  })
  for (const body of ['', '[]', '{', 'null', '"x"', '{}{}'])
    expect((await send(port, '/api/operations/show', { method: 'POST', headers, body })).status).toBe(422)
  expect(await operation('backup', { path: '/tmp/elsewhere.db' })).toMatchObject({ status: 422 })
  expect(existsSync('/tmp/elsewhere.db')).toBe(false)
  expect((await post('/api/operations/export')).status).toBe(404)
})

test('with --read-only every operation that writes is 403, and recall reinforces nothing', async () => {
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

/** Makes an embedder that answers once it is let go, or throws when its call is cancelled. */
function waitingEmbedder() {
  const { promise: isLet, resolve: letGo } = Promise.withResolvers<void>()
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>()
  const hashing = createHashingEmbedder()
  const embedder: Embedder = {
    ...hashing,
    embed: async (texts, options) => {
      asked()
      const ended = new Promise<never>((_, reject) => {
        options?.signal?.addEventListener('abort', () => reject(options.signal?.reason))
      })
      await Promise.race([isLet, ended])
      return hashing.embed(texts, options)
    },
  }
  return { embedder, letGo, isAsked }
}

test('the seventeenth call at once is 429', async () => {
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

test('a recall is cancelled after 30 seconds, a dream is not', async () => {
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
  expect(await recall).toMatchObject({ status: 422, body: { error: 'CANCELLED' } })
  letGo()
  expect(await dream).toMatchObject({ status: 200, body: { promoted: 1 } })
})

test('the port is open on 127.0.0.1 alone', async () => {
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
})
