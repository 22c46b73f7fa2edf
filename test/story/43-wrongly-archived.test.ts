import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { asVersion9 } from '../helpers/old-names.ts'

const STAYED = 'Remove a merged branch with git branch -d'

/** A file of version 9 as its dream left one: what reads alike is archived on its way in, for the block that stayed. */
async function misjudged(scope?: string) {
  const where = scope === undefined ? {} : { scope }
  const first = await openTestMemory()
  const { blockId: stayed } = await first.memory.remember({ content: STAYED, ...where })
  const { blockId: merged } = await first.memory.remember({ content: 'Ask Mara about branches', ...where })
  await first.memory.dream()
  const lost: string[] = []
  for (const content of [
    STAYED.replace('-d', '-D'),
    `Note: ${STAYED}`.replace('merged', 'stale'),
    'Gone on purpose',
  ])
    lost.push((await first.memory.remember({ content, ...where })).blockId)
  await first.memory.forget({ blockId: lost[2]! })
  await first.memory.forget({ blockId: merged })
  await first.memory.close()
  const raw = new DatabaseSync(first.path)
  const archive = raw.prepare(
    `UPDATE blocks SET status = 'archived', archive_reason = 'superseded', superseded_by = ?1 WHERE id = ?2`,
  )
  // The owner resolved one that was active; a dream rejected two that waited.
  for (const id of [merged, lost[0]!, lost[1]!]) archive.run(stayed, id)
  asVersion9(raw)
  raw.close()
  const { memory } = await openTestMemory({ path: first.path })
  return { memory, wrong: lost.slice(0, 2), merged, forgotten: lost[2]! }
}

async function checkOf(memory: Memory) {
  return (await memory.doctor()).checks.find(({ name }) => name === 'archive')
}

test('doctor names what an older rule archived as a duplicate though it says something else', async () => {
  const { memory, wrong } = await misjudged()
  const check = await checkOf(memory)
  expect(check).toMatchObject({ outcome: 'warn', recovery: expect.stringContaining('bringBack') })
  expect(check?.message).toContain('2 blocks')
  for (const id of wrong) expect(check?.message).toContain(id.slice(0, 8))
})

test('one call brings them back and leaves alone what somebody decided; undo takes it back', async () => {
  const { memory, wrong, merged, forgotten } = await misjudged()
  const told = await memory.doctor({ bringBack: true })
  expect(told.broughtBack.toSorted()).toEqual(wrong.toSorted())
  expect(told.summary).toContain('2 blocks brought back')
  expect(await checkOf(memory)).toMatchObject({ outcome: 'ok' })
  for (const blockId of [merged, forgotten])
    expect((await memory.show({ blockId })).block.status).toBe('archived')
  await memory.undo()
  expect((await memory.show({ blockId: wrong[0]! })).block.status).toBe('archived')
  await memory.doctor({ bringBack: true })
  await memory.dream()
  for (const blockId of wrong) expect((await memory.show({ blockId })).block.status).toBe('active')
  expect((await memory.doctor({ bringBack: true })).broughtBack).toEqual([])
})

test('what was said again since is not brought back beside itself', async () => {
  const { memory, wrong } = await misjudged()
  await memory.remember({ content: STAYED.replace('-d', '-D') })
  expect((await memory.doctor({ bringBack: true })).broughtBack).toEqual(wrong.slice(1))
})

test('a scope brings back its own alone', async () => {
  const { memory, wrong } = await misjudged('atlas')
  expect((await memory.doctor({ bringBack: true, scope: 'garden' })).broughtBack).toEqual([])
  expect((await memory.doctor({ bringBack: true, scope: 'atlas' })).broughtBack).toHaveLength(wrong.length)
})
