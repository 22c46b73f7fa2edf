import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import type { SettingsInput } from '../../src/config/settings.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'
import { tracesIn, tracesOf } from '../helpers/traces.ts'

/** Contents in several scripts, with signs that JSON escapes, and numbers. */
const SECRETS = [
  'Rosalinde Quatrain hides the vault combination 471199 behind a crimson lantern upstairs',
  'She wrote:\n"Meet Ottokar\\Zwiebel\tat the Überfähre", then left town without saying goodbye',
  'Прасковья держит запасные ключи у старой мельницы возле реки за поворотом',
  '山田さんの暗証番号は九八七六です',
]
const AFTER_EDIT =
  'Rosalinde Quatrain moved the vault combination 882233 beneath an emerald tapestry downstairs'
const KEPT = [
  'The red ferry comes at nine on weekdays',
  'Tea is served at the pier',
  'The pilot boards at dawn',
]
const NOTE = 'because Philippa Underwood overheard them arguing about marmalade yesterday'

async function openOwners(path: string, settings: SettingsInput = {}): Promise<Memory> {
  const memory = await openMemory(path, { as: 'owner', config: settings, embedder: createHashingEmbedder() })
  onTestFinished(() => memory.close())
  return memory
}

/** A memory in which the secrets left a trace wherever words go. */
async function livedIn(settings: SettingsInput = {}) {
  const folder = temporaryFolder()
  const path = join(folder, 'memory.db')
  const memory = await openOwners(path, settings)
  const ids: string[] = []
  for (const content of [...SECRETS, ...KEPT])
    ids.push(
      (await memory.remember({ content, tags: ['harbour'], source: 'letters', session: 'spring' })).blockId,
    )
  const [first = '', second = '', third = ''] = ids
  const kept = ids.slice(SECRETS.length)
  await memory.remember({ content: SECRETS[0] ?? '', scope: 'attic' })
  await memory.dream()
  await memory.connect({ source: first, target: kept[0] ?? '', relation: 'supports', note: NOTE })
  await memory.recall({ query: 'where is the vault combination?' })
  await memory.backup()
  await memory.export({ name: 'before.jsonl' })
  await memory.edit({ blockId: first, content: AFTER_EDIT, cue: 'Ludmilla visits' })
  await memory.undo({})
  await memory.edit({ blockId: first, content: AFTER_EDIT })
  await memory.forget({ blockId: second, reason: 'Ottokar asked for it' })
  const replacing = await memory.remember({ content: 'The keys are at the mill', supersedes: third })
  await memory.dream()
  await memory.backup()
  await memory.export({ name: 'after.jsonl' })
  return { folder, path, memory, ids, kept, replacing: replacing.blockId }
}

const TRACES = tracesOf(
  [...SECRETS, AFTER_EDIT, NOTE, 'Ludmilla visits'],
  [...KEPT, 'The keys are at the mill'],
)

test('no byte of what was erased is left in any file, whatever was done with it before', async () => {
  const { folder, memory } = await livedIn()
  expect(new Set(tracesIn(folder, TRACES).map((found) => found.replace(/: .*$/s, ''))).size).toBeGreaterThan(
    4,
  )
  const done = await memory.erase({ sessions: ['spring'], yes: false })
  expect(done).toMatchObject({ erased: false, foundAfter: 0 })
  expect(done.foundBefore).toBeGreaterThan(100)
  // The same words in another scope are another block.
  const chosen = done.blocks
    .filter(({ content }) => !KEPT.some((text) => text === content))
    .map(({ id }) => id)
  const inAttic = await memory.erase({ query: '"vault combination"', yes: false })
  const all = [...new Set([...chosen, ...inAttic.blocks.map(({ id }) => id)])]
  const erased = await memory.erase({ blockIds: all, yes: true })
  expect(erased).toMatchObject({ erased: true, finished: true, foundAfter: 0, held: [] })
  expect(erased.rewritten).toHaveLength(4)
  expect(tracesIn(folder, TRACES)).toEqual([])
  await memory.close()
  expect(tracesIn(folder, TRACES)).toEqual([])
})

