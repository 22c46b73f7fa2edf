import { chmodSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'

/** Changes a memory as no operation does. */
function tamper(path: string, sql: string): void {
  const raw = new DatabaseSync(path)
  raw.exec(`PRAGMA foreign_keys = OFF; ${sql}`)
  raw.close()
}

test('doctor marks what it can mend, and exactly that is well after fix', async () => {
  const { memory, path, learn } = await openTestMemory()
  const [apple, pear] = await learn('one apple', 'one pear')
  await memory.connect({ source: apple!, target: pear! })
  const marked = async () => {
    const { checks } = await memory.doctor()
    return Object.fromEntries(checks.flatMap(({ name, fixable }) => (fixable ? [[name, fixable]] : [])))
  }
  expect(await marked()).toEqual({})
  tamper(
    path,
    `UPDATE block_strengths SET strength = 7; UPDATE blocks SET created_at = 'never';
    INSERT INTO block_vectors (arrival, vector, set_number) VALUES (99, x'00000000', 0)`,
  )
  chmodSync(path, 0o644)
  expect(await marked()).toEqual({ orphans: 'fix', sums: 'fix', access: 'fix' })
  const { checks } = await memory.doctor({ fix: true })
  const outcomes = Object.fromEntries(checks.map(({ name, outcome }) => [name, outcome]))
  expect(outcomes).toMatchObject({ orphans: 'ok', sums: 'ok', access: 'ok', values: 'fail' })
  expect(await marked()).toEqual({})
})

test('each check has a name in words of its own', async () => {
  const { memory } = await openTestMemory()
  const { checks } = await memory.doctor({ resolve: true, fix: true, secrets: true })
  const titles = checks.map(({ title }) => title)
  expect(titles.length).toBeGreaterThan(20)
  expect(new Set(titles).size).toBe(titles.length)
  for (const title of titles) expect(title).toMatch(/^[A-Z][a-z]+/)
})
