import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { appendFile, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isMainThread } from 'node:worker_threads'
import pg from 'pg'

const run = promisify(execFile)

/** A cluster is a PostgreSQL server with its own data, which trusts every role but `LOCKED`. */
export interface Cluster {
  readonly port: number
  /** The folder with the data, the log and the socket. */
  readonly folder: string
  /** Returns the address of a database for a role. */
  url(database: string, role?: string): string
  start(): Promise<void>
  /** Stops the server: `immediate` ends it as a crash does. */
  stop(mode: 'fast' | 'immediate'): Promise<void>
}

/** The superuser of a cluster. */
export const SUPERUSER = 'postgres'

/** The role that must give the password `LOCKED_PASSWORD`. */
export const LOCKED = 'locked'
export const LOCKED_PASSWORD = 'correct-horse-battery'

/** The user that runs servers if a test runs as root, which PostgreSQL refuses. */
const SERVER_USER = 'postgres'

/** Returns the folder with `initdb` and `pg_ctl`; undefined if PostgreSQL is not installed. */
function findPrograms(): string | undefined {
  const told = () => execFileSync('pg_config', ['--bindir'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ]
  const holds = (folder: string) => existsSync(join(folder, 'initdb'))
  const found = folders.find(holds)
  if (found !== undefined) return found
  try {
    return [told()].find(holds)
  } catch {
    return undefined
  }
}

const programs = process.env.ELFMEM_TEST_POSTGRES === undefined ? findPrograms() : undefined

/** True if tests of PostgreSQL can run; without a server they are skipped, but never in a continuous integration. */
export const hasPostgres: boolean = process.env.ELFMEM_TEST_POSTGRES !== undefined || programs !== undefined

if (!hasPostgres) {
  if (process.env.CI === 'true')
    throw new Error('The tests of PostgreSQL need PostgreSQL here: install it, or set ELFMEM_TEST_POSTGRES.')
  process.stderr.write(
    'Tests of PostgreSQL are skipped: neither initdb nor ELFMEM_TEST_POSTGRES was found.\n',
  )
}

/** True if this machine can start servers of its own, which tests of crashes need. */
export const canStartServers: boolean = programs !== undefined

/** Runs a program of PostgreSQL, as a user that it accepts. */
async function runAs(program: string, args: readonly string[]): Promise<void> {
  const path = join(programs ?? '', program)
  if (userInfo().uid !== 0) await run(path, args)
  else await run('runuser', ['-u', SERVER_USER, '--', path, ...args], { cwd: '/' })
}

async function freePort(): Promise<number> {
  await using server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Makes and starts a server with its data in `folder`; `isSafe` keeps what it acknowledged through a crash. */
async function makeCluster(folder: string, { isSafe }: { readonly isSafe: boolean }): Promise<Cluster> {
  chmodSync(folder, 0o755)
  if (userInfo().uid === 0) await run('chown', [SERVER_USER, folder])
  const data = join(folder, 'data')
  const options = `-A trust -U ${SUPERUSER} --locale=C --encoding=UTF8 --no-sync`
  await runAs('initdb', ['-D', data, ...options.split(' ')])
  const port = await freePort()
  const settings = [
    ...[`port = ${port}`, "listen_addresses = '127.0.0.1'", `unix_socket_directories = '${folder}'`],
    ...['shared_buffers = 64MB', 'max_connections = 100', `fsync = ${isSafe ? 'on' : 'off'}`, ''],
  ]
  await appendFile(join(data, 'postgresql.conf'), settings.join('\n'))
  const access = join(data, 'pg_hba.conf')
  await writeFile(access, `host all ${LOCKED} all scram-sha-256\n${await readFile(access, 'utf8')}`)
  const cluster = clusterAt(folder, port)
  await cluster.start()
  return cluster
}

function clusterAt(folder: string, port: number): Cluster {
  const control = (...args: string[]) => runAs('pg_ctl', ['-D', join(folder, 'data'), '-w', ...args])
  return {
    port,
    folder,
    url: (database, role = SUPERUSER) => `postgres://${role}@127.0.0.1:${port}/${database}`,
    // A server would keep the pipe of its output open, and who waits for the end of that pipe would wait for ever.
    start: () => control('-l', join(folder, 'log'), '-o', '-c logging_collector=off', 'start'),
    stop: (mode) => control('-m', mode, 'stop'),
  }
}

/** Makes a server of one's own, which keeps what it acknowledged through a crash; `remove` ends it. */
export async function ownCluster(): Promise<Cluster & { remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'elfmem-pg-'))
  const cluster = await makeCluster(folder, { isSafe: true })
  endWith(process.pid, folder)
  const remove = async () => {
    await cluster.stop('immediate').catch(() => undefined)
    rmSync(folder, { recursive: true, force: true })
  }
  return { ...cluster, remove }
}

