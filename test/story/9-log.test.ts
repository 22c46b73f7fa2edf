import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestMemory, refusal, temporaryFolder } from '../helpers/memory.ts'

// W48
test('with logging on every operation leaves one event, and none holds what was remembered', async () => {
  const file = join(temporaryFolder(), 'elfmem.log')
  const { memory } = await openTestMemory({ settings: { log: { level: 'info', format: 'json', file } } })
  await memory.remember({ content: 'The vault code is 7781.' })
  await memory.dream()
  await refusal(memory.show({ blockId: 'ffffffff' }))
  await expect.poll(() => readLines(file)).toHaveLength(3)
  const events = readLines(file).map((line) => JSON.parse(line))
  expect(events.map(({ operation, outcome, level }) => [operation, outcome, level])).toEqual([
    ['remember', 'ok', 'info'],
    ['dream', 'ok', 'info'],
    ['show', 'NOT_FOUND', 'error'],
  ])
  for (const event of events)
    expect(event).toMatchObject({ actor: 'library as owner', milliseconds: expect.any(Number) })
  expect(readFileSync(file, 'utf8')).not.toContain('7781')
})

test('a silent library writes no log', async () => {
  const file = join(temporaryFolder(), 'elfmem.log')
  const { memory } = await openTestMemory({ settings: { log: { file } } })
  await memory.remember({ content: 'Nothing to see.' })
  expect(() => readFileSync(file)).toThrow(/ENOENT/)
})

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}
