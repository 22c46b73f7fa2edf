import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BLOCKS, openWaiting, TEXTS } from '../helpers/dream-through.ts'
import { answerOf, judgingEndpoint } from '../helpers/judging-endpoint.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { problemsIn } from './whole.ts'

const child = join(import.meta.dirname, 'children/judged-dream.ts')

// The first twelve calls are about blocks, the rest about pairs.
test.each([1, 12, 13])(
  'a dream killed in call %i of its model leaves whole blocks, and the next dream finishes it',
  async (deadly) => {
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
    expect((await once(dreaming, 'exit'))[1]).toBe('SIGKILL')
    endpoint.play({ answer: (request) => answerOf(request) })
    const settings = { llm: { model: 'fake', baseUrl: endpoint.url } }
    const { memory } = await openTestMemory({ path, settings })
    const { inboxCount, activeCount } = await memory.status()
    expect(inboxCount + activeCount).toBe(BLOCKS)
    const { pendingJudgement, pairsUnlabelled } = await memory.dream()
    expect([pendingJudgement, pairsUnlabelled]).toEqual([[], 0])
    const { blocks } = await memory.ls({ limit: 500, status: 'active' })
    expect(blocks.map(({ content }) => content).sort()).toEqual([...TEXTS].sort())
    expect(problemsIn(path)).toEqual([])
    await endpoint.close()
  },
)
