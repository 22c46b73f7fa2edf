import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'

const child = join(import.meta.dirname, 'children/recall-and-end.ts')

/** What a process that recalls and ends in this way leaves: its entries in the log, and the uses of the block. */
async function leftBy(how: 'leave' | 'die') {
  const { memory, path, learn } = await openTestMemory()
  const [blockId = ''] = await learn('The red kettle boils.')
  const before = (await memory.show({ blockId })).block.reinforcementCount
  const running = spawn(process.execPath, ['--no-warnings', child, path, how], { stdio: 'inherit' })
  const [code, signal] = await once(running, 'exit')
  const { operations } = await memory.history({ operation: 'recall' })
  const uses = (await memory.show({ blockId })).block.reinforcementCount - before
  return { ended: signal ?? code, recalls: operations.length, uses }
}

test('a process that ends without closing its memory has written the use of its last answer', async () => {
  expect(await leftBy('leave')).toEqual({ ended: 0, recalls: 1, uses: 1 })
})

test('a process that is killed as soon as it has its answer loses that use and nothing else', async () => {
  expect(await leftBy('die')).toEqual({ ended: 'SIGKILL', recalls: 1, uses: 0 })
})
