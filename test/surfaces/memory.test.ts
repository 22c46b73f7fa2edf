import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/engine/memory.ts'
import { temporaryDirectory } from './helpers/cli.ts'
import { openTestMemory } from './helpers/roads.ts'

const CONTENTS = Array.from(
  { length: 10 },
  (_, at) => `Fact number ${at} stands alone: ${'abcdefghij'[at]}${at * 7}`,
)

async function rememberAll(memory: Memory): Promise<void> {
  for (const content of CONTENTS) await memory.remember({ content })
}

describe('the library', () => {
  test('answers with an object whose text is its summary and that is plain data otherwise', async () => {
    const memory = await openTestMemory()
    const kept = await memory.remember({ content: 'Tea is at four' })
    expect(String(kept)).toBe(kept.summary)
    expect(kept.summary).not.toContain('\n')
    expect(JSON.parse(JSON.stringify(kept))).toEqual({ ...kept })
  })
})

describe('a session', () => {
  test('dreams once at its end when enough waits, and returns what the work returned', async () => {
    const memory = await openTestMemory()
    const answer = await memory.session(async (inside) => {
      await rememberAll(inside)
      expect(await inside.shouldDream()).toBe(true)
      return 42
    })
    expect(answer).toBe(42)
    expect(await memory.shouldDream()).toBe(false)
    expect((await memory.ls({})).blocks).toHaveLength(CONTENTS.length)
  })

  test('keeps the ids of what was learned and found, until the next begins', async () => {
    const memory = await openTestMemory()
    const { blockId } = await memory.remember({ content: 'Tea is at four' })
    await memory.dream()
    const { blockIds } = await memory.recall({ query: 'tea at four' })
    expect(blockIds).toEqual([blockId])
    expect(memory.lastLearnedBlockId).toBe(blockId)
    expect(memory.lastRecallBlockIds).toEqual([blockId])
    expect(memory.sessionBlockIds).toEqual([blockId])
    await memory.beginSession({ taskType: 'another' })
    expect([memory.lastLearnedBlockId, memory.sessionBlockIds]).toEqual([undefined, []])
  })
})

describe('closing', () => {
  test('waits for what was begun and refuses what comes after', async () => {
    const path = join(temporaryDirectory(), 'memory.db')
    const memory = await openMemory(path, { embedder: createHashingEmbedder() })
    const running = memory.remember({ content: 'Tea is at four' })
    await Promise.all([memory.close(), memory.close()])
    expect((await running).status).toBe('created')
    for (const late of [memory.status(), memory.beginSession(), memory.shouldDream()])
      await expect(late).rejects.toMatchObject({ code: 'CLOSED' })
    await using again = await openMemory(path, { embedder: createHashingEmbedder() })
    expect((await again.inbox({})).blocks).toHaveLength(1)
  })
})
