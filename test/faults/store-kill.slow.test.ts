import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import type { Store } from '../../src/ports/store/store.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'

const ROUNDS = 25
const folder = await mkdtemp(join(tmpdir(), 'elfmem-kill-'))
const child = join(import.meta.dirname, 'children/promote-blocks.ts')

afterAll(() => rm(folder, { recursive: true, force: true }))

/** Kills a writer after some acknowledgements, a different number each round; returns all it acknowledged. */
async function killMidway(path: string, round: number): Promise<string[]> {
  const running = spawn(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    child,
    path,
    String(round),
  ])
  const acknowledged: string[] = []
  const lines = createInterface({ input: running.stdout })
  lines.on('line', (line) => {
    acknowledged.push(line)
    if (acknowledged.length === 5 + round * 3) running.kill('SIGKILL')
  })
  await Promise.all([once(running, 'exit'), once(lines, 'close')])
  return acknowledged
}

/** Whole means: what one write did to a block is there completely or not at all. */
async function expectWhole(store: Store, promised: readonly string[]): Promise<void> {
  const idsOf = (kind: string) =>
    promised.flatMap((line) => (line.startsWith(kind) ? [line.slice(kind.length + 1)] : []))
  await store.read(async (tx) => {
    const inserted = await tx.blocks(idsOf('inserted'))
    expect(inserted.map((block) => block.id)).toEqual(idsOf('inserted'))
    const active = (await tx.changes(0)).blocks.filter(({ block }) => block.status === 'active')
    const activeIds = new Set(active.map(({ block }) => block.id))
    expect(idsOf('promoted').filter((id) => !activeIds.has(id))).toEqual([])
    for (const { block, index } of active) {
      expect([block.id, block.successes, index?.vector?.length]).toEqual([block.id, 1, 384])
    }
    const counts = await tx.counts()
    const rounds = new Set(active.map(({ block }) => block.id.split('-')[0])).size
    expect(counts.edges).toBe(active.length - rounds)
    expect(await tx.operations({ limit: 100_000, operation: 'dream' })).toHaveLength(active.length)
    const tagged = await tx.page({ order: 'arrival', tag: 'whole', limit: 100_000 })
    expect(tagged.blocks).toHaveLength(active.length + counts.inbox)
  })
}

test(`a writer killed in the middle of its work ${ROUNDS} times loses nothing it acknowledged`, async () => {
  const path = join(folder, 'killed.db')
  const promised: string[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const acknowledged = await killMidway(path, round)
    expect(acknowledged.length).toBeGreaterThan(0)
    promised.push(...acknowledged)
    const store = await openSqliteStore(path)
    await expectWhole(store, promised)
    await store.close()
  }
  const raw = new DatabaseSync(path)
  expect(raw.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(raw.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  raw.close()
}, 300_000)
