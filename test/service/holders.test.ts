import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { parseGivenSettings } from '../../src/adapters/project/settings-schema.ts'
import { openLifetime } from '../../src/engine/open-memory.ts'
import { table } from '../../src/operations/table.ts'
import { createTestClock } from '../helpers/clock.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'

const TEXT = 'The staging server of Atlas listens on port 4210 since the move in March'

type Block = { readonly blockId: string }
type Recalled = { readonly text: string; readonly blocks: readonly { readonly id: string }[] }

/** Opens a memory with two holders. */
async function twoHolders() {
  const clock = createTestClock()
  const source = {
    settings: parseGivenSettings({}),
    database: { path: join(temporaryFolder(), 'shared.db'), rule: '--db' },
    env: {},
  } as const
  const memory = await openLifetime(source, { clock, embedder: createHashingEmbedder(), as: 'owner' })
  onTestFinished(() => memory.close())
  return { memory, clock, source, ann: memory.heldBy('ann'), ben: memory.heldBy('ben') }
}

test('what two holders remember is of two sessions, and each has breadcrumbs of its own', async () => {
  const { memory, ann, ben } = await twoHolders()
  const one = (await ann.call(table.remember, { content: TEXT })) as Block
  const other = (await ben.call(table.remember, { content: 'The harbour ferry leaves at nine' })) as Block
  const sessions = await Promise.all(
    [one, other].map(async ({ blockId }) => {
      const { block } = (await memory.call(table.show, { blockId })) as { block: { session: string } }
      return block.session
    }),
  )
  expect(new Set(sessions).size).toBe(2)
  expect([ann.lastLearnedBlockId, ben.lastLearnedBlockId]).toEqual([one.blockId, other.blockId])
  await ben.call(table.recall, { query: 'staging port' })
  expect(ann.lastRecallBlockIds).toEqual([])
  expect(memory.sessionBlockIds).toEqual([])
  expect(memory.heldBy('ann')).toBe(ann)
})

test('what one holder was shown is no echo if the other says it', async () => {
  const { ann, ben } = await twoHolders()
  const { blockId } = (await ann.call(table.remember, { content: TEXT })) as Block
  const shown = ((await ann.call(table.recall, { query: 'staging port', ids: true })) as Recalled).text
  const echo = { content: `${shown}\nBen has the key of the harbour` }
  expect(await refusal(ann.call(table.remember, echo))).toMatchObject({ code: 'FRAME_IN_TEXT' })
  const said = await ben.call(table.remember, echo)
  expect(said).toMatchObject({ status: 'created' })
  expect((said as Block).blockId).not.toBe(blockId)
})

test('the idle session of one holder ends while that of another goes on, and closing ends both', async () => {
  const { memory, clock, source, ann, ben } = await twoHolders()
  const sessionOf = async (content: string, of = ann) => {
    const { blockId } = (await of.call(table.remember, { content })) as Block
    return ((await memory.call(table.show, { blockId })) as { block: { session: string } }).block.session
  }
  const [first, kept] = [await sessionOf('One'), await sessionOf('Two', ben)]
  clock.advance({ minutes: 20 })
  expect(await sessionOf('Three', ben)).toBe(kept)
  clock.advance({ minutes: 20 })
  expect(await sessionOf('Four', ben)).toBe(kept)
  expect(await sessionOf('Five')).not.toBe(first)
  await ben.close()
  expect(await sessionOf('Six', memory.heldBy('ben'))).not.toBe(kept)
  await memory.close()
  expect(await refusal(ann.call(table.recall, { query: 'x' }))).toMatchObject({ code: 'CLOSED' })
  const { openSqliteStore } = await import('../../src/sqlite/store.ts')
  const { readLatestOpenSession } = await import('../../src/store/log.ts')
  const store = await openSqliteStore(source.database.path)
  onTestFinished(() => store.close())
  expect(await store.read(readLatestOpenSession)).toBeUndefined()
})
