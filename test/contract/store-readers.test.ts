import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { IndexedBlock, StoreReader } from '../../src/ports/store/transaction.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { createStore } from '../../src/store/store.ts'
import { anOperation } from '../../src/testing/harness.ts'
import { NaiveDatabase } from '../oracle/database.ts'
import { actOver } from './store-calls.ts'
import { begin } from './store-steps.ts'
import { NAMES } from './store-values.ts'

/** One who keeps all living blocks and reads only what changed. */
class Follower {
  readonly blocks = new Map<string, IndexedBlock>()
  #sequence = 0
  #generation = 0

  async follow(tx: StoreReader): Promise<void> {
    const { sequence, generation, blocks } = await tx.changes(this.#sequence)
    if (generation !== this.#generation) return this.#letGo(tx, generation)
    for (const each of blocks) this.#take(each)
    this.#sequence = sequence
  }

  async #letGo(tx: StoreReader, generation: number): Promise<void> {
    const removed = await tx.removedSince(this.#generation)
    this.#generation = generation
    if (removed === undefined) this.blocks.clear()
    for (const id of removed?.ids ?? []) this.blocks.delete(id)
    this.#sequence = Math.min(this.#sequence, removed?.sequence ?? 0)
    return this.follow(tx)
  }

  #take(each: IndexedBlock): void {
    const { block, indexUnchanged } = each
    const index = this.blocks.get(block.id)?.index
    if (block.status === 'archived') this.blocks.delete(block.id)
    else if (indexUnchanged && index !== undefined) this.blocks.set(block.id, { block, index })
    else this.blocks.set(block.id, each)
  }
}

/** What a reader who begins is told. */
async function livingIn(tx: StoreReader): Promise<Map<string, IndexedBlock>> {
  const living = new Map<string, IndexedBlock>()
  await tx.livingBlocks((batch) => {
    for (const each of batch) living.set(each.block.id, each)
  })
  return living
}

const acts = fc.array(fc.tuple(actOver(NAMES), fc.boolean()), { minLength: 3, maxLength: 14, size: 'max' })

test.each([
  ['SQLite', () => openSqliteStore(':memory:')],
  ['the naive database', async () => createStore(new NaiveDatabase())],
] as const)(
  'who follows the changes of %s holds what a reader is told who begins, whatever is written and taken back',
  async (_name, open) => {
    await fc.assert(
      fc.asyncProperty(acts, async (all) => {
        const store = await open()
        await begin(store, NAMES)
        const follower = new Follower()
        for (const [{ steps, fails, undoable }, isRead] of all) {
          const write = store.write(
            async (tx) => {
              for (const each of steps) await each(tx)
              if (undoable) await tx.log(anOperation())
              if (fails) throw new Error('on purpose')
            },
            { undoable },
          )
          await write.catch(() => undefined)
          if (!isRead) continue
          await store.read((tx) => follower.follow(tx))
          expect(follower.blocks).toEqual(await store.read(livingIn))
        }
        await store.close()
      }),
      { numRuns: 100 },
    )
  },
)
