import { afterAll, beforeAll, expect, test } from 'vitest'
import { openServer, type Server } from '../../src/postgres/server.ts'
import type { Database, Rows } from '../../src/store/database.ts'
import { meta } from '../../src/store/tables.ts'
import { openProxy } from '../helpers/line-proxy.ts'
import { refusal } from '../helpers/memory.ts'
import { asSuperuser, LOCKED, LOCKED_PASSWORD, SUPERUSER } from '../helpers/postgres.ts'
import { describeServed } from './describe.ts'
import { scratch } from './served.ts'

const put = (key: string) => (rows: Rows) => rows.put(meta, [{ key, value: 'there' }])
const has = (database: Database, key: string) =>
  database.read(async (rows) => (await rows.get(meta, [[key]])).length > 0)

describeServed('a line to the database that breaks', (served) => {
  let proxy: Awaited<ReturnType<typeof openProxy>>
  let server: Server
  let memories = 0
  const port = () => Number(new URL(served().database.worker).port)
  const opened = async () => {
    memories += 1
    const name = `faults-${memories}`
    return { memory: await server.memory(name), straight: await served().server.memory(name) }
  }

  beforeAll(async () => {
    proxy = await openProxy(port(), { lasts: 'until closed' })
    server = await openServer(proxy.through(served().database.worker), {
      scratch,
      connections: 2,
      busyTimeoutMs: 2_000,
    })
  })
  afterAll(async () => {
    await server.close()
    await proxy.close()
  })

  test('during a write leaves nothing behind, and the next call goes on', async () => {
    const { memory, straight } = await opened()
    for (const harm of [proxy.cut, proxy.halfClose]) {
      const writing = memory.write(async (rows) => {
        await put('half')(rows)
        harm()
        await put('whole')(rows)
      }, {})
      expect(await refusal(writing)).toMatchObject({
        code: 'STORE_FAILED',
        details: { location: memory.location },
      })
      expect(await has(straight, 'half')).toBe(false)
      await memory.write(put('after'), {})
      expect(await has(straight, 'after')).toBe(true)
    }
  })

  test('while the write waits for its lock is told at once', async () => {
    const { memory, straight } = await opened()
    const { promise: may, resolve: end } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const holding = straight.write(async () => {
      begin()
      await may
    }, {})
    await begun
    const waiting = refusal(memory.write(put('never'), {}))
    const isWaiting =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    while ((await asSuperuser(served().database.superuser, isWaiting)).rowCount === 0);
    proxy.cut()
    expect(await waiting).toMatchObject({ code: 'STORE_FAILED' })
    end()
    await holding
    expect(await has(memory, 'never')).toBe(false)
  })

  test('before the answer to a commit says that the outcome is not known', async () => {
    const { memory, straight } = await opened()
    proxy.lose({ asked: /COMMIT/ })
    const failure = await refusal(memory.write(put('perhaps'), {}))
    expect(failure).toMatchObject({ code: 'STORE_FAILED', details: { outcome: 'unknown' } })
    expect(failure.recovery).not.toBe('')
    // Here the server had committed.
    expect(await has(straight, 'perhaps')).toBe(true)
    expect(await has(memory, 'perhaps')).toBe(true)
  })

  test('between two calls is noticed by no caller, though all connections are gone', async () => {
    const { memory } = await opened()
    for (const harm of [proxy.cut, proxy.halfClose]) {
      await Promise.all([has(memory, 'a'), has(memory, 'b')])
      harm()
      await memory.write(put('kept'), {})
      harm()
      expect(await has(memory, 'kept')).toBe(true)
      harm()
      expect(await memory.version()).toBeGreaterThan(0)
    }
  })

  test('of a server that answers no more lets others wait no longer than configured', async () => {
    const { memory } = await opened()
    const both = () => Promise.all([has(memory, 'a'), has(memory, 'b')])
    await both()
    proxy.hold()
    const waiting = both()
    expect(await refusal(has(memory, 'c'))).toMatchObject({ code: 'STORE_BUSY' })
    proxy.go()
    expect(await waiting).toEqual([false, false])
  })

  test('that another process holds its lock is busy when the wait is over', async () => {
    const { memory, straight } = await opened()
    const other = await served().server.memory('free')
    await straight.write(async () => {
      expect(await refusal(memory.write(put('b'), { waits: false }))).toMatchObject({ code: 'STORE_BUSY' })
      // Writers of other memories do not wait for it.
      await other.write(put('c'), {})
    }, {})
    await memory.write(put('d'), {})
  })
})

describeServed('a database that cannot be opened', (served) => {
  test.each<[string, string, (url: URL) => unknown]>([
    ['the port', 'STORE_FAILED', (url) => (url.port = '1')],
    ['the host', 'STORE_FAILED', (url) => (url.hostname = 'no-such-host.invalid')],
    ['the password', 'CONFIG_INVALID', (url) => (url.username = LOCKED)],
    ['the database', 'CONFIG_INVALID', (url) => (url.pathname = '/no_such_database')],
    ['the certificate', 'CONFIG_INVALID', (url) => url.searchParams.set('sslmode', 'verify-full')],
    ['the role', 'CONFIG_INVALID', (url) => (url.username = SUPERUSER)],
  ])('since %s is wrong says so, and never the password', async (_, code, change) => {
    const address = new URL(served().database.worker)
    address.password = 'secret'
    change(address)
    const error = await refusal(openServer(address.href, { scratch, busyTimeoutMs: 2_000 }))
    expect(error).toMatchObject({ code, recovery: expect.stringMatching(/./) })
    expect(`${error.message} ${error.recovery} ${JSON.stringify(error.details)}`).not.toContain('secret')
  })

  test('opens with the password of the address or of PGPASSWORD', async () => {
    const { superuser, worker } = served().database
    await asSuperuser(superuser, `GRANT elfmem_worker TO ${LOCKED}`)
    const address = new URL(worker)
    address.username = LOCKED
    process.env.PGPASSWORD = LOCKED_PASSWORD
    const server = await openServer(address.href, { scratch }).finally(() => delete process.env.PGPASSWORD)
    expect((await server.memory('mine')).location).not.toContain(LOCKED)
    await server.close()
  })
})
