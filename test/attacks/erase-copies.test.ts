import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/memory.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { tracesIn } from '../helpers/traces.ts'
import { elfmem } from '../surfaces/helpers/cli.ts'

const SECRET = 'Evangeline stowed away in the bilge with a parrot called Mortimer'
const WORDS = ['Evangeline', 'evangelin', 'stowed', 'parrot', 'Mortimer', 'mortimer']

async function openOwners(path: string) {
  const memory = await openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })
  onTestFinished(() => memory.close())
  return memory
}

/** A memory with the secret and a backup. */
async function memoryWithSecret() {
  const folder = temporaryFolder()
  const path = join(folder, 'memory.db')
  const memory = await openOwners(path)
  const { blockId } = await memory.remember({ content: SECRET })
  await memory.remember({ content: 'The red ferry comes at nine on weekdays' })
  await memory.dream()
  const backup = (await memory.backup()).path
  return { folder, path, memory, blockId, backup }
}

const heldBy = ({ held }: { readonly held: readonly { readonly path: string }[] }) =>
  held.map(({ path }) => path).sort()

test('a damaged or foreign file among the backups is named with what it holds as long as it is there; the rest is erased', async () => {
  const { folder, path, memory, blockId, backup } = await memoryWithSecret()
  const [foreign, torn] = ['foreign.db', 'torn.db'].map((name) => join(dirname(backup), name)) as [
    string,
    string,
  ]
  writeFileSync(foreign, `no database: ${SECRET}`)
  copyFileSync(backup, torn)
  truncateSync(torn, 30_000)
  chmodSync(torn, 0o644)
  const names = readdirSync(dirname(backup))
  const first = await memory.erase({ blockIds: [blockId], yes: true })
  expect(first).toMatchObject({ erased: true, finished: false, continues: false, rewritten: [backup] })
  expect(heldBy(first)).toEqual([foreign, torn])
  expect(first.held.map(({ remedy }) => remedy).join()).toContain('elfmem erase --copies delete')
  expect(first.summary).not.toContain('has the memory open')
  expect(tracesIn(folder, WORDS, [foreign, torn])).toEqual([])
  const again = await memory.erase({})
  expect(again).toMatchObject({ finished: false, continues: true, foundBefore: first.foundBefore })
  expect([heldBy(again), again.foundAfter]).toEqual([[foreign, torn], first.foundAfter])
  expect(again.foundAfter).toBeGreaterThan(3)
  expect(again.files.reduce((sum, { after }) => sum + after, 0)).toBe(again.foundAfter)
  expect(readdirSync(dirname(backup))).toEqual(names)
  const last = await memory.erase({ copies: 'delete' })
  expect(last).toMatchObject({ finished: true, foundAfter: 0, held: [] })
  expect([...last.deleted].sort()).toEqual([foreign, torn])
  expect(existsSync(backup)).toBe(true)
  expect(tracesIn(folder, WORDS)).toEqual([])
  expect((await memory.status()).reasons.join()).not.toContain('erasing')
  expect(await elfmem(['doctor', '--db', path], { cwd: folder, home: folder })).toMatchObject({ code: 0 })
})

test('damaged backups that are taken away or emptied by hand let the erasing end', async () => {
  const { memory, blockId, backup, folder } = await memoryWithSecret()
  const torn = ['one.db', 'two.db'].map((name) => join(dirname(backup), name))
  for (const each of torn) {
    copyFileSync(backup, each)
    truncateSync(each, 30_000)
  }
  expect(heldBy(await memory.erase({ blockIds: [blockId], yes: true }))).toEqual(torn)
  const [one = '', two = ''] = torn
  truncateSync(one, 0)
  rmSync(two)
  expect(await memory.erase({})).toMatchObject({ finished: true, foundAfter: 0 })
  expect(tracesIn(folder, WORDS)).toEqual([])
})

test('files beside the memory that hold the words are named, and left as they are', async () => {
  const { folder, path, memory, blockId, backup } = await memoryWithSecret()
  await memory.close()
  const copy = join(folder, 'copy.db')
  copyFileSync(path, copy)
  const letter = join(dirname(backup), 'letter.txt')
  writeFileSync(letter, `Dear all, ${SECRET.toLowerCase()}.`)
  writeFileSync(join(folder, 'novel.txt'), 'Evangeline had a parrot')
  const again = await openOwners(path)
  const holding = [copy, letter].sort()
  const bytes = () => holding.map((each) => readFileSync(each).toString('latin1'))
  const before = bytes()
  const asked = await again.erase({ blockIds: [blockId] })
  expect([...asked.elsewhere].sort()).toEqual(holding)
  const done = await again.erase({ blockIds: [blockId], yes: true })
  expect(done).toMatchObject({ finished: true, unread: 0 })
  expect([...done.elsewhere].sort()).toEqual(holding)
  expect(bytes()).toEqual(before)
})

test('no more than 500 files beside the memory are looked at, and the answer says how many were not', async () => {
  const { folder, memory, blockId } = await memoryWithSecret()
  for (let i = 0; i < 509; i += 1) writeFileSync(join(folder, `letter-${i}.txt`), 'Dear all')
  writeFileSync(join(folder, 'memory-copy.txt'), `${SECRET}\n${'and so on '.repeat(500)}`)
  const done = await memory.erase({ blockIds: [blockId], yes: true })
  expect(done).toMatchObject({ finished: true, unread: 10, elsewhere: [join(folder, 'memory-copy.txt')] })
  expect(done.summary).toContain('10 files beside the memory were not looked at.')
})

