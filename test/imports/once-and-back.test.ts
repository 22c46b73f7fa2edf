import { describe, expect, test } from 'vitest'
import { ElfmemError } from '../../src/errors.ts'
import type { Memory } from '../../src/memory.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import {
  CHATGPT,
  CLAUDE,
  fileOf,
  folderOf,
  mem0Database,
  NOTES,
  pythonDatabase,
  RULES,
  SERVER_MEMORY,
} from './samples.ts'

const SOURCES: Readonly<Record<string, () => string>> = {
  'elfmem-python': pythonDatabase,
  'server-memory': () => SERVER_MEMORY,
  chatgpt: () => fileOf('conversations.json', JSON.stringify(CHATGPT)),
  claude: () => fileOf('conversations.json', JSON.stringify(CLAUDE)),
  rules: () => fileOf('AGENTS.md', RULES),
  markdown: () => folderOf(NOTES),
  mem0: () => mem0Database([{ data: 'Bakes on Fridays', userId: 'ana' }, { data: 'Sells on Saturdays' }]),
}

/** All that a memory knows, without clocks of use. */
async function stateOf(store: Store) {
  return store.read(async (tx) => {
    const { blocks } = await tx.changes(0)
    const ids = blocks.map(({ block }) => block.id).sort()
    const known = await tx.blocks(ids)
    const edges = (await tx.edgesAround(ids)).map(({ edge }) => edge)
    return { known, edges, counts: await tx.counts(), items: await tx.itemCount() }
  })
}

describe.each(Object.entries(SOURCES))('%s', (format, source) => {
  test('brings nothing new the second time, and leaves all as it was', async () => {
    const { memory, store } = await openTestMemory()
    const path = source()
    const first = await memory.importFrom({ path })
    expect(first.format).toBe(format)
    expect(first.created).toBeGreaterThan(0)
    const before = await stateOf(store)
    const entries = (await memory.history({ lastN: 100 })).operations.length
    const second = await memory.importFrom({ path })
    expect(second).toMatchObject({ created: 0, linksMade: 0, itemsKept: 0, known: first.texts })
    expect(second.operationId).toBeUndefined()
    expect(await stateOf(store)).toEqual(before)
    expect((await memory.history({ lastN: 100 })).operations).toHaveLength(entries)
  })

  test('is taken back whole by one call, and comes again afterwards', async () => {
    const { memory, store, learn } = await openTestMemory()
    await learn('The orchard has nine rows.', 'The press stands in the barn.')
    await memory.remember({ content: 'The cider waits in the cellar.' })
    const before = await stateOf(store)
    const { operationId, created, linksMade } = await memory.importFrom({ path: source() })
    await memory.undo({ operationId: operationId! })
    expect(await stateOf(store)).toEqual(before)
    expect(await memory.importFrom({ path: source() })).toMatchObject({ created, linksMade })
  })

  test('says in a dry run what it then does, and writes nothing', async () => {
    const { memory, store } = await openTestMemory()
    const path = source()
    const before = await stateOf(store)
    const would = await memory.importFrom({ path, dryRun: true })
    expect(await stateOf(store)).toEqual(before)
    expect((await memory.history()).operations).toEqual([])
    const did = await memory.importFrom({ path })
    expect(did).toMatchObject({
      ...{
        created: would.created,
        known: would.known,
        tagsDropped: would.tagsDropped,
        samples: would.samples,
      },
      ...{ links: would.links, linksMade: would.linksMade, itemsKept: would.itemsKept, left: would.left },
    })
    const again = await memory.importFrom({ path, dryRun: true })
    expect(again).toMatchObject({
      ...{ created: 0, linksMade: 0, linksKnown: did.linksMade, itemsKept: 0, left: did.left },
    })
  })

  test('is of class import and without identity, unless the owner vouches for it', async () => {
    const { memory, store } = await openTestMemory()
    await memory.importFrom({ path: source() })
    const { known } = await stateOf(store)
    expect(new Set(known.map(({ sourceClass }) => sourceClass))).toEqual(new Set(['import']))
    expect(known.every(({ tags }) => tags.includes(`imported/${format}`))).toBe(true)
    expect(known.flatMap(({ tags }) => tags).filter((tag) => tag.startsWith('self/'))).toEqual([])
    expect((await memory.recall({ frame: 'self' })).blocks).toEqual([])
  })

  test('is kept apart in a scope', async () => {
    const { memory } = await openTestMemory()
    const path = source()
    const { created } = await memory.importFrom({ path, scope: 'elsewhere' })
    const { inboxCount, activeCount } = await memory.status({ scope: 'elsewhere' })
    expect(inboxCount + activeCount).toBe(created)
    expect(await memory.importFrom({ path })).toMatchObject({ created })
  })
})

