import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openSqliteStore } from '../../src/adapters/sqlite/store.ts'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'

const ROUNDS = 20
const child = join(import.meta.dirname, 'children/live.ts')

/** Lets an agent live on the file and kills it after some answers; returns all it was told. */
async function liveAndDie(path: string, round: number): Promise<string[]> {
  const running = spawn(process.execPath, ['--no-warnings', child, path, `agent${round}`, '1000'])
  running.stdin.write('go\n')
  const told: string[] = []
  const lines = createInterface({ input: running.stdout })
  lines.on('line', (line) => {
    told.push(line)
    if (told.length === 3 + round * 4) running.kill('SIGKILL')
  })
  await Promise.all([once(running, 'exit'), once(lines, 'close')])
  return told
}

// W35
test(`an agent killed ${ROUNDS} times in the middle of remember, dream, outcome or curate keeps all it was told`, async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const told: string[] = []
  let hours = 0
  for (let round = 0; round < ROUNDS; round++) {
    told.push(...(await liveAndDie(path, round)))
    const store = await openSqliteStore(path)
    const idsOf = (kind: string) =>
      told.flatMap((line) => (line.startsWith(kind) ? [line.slice(kind.length + 1)] : []))
    await store.read(async (tx) => {
      const remembered = await tx.blocks(idsOf('remembered'))
      expect(remembered).toHaveLength(new Set(idsOf('remembered')).size)
      const promoted = await tx.blocks(idsOf('promoted'))
      expect(promoted.filter(({ status }) => status !== 'active')).toEqual([])
      const helped = await tx.blocks(idsOf('helped'))
      expect(helped.filter(({ successes }) => successes !== 1)).toEqual([])
      for (const { block, index } of (await tx.changes(0)).blocks) {
        expect(index?.vector).toHaveLength(384)
        expect(block.tags).toEqual(['seen'])
      }
      const clock = await tx.clock()
      expect(clock.hours).toBeGreaterThanOrEqual(hours)
      hours = clock.hours
    })
    await store.close()
  }
  const { memory } = await openTestMemory({ path })
  await memory.dream()
  expect((await memory.status()).inboxCount).toBe(0)
  await memory.close()
  const raw = new DatabaseSync(path)
  expect(raw.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(raw.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  raw.close()
})
