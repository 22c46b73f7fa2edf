import { ElfmemError } from '../../errors.ts'
import type { Engine } from './engine.ts'

/** A memory this small is read from its rows as quickly. */
const LEAST_BLOCKS = 1_000
/** The packed copy is made anew when so many changes, and such a part of the blocks, came after it. */
const LEAST_CHANGES = 500
const CHANGED_SHARE = 0.05

/**
 * Makes the packed copy of the index anew when the one there is has fallen behind, so that whoever opens the memory next
 * need not read every row. Called at rest: after a dream and when a memory is closed. Does nothing as a rule;
 * cost then about 1 ms for 1,000 blocks and one small write that need not be durable.
 */
export async function keepIndex(engine: Engine): Promise<void> {
  const { index, keptIndex, store, ids, logger } = engine
  const { unkept, size } = index
  if (keptIndex === undefined || size < LEAST_BLOCKS) return
  if (unkept < Math.max(LEAST_CHANGES, size * CHANGED_SHARE)) return
  try {
    await store.read((tx) => index.refresh(tx))
    const mark = ids.random()
    const { header, sections } = index.pack(mark)
    if (!(await keptIndex.cache.keep(header, sections))) return
    const isOld = await store.write(
      async (tx) => {
        await tx.saveMeta(keptIndex.mark, mark)
        return (await tx.changes(Number.MAX_SAFE_INTEGER)).generation !== index.generation
      },
      { durable: false },
    )
    // Another process removed blocks between the reading and the writing: their words must not stay in a file.
    if (isOld) keptIndex.cache.drop()
  } catch (error) {
    // Without a packed copy the next one to open reads the rows: slower, and right.
    if (!ElfmemError.is(error)) throw error
    logger.log({
      level: 'debug',
      operation: 'keepIndex',
      actor: 'elfmem',
      milliseconds: 0,
      outcome: error.code,
      detail: error.message,
    })
  }
}