test('what is kept is found as before, in the memory, its backups and its exports', async () => {
  const { folder, path, memory, ids, kept, replacing } = await livedIn()
  await memory.erase({ blockIds: ids.slice(0, SECRETS.length), yes: true })
  const asked = await memory.recall({ query: 'when does the red ferry come?' })
  expect(asked.blocks.map(({ id }) => id)).toContain(kept[0])
  expect((await memory.show({ blockId: replacing })).block.supersedes).toBeUndefined()
  expect(await memory.doctor({})).toMatchObject({ outcome: 'ok' })
  for (const name of ['before.jsonl', 'after.jsonl']) {
    const other = await openOwners(join(folder, `${name}.db`))
    const taken = await other.import({ path: join(`${path}.exports`, name), trusted: true })
    expect(taken).toMatchObject({ whole: true })
    expect((await other.ls({ limit: 50 })).blocks.map(({ content }) => content)).toEqual(
      expect.arrayContaining(KEPT),
    )
    expect(await other.doctor({})).not.toMatchObject({ outcome: 'fail' })
  }
  const backups = (await memory.backup()).path
  const [oldest = ''] = (await import('node:fs')).readdirSync(dirname(backups)).sort()
  const restored = await memory.restoreBackup({ name: oldest })
  expect(restored.blocks).toBe(KEPT.length + 1)
})

test('an entry of the log keeps number, time and operation, and what cannot be undone says erased', async () => {
  const { memory, ids } = await livedIn()
  const [first = ''] = ids
  const before = (await memory.history({ lastN: 200 })).operations
  await memory.erase({ blockIds: [first], yes: true })
  const after = (await memory.history({ lastN: 201 })).operations
  expect(after.slice(0, -1).map(({ id, at, hours, operation }) => [id, at, hours, operation])).toEqual(
    before.map(({ id, at, hours, operation }) => [id, at, hours, operation]),
  )
  expect(after.flatMap(({ blockIds }) => blockIds)).not.toContain(first)
  const edit = after.findLast(({ operation }) => operation === 'edit')
  expect(edit).toMatchObject({ erased: true, undoable: false, summary: 'erased' })
  expect(await refusal(memory.undo({ operationId: edit?.id ?? 0 }))).toMatchObject({
    code: 'WRONG_STATUS',
    message: expect.stringContaining('erased'),
  })
  expect(after.at(-1)).toMatchObject({ operation: 'erase', undoable: false })
})

test('words that stand in a kept block as well stay there, and the answer names it', async () => {
  const { memory, path } = await livedIn()
  const shared = 'The harbour master counts every single boat at noon'
  const { blockId: one } = await memory.remember({ content: `${shared}, said Wilhelmina` })
  const { blockId: two } = await memory.remember({ content: `${shared}, said the cook` })
  await memory.dream()
  const { lookedFor, finished } = await memory.erase({ blockIds: [one], yes: true })
  expect(finished).toBe(true)
  expect(lookedFor.standingIn).toEqual([two])
  expect((await memory.show({ blockId: two })).block.content).toContain(shared)
  expect(tracesIn(dirname(path), ['Wilhelmina', 'wilhelmina'])).toEqual([])
})

test('kept blocks with the same number or code are counted and named, and a search erases them all', async () => {
  const { memory, path } = await livedIn()
  const learn = async (content: string) => (await memory.remember({ content })).blockId
  const door = await learn('The door of the shed opens with 990412')
  const alarm = await learn('Basil typed 990412 to stop the alarm')
  await learn('The shed was painted in 2026')
  await memory.dream()
  const plan = await memory.erase({ blockIds: [door] })
  expect(plan.lookedFor).toMatchObject({ standingIn: [alarm], standingInCount: 1 })
  expect(plan.others).toEqual([
    { id: alarm, status: 'active', content: 'Basil typed 990412 to stop the alarm' },
  ])
  expect(plan.summary).toContain('1 kept block holds some of the same words or numbers')
  const done = await memory.erase({ query: '990412', yes: true })
  expect(done.lookedFor.standingInCount).toBe(0)
  expect(done).not.toHaveProperty('others')
  expect(tracesIn(dirname(path), ['990412'])).toEqual([])
})

test('the words of before an edit are erased by a search, and their block stays', async () => {
  const { memory, path, ids } = await livedIn()
  const [first = ''] = ids
  const gone = await memory.erase({ query: '471199 crimson', yes: false })
  expect(gone.blocks.map(({ status }) => status).sort()).toEqual(['active', 'before'])
  await memory.erase({ query: '471199 crimson', yes: true })
  expect((await memory.show({ blockId: first })).block.content).toBe(AFTER_EDIT)
  expect(tracesIn(dirname(path), ['471199', 'crimson', 'lantern'])).toEqual([])
})

test('a block whose making was undone is erased by its id or its tag', async () => {
  const folder = temporaryFolder()
  const memory = await openOwners(join(folder, 'memory.db'))
  await memory.remember({ content: 'The ferry is red' })
  await memory.remember({ content: 'Konstantin sleeps under the boathouse', tags: ['undone'] })
  await memory.undo({})
  expect(tracesIn(folder, ['Konstantin']).length).toBeGreaterThan(0)
  const { blocks } = await memory.erase({ tags: ['undone'] })
  expect(blocks).toMatchObject([{ status: 'undone' }])
  expect(await memory.erase({ tags: ['undone'], yes: true })).toMatchObject({ finished: true })
  expect(tracesIn(folder, ['Konstantin', 'konstantin', 'boathouse'])).toEqual([])
})

