import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Memory } from '../../../src/engine/memory.ts'
import { openTestMemory, temporaryFolder } from '../../helpers/memory.ts'
import { miniLm } from '../../helpers/minilm.ts'

const GATE = 'The north gate of the depot opens with the brass key that hangs behind the stove.'

/** A report of some 200 words on other matters. */
const REPORT = Array.from(
  { length: 16 },
  (_, i) => `On day ${i + 1} the crew counted crates of oranges, painted fences and rested in the shade.`,
)

/** A long text that says something in its middle. */
const longText = (said: string) => REPORT.toSpliced(8, 0, said).join(' ')

const SHORT = ['Lemons are pickled every spring.', 'The choir sings on weekdays.', 'Kites need wind.']

async function openLong() {
  const opened = await openTestMemory({ embedder: miniLm() })
  const [long] = await opened.learn(longText(GATE), ...SHORT)
  return { ...opened, long: long as string }
}

const ask = (memory: Memory, more: object = {}) =>
  memory.recall({ query: 'which key opens the north gate of the depot?', reinforce: false, ...more })

test('recall finds the passage of a long block that waits for its dream', async () => {
  const { memory } = await openTestMemory({ embedder: miniLm() })
  const { blockId } = await memory.remember({ content: longText(GATE) })
  const { blocks } = await ask(memory)
  expect(blocks[0]?.id).toBe(blockId)
  expect(blocks[0]?.content).toContain(GATE)
})

test('reembed makes the vectors of passages too', async () => {
  const { memory, path } = await openLong()
  const before = (await ask(memory)).blocks[0]
  await memory.close()
  const { memory: again } = await openTestMemory({ path, embedder: { ...miniLm(), model: 'another name' } })
  await again.reembed()
  const after = (await ask(again)).blocks[0]
  expect(after?.content).toBe(before?.content)
})

test('import of a long block keeps the vectors of its passages', async () => {
  const { memory } = await openLong()
  const before = (await ask(memory)).blocks.map(({ id, content }) => ({ id, content }))
  const to = join(temporaryFolder(), 'all.jsonl')
  await memory.export({ path: to })
  const { memory: other } = await openTestMemory({ embedder: miniLm() })
  await other.import({ path: to })
  expect((await ask(other)).blocks.map(({ id, content }) => ({ id, content }))).toEqual(before)
})

const NOW = 'The north gate of the depot opens with the steel key that the porter carries.'

test.each(['living', 'archived'])(
  'recall of what was before serves the best passage of a long earlier version that is %s',
  async (state) => {
    const { memory, learn } = await openTestMemory({ embedder: miniLm() })
    const [before = ''] = await learn(`${REPORT.slice(0, 3).join(' ')} ${longText(GATE)}`, ...SHORT)
    const { blockId: now } = await memory.remember({ content: longText(NOW), supersedes: before })
    await memory.dream()
    if (state === 'archived') await memory.resolve({ a: before, b: now, keep: 'b' })
    const query = 'which key did the north gate of the depot open with before?'
    const [first] = (await memory.recall({ query, reinforce: false })).blocks
    expect(first?.id).toBe(before)
    expect(first?.content).toContain(GATE)
    if (state === 'living') expect(first?.content.length).toBeLessThan(longText(GATE).length / 2)
  },
)
