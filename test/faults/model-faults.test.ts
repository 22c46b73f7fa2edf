import { expect, test } from 'vitest'
import { BLOCKS, dreamThrough, FAULTS, openWaiting, TEXTS } from '../helpers/dream-through.ts'
import { answerOf, judgingEndpoint } from '../helpers/judging-endpoint.ts'
import { openTestMemory } from '../helpers/memory.ts'

/** The first call is about blocks, the thirteenth about pairs. */
const CALLS = [1, 13]

test.each(FAULTS)('a dream loses nothing when a call ends in %j, and the next finishes it', async (fault) => {
  expect.hasAssertions()
  for (const call of CALLS) await dreamThrough(fault, call)
})

test('a model that always fails is left alone after three failures, and the dream says why and what is pending', async () => {
  const endpoint = await judgingEndpoint({}, { faults: () => 'server-error' })
  const { memory } = await openWaiting(endpoint.url)
  const dream = await memory.dream({ maxSeconds: 30 })
  expect(dream).toMatchObject({ promoted: BLOCKS, analysed: 0 })
  expect(dream.pendingJudgement).toHaveLength(BLOCKS)
  expect(dream.modelTrouble).toBeDefined()
  // Four were on their way at once when the third failed.
  expect(endpoint.calls.length).toBeLessThanOrEqual(6)
})

test('sixty new blocks cost twelve calls and one for twenty pairs, four at a time', async () => {
  const endpoint = await judgingEndpoint({}, { latencyMs: 20 })
  const { memory } = await openWaiting(endpoint.url)
  const dream = await memory.dream()
  expect(dream).toMatchObject({ analysed: BLOCKS, pendingJudgement: [], pairsUnlabelled: 0 })
  expect(endpoint.calls.length).toBe(BLOCKS / 5 + Math.ceil(dream.labelled / 20))
  expect(dream.llmCalls).toBe(endpoint.calls.length)
  expect(dream.tokens).toBe(endpoint.tokens)
  expect(endpoint.concurrency).toBe(4)
})

test('another process can write while the model thinks', async () => {
  const written: string[] = []
  const endpoint = await judgingEndpoint()
  const { memory, path } = await openWaiting(endpoint.url)
  const other = await openTestMemory({ path, settings: { store: { busySeconds: 0.001 } } })
  endpoint.play({
    answer: async (request, call) => {
      written.push((await other.memory.remember({ content: `Written beside call ${call}` })).status)
      return answerOf(request)
    },
  })
  await memory.dream({ maxSeconds: 30, maxCount: TEXTS.length })
  expect(written.length).toBeGreaterThan(12)
  expect(new Set(written)).toEqual(new Set(['created']))
})
