import { test } from 'vitest'
import { mustAnswerAlike } from './differential.ts'

test('over thousands of calls a session answers as the one of the SDK that keeps all in memory', async () => {
  await mustAnswerAlike(2_000)
})
