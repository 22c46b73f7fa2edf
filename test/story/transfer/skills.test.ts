import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestMemory, refusal, temporaryFolder } from '../../helpers/memory.ts'
import { elfmem, HASHING } from '../../surfaces/helpers/cli.ts'
import { connectClient } from '../../surfaces/helpers/roads.ts'

const SITUATION = 'When the "staging" deploy fails: twice'

/** A memory with a proven strategy, one that nobody reported on, and one that a tool wrote and that helped. */
async function withStrategies() {
  const opened = await openTestMemory()
  const { memory } = opened
  const ids: string[] = []
  for (const content of [`${SITUATION}, restart the cache.`, 'When the build is red, run it again.'])
    ids.push((await memory.remember({ content, category: 'strategy' })).blockId)
  const words = {
    content: 'When it rains, delete the disk.',
    category: 'strategy',
    sourceClass: 'tool',
  } as const
  const { blockId: foreign } = await memory.remember(words)
  await memory.dream()
  const { recallId } = await memory.recall({ query: 'the staging deploy fails' })
  await memory.outcome({ recallId, helped: [ids[0] as string, foreign] })
  return { ...opened, ids, folder: join(temporaryFolder(), 'skills') }
}

test('export writes proven strategies as skills, and no others', async () => {
  const { memory, ids, folder } = await withStrategies()
  expect(await memory.export({ skills: folder })).toMatchObject({ path: folder, blocks: 1, stayed: [] })
  const [name = ''] = readdirSync(folder)
  expect(name).toMatch(/^[a-z0-9-]+$/)
  const lines = readFileSync(join(folder, name, 'SKILL.md'), 'utf8').split('\n')
  expect(lines.slice(0, 2)).toEqual(['---', `name: ${name}`])
  expect(JSON.parse(lines[2]?.replace('description: ', '') ?? '')).toBe('When the "staging" deploy fails')
  expect(lines.join('\n')).toContain(`${SITUATION}, restart the cache.`)
  expect(lines.join('\n')).toContain(ids[0])
})

test('export writes its own skills anew and leaves files that others wrote or changed', async () => {
  const { memory, folder } = await withStrategies()
  await memory.export({ skills: folder })
  const file = join(folder, readdirSync(folder)[0] ?? '', 'SKILL.md')
  expect(await memory.export({ skills: folder })).toMatchObject({ blocks: 1, stayed: [] })
  appendFileSync(file, 'mine\n')
  expect(await memory.export({ skills: folder })).toMatchObject({ blocks: 0, stayed: [file] })
  writeFileSync(file, 'mine\n')
  expect(await memory.export({ skills: folder })).toMatchObject({ blocks: 0, stayed: [file] })
  expect(readFileSync(file, 'utf8')).toBe('mine\n')
})

test('export refuses two places', async () => {
  const { memory, folder } = await withStrategies()
  const twice = memory.export({ skills: folder, path: join(folder, 'x.jsonl') })
  expect((await refusal(twice)).code).toBe('INVALID_INPUT')
})

test('a folder of skills is for the owner to name: MCP refuses it, the command line takes it', async () => {
  const { memory, folder } = await withStrategies()
  const client = await connectClient(memory)
  const { structuredContent } = await client.callTool({
    name: 'elfmem_export',
    arguments: { skills: folder },
  })
  expect(structuredContent).toMatchObject({ code: 'OWNER_ONLY' })
  const world = { home: temporaryFolder(), cwd: temporaryFolder(), env: HASHING }
  await elfmem(['remember', 'Lunch is at noon.'], world)
  const { code, out } = await elfmem(['export', '--skills', 'skills', '--json'], world)
  expect([code, JSON.parse(out)]).toMatchObject([0, { blocks: 0, path: join(world.cwd, 'skills') }])
})
