import { expect, onTestFinished, test } from 'vitest'
import { type Memory, openMemory } from '../../src/client/index.ts'
import { openProxy } from '../helpers/line-proxy.ts'
import { hasPostgres } from '../helpers/postgres.ts'
import { send, serveHttp } from '../mcp/helpers/http.ts'
import { serve } from '../postgres/served.ts'
import { temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { countsIn, ownersToken, Writing } from './helpers/running.ts'

const ROUNDS = 24
const CLIENTS = 8

test.skipIf(!hasPostgres)(
  'a service whose lines to PostgreSQL are cut, held and half closed loses nothing, and heals by itself',
  async () => {
    const { database, end } = await serve()
    onTestFinished(end)
    const proxy = await openProxy(Number(new URL(database.worker).port))
    const home = temporaryDirectory()
    const store = ['--store', proxy.through(database.worker)]
    const { url: served } = await serveHttp(home, store, { ELFMEM_STORE_BUSY_SECONDS: '1' })
    const url = new URL(served).origin
    const memories: Memory[] = []
    for (let n = 0; n < CLIENTS; n += 1) {
      const token = await ownersToken({ home, flags: store }, `c${n}`, `memory-${n % 2}`)
      memories.push(await openMemory(url, { token, retries: 20, timeoutMs: 120_000 }))
    }
    const ready = async () => (await send(url, { method: 'GET', path: '/health/ready' })).status
    const gauges = async () => {
      const { body } = await send(url, { method: 'GET', path: '/metrics' })
      return Object.fromEntries(
        [...body.matchAll(/^elfmem_(\w+) (\d+)$/gm)].map(([, name, value]) => [name, Number(value)]),
      )
    }

    const harms = [
      async () => proxy.cut(),
      async () => proxy.halfClose(),
      async () => proxy.lose({ asked: /COMMIT/ }),
      async () => {
        proxy.hold()
        expect(await ready()).toBe(503)
        proxy.go()
      },
    ]
    const clients = new Writing(memories)
    for (let round = 0; round < ROUNDS; round += 1) {
      await clients.more(CLIENTS)
      await harms[round % harms.length]?.()
    }
    await clients.more(CLIENTS)
    await clients.end()

    expect(clients.failures).toEqual([])
    const logs = await Promise.all([countsIn(memories[0]!), countsIn(memories[1]!)])
    const counts = clients.done.map(([memory, blockId]) => logs[memories.indexOf(memory) % 2]?.get(blockId))
    expect(counts.filter((each) => each?.remember !== 1 || each.outcome !== 1)).toEqual([])
    expect(await ready()).toBe(200)
    // Writes behind an answer and looks at tokens hold a connection for a moment.
    let last = await gauges()
    for (let times = 0; times < 1_000 && last.pool_idle !== last.pool_connections; times += 1)
      last = await gauges()
    expect(last.pool_connections).toBeGreaterThan(0)
    expect(last).toMatchObject({ pool_waiting: 0, calls_under_way: 0, pool_idle: last.pool_connections })
  },
)
