import { copyFileSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { installFaults, statementLine } from './failing-statements.ts'
import type { Fault } from './fault.ts'

installFaults()

const open = (path: string): Promise<Memory> =>
  openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })

function contentsIn(path: string): string[] {
  const raw = new DatabaseSync(path, { readOnly: true })
  const rows = raw.prepare('SELECT content FROM blocks ORDER BY arrival').all()
  raw.close()
  return rows.map(({ content }) => String(content))
}

/** A closed memory with `after`, and a backup of it with `before` alone. */
async function prepared() {
  const path = join(temporaryFolder(), 'memory.db')
  const memory = await open(path)
  await memory.remember({ content: 'before' })
  const backup = join(temporaryFolder(), 'backup.db')
  await memory.backup({ path: backup })
  await memory.remember({ content: 'after' })
  await memory.close()
  return { path, backup }
}

/** Restores in a copy of the memory while one statement fails; returns what came of it. */
async function restored({ path, backup }: { readonly path: string; readonly backup: string }, fault?: Fault) {
  const copy = join(temporaryFolder(), 'memory.db')
  copyFileSync(path, copy)
  const memory = await open(copy)
  statementLine.arm(fault)
  let isRefused = false
  try {
    await memory.restoreBackup({ path: backup })
  } catch {
    isRefused = true
  }
  const { steps, met } = statementLine.disarm()
  await memory.close()
  const backups = existsSync(`${copy}.backups`) ? readdirSync(`${copy}.backups`) : []
  return { isRefused, steps, met, contents: contentsIn(copy), backups }
}

test('whichever late statement of a restore fails, it is refused and nothing has changed, or done and said to be', async () => {
  const files = await prepared()
  const { steps, ...done } = await restored(files)
  expect(done).toMatchObject({ isRefused: false, contents: ['before'], backups: [expect.any(String)] })
  const [refused, succeeded] = [new Set<string>(), new Set<string>()]
  // From the backup of what was there, and the check of it, to the end; each statement once.
  const from = steps.findLastIndex((name) => name.includes('integrity_check'))
  const late = [...new Map(steps.map((name, i) => [name, i + 1] as const))].filter(([, at]) => at > from)
  for (const [name, at] of late) {
    const { isRefused, met, contents, backups } = await restored(files, {
      at,
      code: 'STORE_FULL',
      when: 'before',
    })
    expect(met, name).toBe(true)
    expect({ contents, backups: backups.length }, `${at}: ${name}`).toEqual(
      isRefused ? { contents: ['before', 'after'], backups: 0 } : { contents: ['before'], backups: 1 },
    )
    ;(isRefused ? refused : succeeded).add(name)
  }
  // Failures before the replacement and after it were both met.
  expect([...refused].some((name) => name.includes('integrity_check'))).toBe(true)
  expect([...succeeded].some((name) => name.includes('INSERT INTO operations'))).toBe(true)
})