test('a trusted import keeps who speaks and what says who the agent is', async () => {
  const { memory } = await openTestMemory()
  expect(await memory.importFrom({ path: pythonDatabase(), trusted: true })).toMatchObject({ tagsDropped: 0 })
  const { blocks } = await memory.recall({ frame: 'self' })
  expect(blocks.map(({ content }) => content).sort()).toEqual([
    'I keep the log of the harbour.',
    'Say what the tide does.',
  ])
  const { block } = await memory.show({ blockId: '2edf4561c0341216' })
  expect(block).toMatchObject({ sourceClass: 'user', source: 'user' })
})

test('an import whose beginning the log has dropped is not taken back by half', async () => {
  const { memory, store } = await openTestMemory({ settings: { memory: { keepUndoBytes: 20_000 } } })
  const lines = Array.from({ length: 600 }, (_, n) => `- Locker ${n} holds ${n * 7} gaskets.`)
  const { operationId } = await memory.importFrom({ path: fileOf('AGENTS.md', lines.join('\n')) })
  await memory.curate()
  const before = await stateOf(store)
  expect(await refusal(memory.undo({ operationId: operationId! }))).toMatchObject({ code: 'WRONG_STATUS' })
  expect(await stateOf(store)).toEqual(before)
})

test('nobody but the owner imports', async () => {
  const { memory } = await openTestMemory({ as: 'agent' })
  expect(await refusal(memory.importFrom({ path: SERVER_MEMORY }))).toMatchObject({ code: 'OWNER_ONLY' })
})

describe('what is here already', () => {
  test('stays as it is: no import adds tags, cues, evidence or connections to it', async () => {
    const { memory, store, learn } = await openTestMemory()
    const [id] = await learn('The ferry to Ystad leaves pier four at six.')
    const before = await store.read((tx) => tx.blocks([id!]))
    const answer = await memory.importFrom({ path: pythonDatabase() })
    expect(answer).toMatchObject({ created: 8, known: 1, linksMade: 1, withEvidence: 1 })
    expect(answer.left).toContainEqual(expect.objectContaining({ what: 'links', count: 1 }))
    const after = await store.read((tx) => tx.blocks([id!]))
    const said = ({ tags, cue, successes, failures, sourceClass }: (typeof before)[number]) => ({
      ...{ tags, cue, successes, failures, sourceClass },
    })
    expect(after.map(said)).toEqual(before.map(said))
  })

  test('does not come back once it was forgotten, edited or repeated', async () => {
    const { memory } = await openTestMemory()
    const path = fileOf(
      'AGENTS.md',
      '- Sow the beans in May.\n- Water the beans at dawn.\n- Pick the beans in August.',
    )
    await memory.importFrom({ path })
    await memory.dream()
    const ids = new Map((await memory.ls()).blocks.map(({ id, content }) => [content, id]))
    await memory.forget({ blockId: ids.get('Sow the beans in May.')! })
    await memory.edit({ blockId: ids.get('Water the beans at dawn.')!, content: 'Water the beans at dusk.' })
    expect(await memory.importFrom({ path })).toMatchObject({ created: 0, known: 1, movedOn: 2 })
    expect((await memory.ls()).blocks.map(({ content }) => content).sort()).toEqual([
      'Pick the beans in August.',
      'Water the beans at dusk.',
    ])
  })

  test('what was disconnected stays apart', async () => {
    const { memory } = await openTestMemory()
    const path = pythonDatabase()
    await memory.importFrom({ path })
    await memory.disconnect({ source: '6b5a54894236b6f9', target: '2edf4561c0341216', reason: 'wrong' })
    const would = await memory.importFrom({ path, dryRun: true })
    const did = await memory.importFrom({ path })
    expect(did).toMatchObject({ linksMade: 0, left: would.left })
    expect(would.linksMade).toBe(0)
  })
})

