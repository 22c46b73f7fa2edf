import { join } from 'node:path'
import type { Memory } from '../../../src/engine/memory.ts'
import { stagePairs } from '../../../src/store/graph.ts'
import { openTestMemory, type TestMemory, temporaryFolder } from '../../helpers/memory.ts'
import { statements } from '../../helpers/words.ts'

/** A memory with something in nearly every table. */
export async function lived(options?: Parameters<typeof openTestMemory>[0]): Promise<TestMemory> {
  const opened = await openTestMemory(options)
  const { memory, clock, learn } = opened
  await memory.setup({ identity: 'I keep a house.', seed: true })
  const ids = await learn(...statements(24), 'The kettle is blue.', 'The kettle is not blue.')
  for (let turn = 0; turn < 4; turn++) {
    await memory.session(async () => void (await memory.recall({ query: `apple pear ${turn}`, topK: 4 })))
    clock.advance({ hours: 2 })
  }
  await memory.remember({ content: 'The kettle is blue.', source: 'Ana' })
  await memory.outcome({ helped: ids.slice(0, 3), misled: ids.slice(3, 4) })
  const asked = await memory.recall({ query: 'which kettle is blue', topK: 2 })
  await memory.outcome({ recallId: asked.recallId!, helped: asked.blockIds.slice(0, 1) })
  const note = 'both, "quoted" \u2028'
  await memory.connect({ source: ids[5]!, target: ids[6]!, relation: 'supports', note })
  await memory.connect({ source: ids[7]!, target: ids[8]! })
  await memory.disconnect({ source: ids[7]!, target: ids[8]!, reason: 'wrong' })
  await memory.edit({ blockId: ids[9]!, content: 'Edited, with __proto__ and "quotes"\n and 語.' })
  await memory.forget({ blockId: ids[0]! })
  await memory.remember({ content: 'Over there', scope: 'elsewhere', tags: ['peer-less'] })
  const { blockId } = await memory.remember({
    content: 'Still waiting.',
    expect: { by: '2027-01-01', probability: 0.5 },
  })
  await memory.outcome({ blockIds: [blockId], signal: 0.7 })
  await memory.curate()
  const once = { mark: 's', threshold: 3, limit: 9, disconnectedSince: 0 }
  await opened.store.write((tx) => stagePairs(tx, [[ids[10]!, ids[20]!]], once))
  return opened
}

/** Writes an export; its path. */
export async function exported(memory: Memory): Promise<string> {
  const path = join(temporaryFolder(), 'export.jsonl')
  await memory.export({ path })
  return path
}
