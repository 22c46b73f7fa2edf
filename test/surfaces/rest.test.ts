import { expect, test } from 'vitest'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'

test('a command never dreams by itself, and says when a dream is due', async () => {
  const home = temporaryDirectory()
  const env = { ELFMEM_MEMORY_INBOX_THRESHOLD: '2' }
  expect((await elfmem(['remember', 'Tea is at four'], { home, env })).out).not.toContain('elfmem dream')
  const { out } = await elfmem(['remember', 'Lunch is at one'], { home, env })
  expect(out).toContain('elfmem dream')
  const { out: json } = await elfmem(['status', '--json'], { home, env })
  expect(JSON.parse(json)).toMatchObject({ should_dream: true, auto_dream: { mode: 'off' } })
})