test('an export by path into the folder of exports is written anew, and is not elsewhere', async () => {
  const { path, folder, memory, blockId } = await memoryWithSecret()
  const mine = join(`${path}.exports`, 'mine.jsonl')
  mkdirSync(dirname(mine))
  await memory.export({ path: mine })
  const done = await memory.erase({ blockIds: [blockId], yes: true })
  expect(done.elsewhere).toEqual([])
  expect(done.rewritten).toContain(mine)
  expect(tracesIn(folder, WORDS)).toEqual([])
})

test('what killed processes left half made is counted and deleted', async () => {
  const { path, folder, memory, blockId } = await memoryWithSecret()
  const { pid } = spawnSync('true')
  const left = [`${path}.importing-0000.part-${pid}`, `${path}.importing-0000.part-${pid}-journal`]
  for (const each of left) writeFileSync(each, `half of it: ${SECRET}`)
  const done = await memory.erase({ blockIds: [blockId], yes: true })
  expect(done).toMatchObject({ finished: true, foundAfter: 0 })
  expect(done.files.filter(({ before }) => before > 0).map((file) => file.path)).toEqual(
    expect.arrayContaining(left),
  )
  expect(done.deleted).toEqual(expect.arrayContaining([left[0]]))
  expect(tracesIn(folder, WORDS)).toEqual([])
})

test('a copy with a log beside it is written anew with what stands in the log, for its owner alone', async () => {
  const { folder, memory, blockId, backup } = await memoryWithSecret()
  const other = join(folder, 'other.db')
  const living = await openOwners(other)
  await living.remember({ content: SECRET })
  await living.remember({ content: 'The lamp burns until dawn' })
  const copy = join(dirname(backup), 'copy.db')
  for (const ending of ['', '-wal']) {
    copyFileSync(`${other}${ending}`, `${copy}${ending}`)
    chmodSync(`${copy}${ending}`, 0o644)
  }
  await living.close()
  const done = await memory.erase({ blockIds: [blockId], yes: true })
  expect(done).toMatchObject({ finished: true, foundAfter: 0 })
  expect(done.rewritten).toContain(copy)
  expect(tracesIn(dirname(backup), WORDS)).toEqual([])
  expect(readdirSync(dirname(backup)).filter((name) => !name.endsWith('.db'))).toEqual([])
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  const database = new DatabaseSync(copy)
  onTestFinished(() => database.close())
  expect(database.prepare('SELECT content FROM blocks').all()).toEqual([
    { content: 'The lamp burns until dawn' },
  ])
})

test('a memory that is opened by a link is looked at where it lies', async () => {
  const { folder, path, memory, blockId } = await memoryWithSecret()
  await memory.close()
  const link = join(temporaryFolder(), 'link.db')
  symlinkSync(path, link)
  const linked = await openOwners(link)
  const done = await linked.erase({ blockIds: [blockId], yes: true })
  expect(done.files.map((file) => file.path)).toContain(path)
  expect(done.foundBefore).toBeGreaterThan(10)
  expect(tracesIn(folder, WORDS).filter((found) => !found.includes('.backups'))).toEqual([])
})

test('an erasing of an earlier wording says so, and that its block is kept', async () => {
  const { memory, blockId, folder } = await memoryWithSecret()
  await memory.edit({ blockId, content: 'Nobody stayed in the hold' })
  const asked = await memory.erase({ query: 'parrot' })
  expect(asked.summary).toContain('1 earlier wording of 1 kept block would be erased')
  const done = await memory.erase({ query: 'parrot', yes: true })
  expect(done.summary).toContain('1 earlier wording of 1 kept block erased.')
  expect((await memory.history({ lastN: 1 })).operations[0]?.summary).toContain('1 earlier wording')
  expect((await memory.show({ blockId })).block.content).toBe('Nobody stayed in the hold')
  expect(tracesIn(folder, WORDS)).toEqual([])
})

test('of an export that was cut off the answer says that it still holds something, in no words of it', async () => {
  const { memory, blockId, path } = await memoryWithSecret()
  await memory.export({ name: 'cut.jsonl' })
  const cut = join(`${path}.exports`, 'cut.jsonl')
  const whole = readFileSync(cut, 'utf8')
  writeFileSync(cut, whole.slice(0, whole.indexOf('Mortimer') + 4))
  const done = await memory.erase({ blockIds: [blockId], yes: true })
  expect([done.finished, heldBy(done)]).toEqual([false, [cut]])
  expect(done.foundAfter).toBeGreaterThan(0)
  expect(WORDS.filter((word) => JSON.stringify(done).includes(word))).toEqual([])
  writeFileSync(cut, `${whole.slice(0, whole.indexOf('Evangeline'))}"}\nEvangeline`)
  const again = await memory.erase({})
  expect(heldBy(again)).toEqual([cut])
  expect(WORDS.filter((word) => JSON.stringify(again).includes(word))).toEqual([])
})

// Whoever is root may read everything.
test.skipIf(process.getuid?.() === 0)(
  'a copy that may not be read is never said to be clean, and is done once it may',
  async () => {
    const { memory, blockId, backup, folder } = await memoryWithSecret()
    chmodSync(backup, 0o000)
    const done = await memory.erase({ blockIds: [blockId], yes: true })
    expect([done.finished, heldBy(done)]).toEqual([false, [backup]])
    expect(done.summary).toContain('in what could be read')
    expect(await memory.erase({})).toMatchObject({ finished: false })
    chmodSync(backup, 0o600)
    expect(await memory.erase({})).toMatchObject({ finished: true, foundAfter: 0, rewritten: [backup] })
    expect(tracesIn(folder, WORDS)).toEqual([])
  },
)