test('backups and exports can be deleted instead, and those made elsewhere are named', async () => {
  const { folder, path, memory, ids } = await livedIn()
  const elsewhere = [join(folder, 'mine.jsonl'), join(folder, 'mine.db')]
  await memory.export({ path: elsewhere[0] })
  await memory.backup({ path: elsewhere[1] })
  const done = await memory.erase({ blockIds: ids.slice(1, 2), copies: 'delete', yes: true })
  expect(done.elsewhere).toEqual(elsewhere)
  expect(done.deleted).toHaveLength(4)
  expect(done.deleted.filter((each) => existsSync(each))).toEqual([])
  expect(tracesIn(folder, ['Ottokar', 'ottokar', 'Zwiebel', 'zwiebel'], elsewhere)).toEqual([])
  expect(existsSync(path)).toBe(true)
})

test('a packed index of the memory or of a scope goes, and is made anew without the words', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'memory.db')
  const memory = await openOwners(path)
  const texts = Array.from({ length: 1_100 }, (_, i) => ({ content: `Crate ${i} holds rope` }))
  await memory.rememberMany({ blocks: texts, scope: 'hold' })
  const { blockId } = await memory.remember({ content: 'Evangeline stowed away in the bilge', scope: 'hold' })
  await memory.dream()
  await memory.close()
  const inScope = await openMemory(path, { as: 'owner', scope: 'hold', embedder: createHashingEmbedder() })
  await inScope.recall({ query: 'rope' })
  await inScope.dream()
  await inScope.close()
  const names = () => tracesIn(folder, ['evangelin'])
  expect(names().filter((found) => found.includes('-index')).length).toBeGreaterThan(0)
  const again = await openOwners(path)
  await again.erase({ blockIds: [blockId], yes: true })
  // A look: a question that says the words anew is kept as any other is.
  await again.recall({ query: 'who stowed away?', reinforce: false })
  await again.close()
  expect(tracesIn(folder, ['Evangeline', 'evangelin', 'stowed', 'bilge'])).toEqual([])
}, 60_000)

test('a memory that was erased from is smaller, whole, and has no room with nothing in it', async () => {
  const { path, memory, ids } = await livedIn()
  await memory.erase({ blockIds: ids, yes: true })
  await memory.close()
  const database = new DatabaseSync(path)
  onTestFinished(() => database.close())
  expect(database.prepare('PRAGMA freelist_count').get()).toEqual({ freelist_count: 0 })
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  expect(readFileSync(path).includes('Quatrain')).toBe(true)
})

test('the certificate proves that a text was looked for, to whoever knows it', async () => {
  const { createHash } = await import('node:crypto')
  const { memory, ids } = await livedIn()
  const { lookedFor } = await memory.erase({ blockIds: ids.slice(0, 1), yes: true })
  const digest = (text: string) =>
    createHash('sha256').update(lookedFor.salt).update(text).digest('hex').slice(0, 16)
  expect(lookedFor.digests).toEqual(expect.arrayContaining(['882233', AFTER_EDIT].map(digest)))
  expect(lookedFor.digests).not.toContain(digest('ferry'))
})

test('names that a caller gave to a block or to what joins it go with it', async () => {
  const folder = temporaryFolder()
  const memory = await openOwners(join(folder, 'memory.db'))
  const names = {
    tags: ['wordoftag/one'],
    category: 'wordofkind',
    source: 'wordofsource',
    session: 'wordofsession',
  }
  const { blockId } = await memory.remember({ content: 'Konstantin sleeps late', cue: 'wordofcue', ...names })
  const { blockId: kept } = await memory.remember({ content: 'The ferry is red' })
  await memory.dream()
  await memory.connect({ source: blockId, target: kept, relation: 'wordofrelation', note: 'wordofnote' })
  await memory.edit({ blockId, tags: ['wordoftag/two'], category: 'wordofanother' })
  await memory.backup()
  await memory.export({ name: 'one.jsonl' })
  await memory.disconnect({ source: blockId, target: kept, reason: 'wordofreason' })
  await memory.forget({ blockId, reason: 'wordofgrudge' })
  expect(tracesIn(folder, ['wordof']).length).toBeGreaterThan(2)
  expect(await memory.erase({ blockIds: [blockId], yes: true })).toMatchObject({ finished: true })
  expect(tracesIn(folder, ['wordof', 'Konstantin', blockId])).toEqual([])
})
