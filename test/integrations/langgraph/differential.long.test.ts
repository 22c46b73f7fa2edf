import { test } from 'vitest'
import { mustAnswerAlike } from './differential.ts'

test('over thousands of batches the store answers as the one of LangGraph that keeps all in memory', async () => {
  await mustAnswerAlike(3_000)
})