/** Stops a server and removes its folder once a process has ended, however it ended. */
function endWith(process: number, folder: string): void {
  const stop = `${join(programs ?? '', 'pg_ctl')} -D ${folder}/data -m immediate stop`
  const asUser = userInfo().uid === 0 ? `cd / && runuser -u ${SERVER_USER} -- ${stop}` : stop
  const script = `while kill -0 ${process} 2>/dev/null; do sleep 0.5; done; ${asUser}; rm -rf ${folder}`
  spawn('sh', ['-c', script], { detached: true, stdio: 'ignore' }).unref()
}

/** The server that all test files of one run share: the first that needs it makes it, and it ends with the run. */
async function makeShared(): Promise<Pick<Cluster, 'url'>> {
  const given = process.env.ELFMEM_TEST_POSTGRES
  if (given !== undefined) return { url: (database, role) => urlAt(given, database, role) }
  const run = isMainThread ? process.ppid : process.pid
  const folder = join(tmpdir(), `elfmem-pg-run-${run}`)
  const ready = join(folder, 'ready')
  try {
    mkdirSync(folder)
  } catch {
    while (!existsSync(ready)) await sleep(50)
    return clusterAt(folder, Number(await readFile(ready, 'utf8')))
  }
  endWith(run, folder)
  const cluster = await makeCluster(folder, { isSafe: false })
  writeFileSync(`${ready}.new`, String(cluster.port))
  renameSync(`${ready}.new`, ready)
  return cluster
}

let shared: Promise<Pick<Cluster, 'url'>> | undefined

/** Returns the address of a database of the shared server for a role; `elfmem_test` may change rows alone, and owns nothing. */
async function postgresUrl(database: string, role?: string): Promise<string> {
  shared ??= makeShared()
  return (await shared).url(database, role)
}

function urlAt(given: string, database: string, role: string | undefined): string {
  const url = new URL(given)
  url.pathname = `/${database}`
  if (role !== undefined) url.username = role
  return url.href
}

/** The role that owns the tables of a test's database. */
const OWNER = 'elfmem_owner'
/** The role that works with them. */
export const WORKER = 'elfmem_worker'

let databases = 0

/** An empty database for one test file. */
export interface TestDatabase {
  readonly name: string
  /** Its address for the owner of its tables. */
  readonly owner: string
  /** Its address for the role that works with them. */
  readonly worker: string
  readonly superuser: string
  drop(): Promise<void>
}

/** Runs one statement as a superuser. */
export async function asSuperuser(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Makes an empty database, on the shared server unless another one is given. */
export async function makeDatabase(cluster?: Cluster): Promise<TestDatabase> {
  databases += 1
  const name = `elfmem_${process.pid}_${databases}_${Math.random().toString(36).slice(2, 8)}`
  const url = async (database: string, role?: string) =>
    cluster === undefined ? postgresUrl(database, role) : cluster.url(database, role)
  const admin = await url('postgres')
  const roles = [OWNER, WORKER, LOCKED].map(
    (role) =>
      `IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role} LOGIN; END IF;`,
  )
  // Another file may be making the same roles.
  const locked = `PERFORM pg_advisory_xact_lock(7235); ${roles.join(' ')} ALTER ROLE ${LOCKED} PASSWORD '${LOCKED_PASSWORD}';`
  await asSuperuser(admin, `DO $$ BEGIN ${locked} END $$`)
  await asSuperuser(admin, `CREATE DATABASE ${name} OWNER ${OWNER}`)
  return {
    name,
    owner: await url(name, OWNER),
    worker: await url(name, WORKER),
    superuser: await url(name),
    drop: async () => void (await asSuperuser(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  }
}
