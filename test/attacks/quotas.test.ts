import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openTestMemory, type TestMemoryOptions } from '../helpers/memory.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

type Fields = Readonly<Record<string, unknown>>

async function served(store: NonNullable<TestMemoryOptions['settings']>['store']) {
  const opened = await openTestMemory({ settings: { store } })
  const client = await connectClient(opened.memory)
  const call = async (tool: string, args: Fields = {}) =>
    (await client.callTool({ name: `elfmem_${tool}`, arguments: args })).structuredContent as Fields
  const namesIn = (folder: string) => readdirSync(`${opened.path}.${folder}`).sort()
  await opened.memory.remember({ content: 'Tea is at four.' })
  return { ...opened, owner: opened.memory, call, namesIn }
}

test('backups of an agent take the place of its own, never of the owner’s', async () => {
  const { owner, call, namesIn, clock } = await served({ keepBackups: 2 })
  const owners = [(await owner.backup()).name]
  clock.advance({ minutes: 1 })
  owners.push((await owner.backup()).name)
  const made: string[] = []
  for (let turn = 0; turn < 6; turn += 1) {
    clock.advance({ minutes: 1 })
    made.push(String((await call('backup')).name))
  }
  expect(namesIn('backups')).toEqual([...owners, ...made.slice(-2)].sort())
})