test('facts that differ in a number or a name stay apart, also after a dream', async () => {
  const { memory } = await openTestMemory()
  const texts = [
    'The lathe takes bars of 40 mm.',
    'The lathe takes bars of 45 mm.',
    'The mill takes bars of 40 mm.',
  ]
  await memory.importFrom({ path: fileOf('AGENTS.md', texts.map((text) => `- ${text}`).join('\n')) })
  await memory.dream()
  expect((await memory.ls()).blocks.map(({ content }) => content).sort()).toEqual(texts)
})

test('a long text is cut into pieces that name their headings', async () => {
  const { memory } = await openTestMemory()
  const part = (name: string) =>
    `## ${name}\n\n${Array.from({ length: 40 }, (_, n) => `${name} has shelf ${n}.`).join(' ')}`
  const path = fileOf('Store.md', `# Store\n\n${part('North')}\n\n${part('South')}`)
  const { created, texts } = await memory.importFrom({ path })
  expect(created).toBeGreaterThan(2)
  expect(texts).toBe(created)
  expect(await memory.importFrom({ path })).toMatchObject({ created: 0 })
})

test('secrets are taken out, or their texts left out where memory.secrets refuses them', async () => {
  const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  const path = fileOf('AGENTS.md', `- The robot's token is ${token}.\n- The robot sweeps at nine.`)
  const { memory } = await openTestMemory()
  const redacted = await memory.importFrom({ path })
  expect(redacted).toMatchObject({ created: 2, redacted: [{ count: 1, field: 'AGENTS.md: content' }] })
  const strict = await openTestMemory({ settings: { memory: { secrets: 'refuse' } } })
  const refused = await strict.memory.importFrom({ path })
  expect(refused).toMatchObject({ created: 1, left: [{ what: 'texts', count: 1 }] })
  for (const each of [memory, strict.memory])
    expect(JSON.stringify(await each.ls({ status: 'inbox' }))).not.toContain(token)
})

test('a cancelled import keeps whole transactions, and the same call adds the rest', async () => {
  const { memory } = await openTestMemory()
  const lines = Array.from({ length: 900 }, (_, n) => `- Crate ${n} holds ${n * 3} lamps.`)
  const path = fileOf('AGENTS.md', lines.join('\n'))
  const abort = new AbortController()
  const stages: string[] = []
  const progress = ({ stage, done }: { stage: string; done: number }) => {
    stages.push(`${stage} ${done > 0}`)
    if (stages.length === 2) abort.abort()
  }
  const cancelled = await refusal(memory.importFrom({ path }, { signal: abort.signal, progress }))
  expect(cancelled).toMatchObject({ code: 'CANCELLED', recovery: expect.stringContaining('undo()') })
  expect(stages).toEqual(['importing true', 'importing true'])
  expect(await memory.importFrom({ path })).toMatchObject({ created: 400, known: 500 })
  expect(await memory.importFrom({ path })).toMatchObject({ created: 0, known: 900 })
})

test('two imports of one file at once bring everything once', async () => {
  const { memory, store } = await openTestMemory()
  const path = pythonDatabase()
  await Promise.all([memory.importFrom({ path }), memory.importFrom({ path })])
  const { known } = await stateOf(store)
  expect(known).toHaveLength(9)
  expect(known.find(({ id }) => id === '2edf4561c0341216')).toMatchObject({ successes: 2 })
})

