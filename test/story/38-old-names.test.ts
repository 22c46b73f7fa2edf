import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'
import { asExportOfVersion9, asVersion9 } from '../helpers/old-names.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

/** Two blocks of which the forgotten one supports the other. */
async function forgotten() {
  const opened = await openTestMemory()
  const [from = '', to = ''] = await opened.learn('The kettle is blue', 'Roses need sun in the garden')
  await opened.memory.connect({ source: from, target: to, relation: 'supports' })
  await opened.memory.forget({ blockId: from })
  return { ...opened, from, to }
}

test('a file with the names of version 9 opens, restores edges, undoes, and finds itself whole', async () => {
  const { memory, path, from, to } = await forgotten()
  await memory.close()
  const raw = new DatabaseSync(path)
  asVersion9(raw)
  const { changes } = raw.prepare(`SELECT group_concat(changes) AS changes FROM operation_changes`).get() as {
    changes: string
  }
  expect(changes).toContain('"tombstones":')
  raw.close()

  const { memory: opened } = await openTestMemory({ path })
  expect((await opened.doctor()).checks.filter(({ outcome }) => outcome === 'fail')).toEqual([])
  await opened.undo()
  const { edges, block } = await opened.show({ blockId: from })
  expect([block.status, edges.map(({ other, relation }) => [other, relation])]).toEqual([
    'active',
    [[to, 'supports']],
  ])
  await opened.forget({ blockId: to })
  await opened.restore({ blockId: to })
  expect((await opened.show({ blockId: to })).edges).toHaveLength(1)
})

test('a pair that version 9 found by likeness is found by similarity now', async () => {
  const { memory, path, learn } = await openTestMemory()
  const [, newer = ''] = await learn(
    'The blue kettle is in the kitchen',
    'The blue kettle is in the kitchen now',
  )
  const pairs = async (opened: typeof memory) =>
    (await opened.show({ blockId: newer })).openPairs.map(({ kind, foundBy }) => [kind, foundBy])
  expect(await pairs(memory)).toEqual([['near_duplicate', 'similarity']])
  await memory.close()
  const raw = new DatabaseSync(path)
  asVersion9(raw)
  raw.close()
  const { memory: opened } = await openTestMemory({ path })
  expect(await pairs(opened)).toEqual([['near_duplicate', 'similarity']])
})

test('an export with the names of version 9 is taken in whole', async () => {
  const { memory, from } = await forgotten()
  const path = join(temporaryFolder(), 'old.jsonl')
  await memory.export({ path })
  const old = asExportOfVersion9(readFileSync(path, 'utf8'))
  expect(old).toContain('"table":"tombstones"')
  writeFileSync(path, old)

  const { memory: empty } = await openTestMemory()
  await empty.import({ path, trusted: true })
  await empty.restore({ blockId: from })
  expect((await empty.show({ blockId: from })).edges).toMatchObject([{ relation: 'supports' }])
})

test('a program that uses a setting of old is told once and gets what it asked for', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const old = { recall: { stretchFloor: 0.1 }, llm: { keepPairs: 7 } }
  const memory = await openMemory(':memory:', { config: old as object })
  await memory.close()
  expect(warn.mock.calls.map(([text]) => text)).toEqual([
    'The setting recall.stretchFloor is called recall.normalisationFloor now; the old name still counts.',
    'The setting llm.keepPairs is called llm.maxUnlabelledPairs now; the old name still counts.',
  ])
  await (await openMemory(':memory:', { config: old as object })).close()
  expect(warn).toHaveBeenCalledTimes(2)
})

test('who asks the inbox for what is due gets it under the names it knows, and nobody else pays for them', async () => {
  const { memory, learn } = await openTestMemory()
  const [id = ''] = await learn('The kettle is blue')
  const client = await connectClient(memory)
  const ask = async (args: Record<string, unknown>) =>
    (await client.callTool({ name: 'elfmem_inbox', arguments: args })).structuredContent as Record<
      string,
      readonly { readonly id: string }[]
    >
  const old = await ask({ due: 5 })
  expect([old.due, old.pending_judgement].map((list) => list?.map((each) => each.id))).toEqual([[id], [id]])
  const now = await ask({ pending_judgement: 5 })
  expect(now.pending_judgement?.map((each) => each.id)).toEqual([id])
  expect(now).not.toHaveProperty('due')
  expect(JSON.stringify(await client.listTools())).not.toContain('formerly')
})

test('the command line takes a flag of old and prints the old names beside the new', async () => {
  const home = temporaryDirectory()
  await elfmem(['remember', 'The kettle is blue'], { home })
  const dreamt = JSON.parse((await elfmem(['dream', '--json'], { home })).out)
  expect(dreamt).toMatchObject({ owed: [], pending_judgement: [] })
  const { out } = await elfmem(['inbox', '--due', '3', '--json'], { home })
  expect(JSON.parse(out)).toMatchObject({ due: [{}], pending_judgement: [{}] })
  expect(JSON.parse((await elfmem(['status', '--json'], { home })).out).judge).toMatchObject({
    owed: 0,
    pending: 0,
  })
})
