import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import { Connection } from '../../src/sqlite/connection/driver.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'
import { HASHING, NODE_OPTIONS } from '../surfaces/helpers/cli.ts'

const BIN = join(import.meta.dirname, '..', '..', 'src', 'bin.ts')

const open = (path: string): Promise<Memory> =>
  openMemory(path, { embedder: createHashingEmbedder(), as: 'owner' })

const FACT = 'Acknowledged fact on apples.'

/** An open memory that acknowledged a fact, which is in its log. */
async function memoryWithLog() {
  const folder = temporaryFolder()
  const path = join(folder, 'memory.db')
  const memory = await open(path)
  onTestFinished(() => memory.close())
  await memory.remember({ content: FACT })
  return { folder, path, memory }
}

async function contentsOf(path: string): Promise<string[]> {
  const memory = await open(path)
  try {
    return (await memory.inbox({})).blocks.map(({ content }) => content)
  } finally {
    await memory.close()
  }
}

/** Does what the refusal says, as a shell does. */
function follow(recovery: string): void {
  const command = /cp -p .+? && mv \S+ \S+(?=\. )/.exec(recovery)?.[0] ?? 'false'
  expect(spawnSync('sh', ['-c', command]).status).toBe(0)
}

test('another process that comes by a hard link is refused, and what was acknowledged before and after is kept', async () => {
  const { folder, path, memory } = await memoryWithLog()
  const link = join(folder, 'link.db')
  linkSync(path, link)
  const names = readdirSync(folder)
  const told = ['--db', link, 'remember', 'Fact of the other process on crows.']
  const other = spawnSync(process.execPath, [BIN, ...told], {
    cwd: folder,
    env: { ...process.env, ...HASHING, ...NODE_OPTIONS, HOME: folder, USERPROFILE: folder },
    encoding: 'utf8',
  })
  expect(other.status).toBe(1)
  expect(other.stderr).toContain('hard link')
  expect(readdirSync(folder)).toEqual(names)
  await memory.remember({ content: 'Later fact.' })
  await memory.close()
  rmSync(link)
  expect((await contentsOf(path)).sort()).toEqual([FACT, 'Later fact.'])
})

test('the process that has a memory open is refused by a hard link to it, and goes on', async () => {
  const { folder, path, memory } = await memoryWithLog()
  const link = join(folder, 'link.db')
  linkSync(path, link)
  for (const name of [link, path]) expect((await refusal(open(name))).code).toBe('STORE_FOREIGN')
  await memory.remember({ content: 'Later fact.' })
})

test.skipIf(process.platform === 'win32')(
  'a closed memory of which hard links were made opens again after what the refusal says, and the links stay as they are',
  async () => {
    const { folder, path, memory } = await memoryWithLog()
    await memory.close()
    const snapshot = join(folder, 'snapshot.db')
    linkSync(path, snapshot)
    const before = readFileSync(snapshot)
    const { code, recovery } = await refusal(open(path))
    expect(code).toBe('STORE_FOREIGN')
    follow(recovery)
    expect(await contentsOf(path)).toEqual([FACT])
    expect(readFileSync(snapshot).equals(before)).toBe(true)
  },
)

test.skipIf(process.platform === 'win32')(
  'a memory of which all was linked while it was open opens again after what the refusals say, with its log',
  async () => {
    const { folder, path, memory } = await memoryWithLog()
    // What a process leaves that was killed.
    const killed = join(folder, 'killed.db')
    for (const ending of ['', '-wal']) copyFileSync(`${path}${ending}`, `${killed}${ending}`)
    await memory.close()
    for (const ending of ['', '-wal']) linkSync(`${killed}${ending}`, join(folder, `snapshot${ending}`))
    for (let i = 0; i < 2; i += 1) follow((await refusal(open(killed))).recovery)
    expect(await contentsOf(killed)).toEqual([FACT])
  },
)

test.each(['-wal', '-shm', '-journal'])(
  'a %s that is a hard link to another file is refused, and the file is left as it is',
  async (ending) => {
    const { folder, path, memory } = await memoryWithLog()
    await memory.close()
    const precious = join(folder, 'precious.txt')
    writeFileSync(precious, 'Words of somebody else.\n'.repeat(2_000), { mode: 0o600 })
    linkSync(precious, `${path}${ending}`)
    const { code, message } = await refusal(open(path))
    expect(code).toBe('STORE_FOREIGN')
    expect(message).toContain('hard link')
    expect(readFileSync(precious, 'utf8')).toBe('Words of somebody else.\n'.repeat(2_000))
    expect(existsSync(`${path}${ending}`)).toBe(true)
  },
)

// Node 22 before 22.16 cannot restore a backup.
test.skipIf(!Connection.canCopy)('a backup with another name is restored all the same', async () => {
  const { folder, path, memory } = await memoryWithLog()
  const { name, path: backup } = await memory.backup()
  linkSync(backup, join(folder, 'snapshot.db'))
  await memory.remember({ content: 'Later fact.' })
  await memory.restoreBackup({ name })
  await memory.close()
  expect(await contentsOf(path)).toEqual([FACT])
})
