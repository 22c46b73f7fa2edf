import type { Block } from '../../src/block/block.ts'
import { insertBlocks, type NewBlock } from '../../src/store/blocks.ts'
import { sessions } from '../../src/store/tables.ts'
import type { ReadTransaction, Transaction } from '../../src/store/transaction.ts'

/** Inserts one block; `inserted` is false if its id was there. */
export async function insertBlock(
  tx: Transaction,
  block: NewBlock,
): Promise<{ readonly inserted: boolean; readonly block: Block }> {
  const [answer] = await insertBlocks(tx, [block])
  return answer as NonNullable<typeof answer>
}

/** The stored session with an id, without its scope. */
export async function readSession(tx: ReadTransaction, id: string) {
  const [found] = await tx.rows.get(sessions, [[id]])
  const { scope: _scope, ...session } = found ?? {}
  return found && (session as Omit<typeof found, 'scope'>)
}