describe('on the command line', () => {
  test('a dry run makes no memory and is set to the width of the terminal', async () => {
    const home = temporaryDirectory()
    const world = { home, tty: true, columns: 60, env: { NO_COLOR: '1' } }
    const { code, out } = await elfmem(['import-from', pythonDatabase(), '--dry-run'], world)
    expect(code).toBe(0)
    expect(out).toContain('9  new blocks')
    expect(out).toContain('Nothing was written.')
    const lines = out.split('\n').filter((line) => !line.includes(home))
    expect(lines.filter((line) => line.length > 60)).toEqual([])
    expect((await elfmem(['status', '--json'], { home })).out).toContain('There is no memory at')
  })

  test('every command names the way in where the database of the Python elfmem stands', async () => {
    const home = temporaryDirectory()
    const db = pythonDatabase()
    for (const command of [['status'], ['recall', 'tea'], ['remember', 'tea'], ['ls'], ['doctor']]) {
      const { code, err } = await elfmem([...command, '--db', db], { home })
      expect(code, command.join(' ')).not.toBe(0)
      expect(err).toContain(`elfmem import-from ${db} --db `)
    }
    const target = db.replace('.db', '-imported.db')
    expect((await elfmem(['import-from', db, '--db', target], { home })).out).toContain(
      '9 blocks are taken in',
    )
    expect((await elfmem(['ls', '--db', target], { home })).out).toContain('9 active blocks')
  })
})

test('what waits because no dream ran is joined by the next import', async () => {
  const broken = {
    model: 'broken',
    dimensions: 8,
    embed: () => Promise.reject(new ElfmemError('EMBEDDER_FAILED', 'No.', { recovery: 'None.' })),
  }
  const { memory, store, path } = await openTestMemory({ embedder: broken as never })
  const graph = SERVER_MEMORY
  const first = await memory.importFrom({ path: graph })
  expect(first).toMatchObject({ created: 8, linksMade: 0 })
  expect(first.left).toContainEqual(
    expect.objectContaining({ what: 'links', count: 2, why: expect.stringContaining('EMBEDDER_FAILED') }),
  )
  const healed = await openTestMemory({ store, path })
  expect(await (healed.memory as Memory).importFrom({ path: graph })).toMatchObject({
    created: 0,
    linksMade: 2,
  })
})

test('what a call found of one that was broken off is said to have an undo of its own, and both give all back', async () => {
  const { memory, store } = await openTestMemory()
  await memory.remember({ content: 'The cider waits in the cellar.' })
  const before = await stateOf(store)
  const notes = Array.from({ length: 600 }, (_, at) => `- Crate ${at} holds ${at * 7} jars of plum jam.`)
  const path = fileOf('AGENTS.md', notes.join('\n'))
  const breaking = new AbortController()
  const broken = memory.importFrom({ path }, { signal: breaking.signal, progress: () => breaking.abort() })
  expect((await refusal(broken)).code).toBe('CANCELLED')
  const done = (await memory.status({})).inboxCount - 1
  expect(done).toBeGreaterThan(0)
  const [entry] = (await memory.history({ lastN: 1 })).operations
  const rest = await memory.importFrom({ path })
  expect(rest).toMatchObject({ created: 600 - done, known: done, earlier: [entry?.id] })
  expect(rest.summary).toContain(
    `undo({ operationId: ${rest.operationId} }) takes back what came now, then undo({ operationId: ${entry?.id} }) what came before.`,
  )
  await memory.undo({ operationId: rest.operationId })
  expect((await memory.importFrom({ path, dryRun: true })).created).toBe(600 - done)
  await memory.undo({ operationId: entry?.id })
  expect(await stateOf(store)).toEqual(before)
  const again = await memory.importFrom({ path })
  expect(again.earlier).toBeUndefined()
  expect(again.summary).toContain('takes all of it back')
})

test('a call that only joins what one before brought names that one', async () => {
  const { memory } = await openTestMemory()
  const entity = (name: string) =>
    JSON.stringify({ type: 'entity', name, entityType: 'thing', observations: [`It is a ${name}.`] })
  const relation = JSON.stringify({ type: 'relation', from: 'oar', to: 'boat', relationType: 'moves' })
  const first = await memory.importFrom({
    path: fileOf('memory.json', `${entity('oar')}\n${entity('boat')}`),
  })
  const second = await memory.importFrom({
    path: fileOf('memory.json', `${entity('oar')}\n${entity('boat')}\n${relation}`),
  })
  expect(second).toMatchObject({ known: 2, earlier: [first.operationId] })
  expect(second.summary).not.toContain('takes all of it back')
})
