import { expect, onTestFinished, test } from 'vitest'
import { openMemory } from '../../../src/client/index.ts'
import { migrateServer } from '../../../src/postgres/server.ts'
import { type Cluster, canStartServers, makeDatabase, ownCluster, WORKER } from '../../helpers/postgres.ts'
import { temporaryDirectory } from '../../surfaces/helpers/cli.ts'
import { countsIn, ownersToken, RunningService, Writing } from './running.ts'

const CLIENTS = 8

interface Place {
  readonly flags: readonly string[]
  readonly cluster?: Cluster
}

async function inPostgres(): Promise<Place> {
  const cluster = await ownCluster()
  onTestFinished(() => cluster.remove())
  const { owner, worker } = await makeDatabase(cluster)
  await migrateServer(owner, { grantTo: WORKER })
  return { flags: ['--store', worker], cluster }
}

const PLACES = [
  { kind: 'files', isThere: true, open: async () => ({ flags: ['--memories', temporaryDirectory()] }) },
  { kind: 'PostgreSQL', isThere: canStartServers, open: inPostgres },
]

/** Tests that calls with keys are kept and done once, however often the service or the database under it is killed. */
export function testKills(rounds: number): void {
  test.each(PLACES.filter(({ isThere }) => isThere))(
    `calls through ${rounds} kills of a service over $kind are kept, and each is done once`,
    (place) => survive(place, rounds),
  )
}

async function survive({ kind, open }: (typeof PLACES)[number], rounds: number): Promise<void> {
  const { flags, cluster }: Place = await open()
  const place = { home: temporaryDirectory(), flags }
  const tokens = []
  for (let n = 0; n < CLIENTS; n += 1) tokens.push(await ownersToken(place, `c${n}`, `memory-${n % 2}`))
  const service = await RunningService.start(place.home, flags)
  onTestFinished(() => service.kill())
  let requests = 0
  const counting = (...asked: Parameters<typeof fetch>) => {
    requests += 1
    return fetch(...asked)
  }
  const options = { fetch: counting, retries: 20, timeoutMs: 120_000 }
  const memories = await Promise.all(tokens.map((token) => openMemory(service.url, { token, ...options })))
  requests = 0
  const clients = new Writing(memories)
  for (let round = 0; round < rounds; round += 1) {
    await clients.more(CLIENTS)
    const isCrash = cluster !== undefined && round % 2 === 1
    await (isCrash ? cluster.stop('immediate') : service.kill())
    await (isCrash ? cluster.start() : service.start())
  }
  await clients.end()
  const { done, failures } = clients
  const retries = requests - 2 * done.length
  expect(failures).toEqual([])
  expect(retries).toBeGreaterThan(rounds)

  const logs = await Promise.all([countsIn(memories[0]!), countsIn(memories[1]!)])
  const counts = done.map(([memory, blockId]) => logs[memories.indexOf(memory) % 2]?.get(blockId))
  expect(counts.filter((each) => each?.remember !== 1 || each.outcome !== 1)).toEqual([])
  expect(logs.map(({ size }) => size).reduce((sum, size) => sum + size)).toBe(done.length)
  process.stdout.write(
    `${kind}: ${2 * done.length} calls acknowledged, ${retries} retries, none lost or done twice\n`,
  )
}
