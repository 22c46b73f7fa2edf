import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { BLOCKS, openWaiting, TEXTS } from '../helpers/dream-through.ts'
import { answerOf, judgingEndpoint } from '../helpers/judging-endpoint.ts'
import { openTestMemory } from '../helpers/memory.ts'

const child = join(import.meta.dirname, 'children/judged-dream.ts')
/** Twelve questions about blocks and those about their pairs. */
const CALLS = 14

test('a process killed during any call of a dream leaves whole blocks, and the next dream finishes it', async () => {
  for (let deadly = 1; deadly <= CALLS; deadly++) {
    const endpoint = await judgingEndpoint()
    const { memory: first, path } = await openWaiting(endpoint.url)
    await first.close()
    const dreaming = spawn(process.execPath, ['--no-warnings', child, path, endpoint.url])
    endpoint.play({
      answer: (request, call) => {
        if (call === deadly) dreaming.kill('SIGKILL')
        return answerOf(request)
      },
    })
    await once(dreaming, 'exit')
    endpoint.play({ answer: (request) => answerOf(request) })
    const { memory, store } = await openTestMemory({
      path,
      settings: { llm: { model: 'fake', baseUrl: endpoint.url } },
    })
    const left = (await memory.status()).inboxCount
    const whole = await memory.ls({ limit: 500, status: 'active' })
    expect(left + whole.blocks.length).toBe(BLOCKS)
    await memory.dream()
    const { blocks } = await memory.ls({ limit: 500, status: 'active' })
    expect(blocks.map(({ content }) => content).sort()).toEqual([...TEXTS].sort())
    const judged = await store.read((tx) => tx.blocks(blocks.map(({ id }) => id)))
    expect(
      judged.filter(({ scoredAt, judgementPending }) => scoredAt === undefined || judgementPending),
    ).toEqual([])
    expect(await store.read((tx) => tx.unlabelledPairs(9))).toEqual([])
    await memory.close()
    const raw = new DatabaseSync(path)
    expect(raw.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    raw.close()
    await endpoint.close()
  }
})
