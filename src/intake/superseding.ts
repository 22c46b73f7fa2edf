import type { Block } from '../block/block.ts'
import { isConstitutional } from '../block/tags.ts'
import type { Engine } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { REDACTED } from '../secrets/values.ts'
import { readBlocks } from '../store/blocks.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { notFound, resolveIds } from './check-input.ts'

/** The block an id or prefix stands for, if another may take its place; throws why it may not. */
type Replaceable = (given: string) => Block

/**
 * Looks up blocks whose place new ones are to take. Two statements, however many there are. What is returned throws
 * `NOT_FOUND`, `AMBIGUOUS_ID`, `WRONG_STATUS` for an archived block, `PROTECTED` for a principle, and `INVALID_INPUT` for
 * a block of another scope.
 */
export async function readReplaceable(
  engine: Pick<Engine, 'scope'>,
  tx: ReadTransaction,
  given: readonly string[],
): Promise<Replaceable> {
  const { ids, byGiven, ambiguous } = await resolveIds(tx, given, { ambiguous: 'report' })
  const blocks = new Map((await readBlocks(tx, ids)).map((block) => [block.id, block]))
  return (one) => {
    const unclear = ambiguous.get(one.trim())
    if (unclear) throw unclear
    const block = blocks.get(byGiven.get(one.trim()) ?? '')
    if (block === undefined) throw notFound([one])
    refuse(engine, block)
    return block
  }
}

function refuse({ scope }: Pick<Engine, 'scope'>, { id, status, tags, scope: other }: Block): void {
  const details = { blockId: id }
  if (isConstitutional(tags))
    throw new ElfmemError('PROTECTED', 'A principle is not replaced by remembering something.', {
      recovery: 'The owner changes it with edit() and allowConstitutional.',
      details,
    })
  if (other !== scope)
    throw new ElfmemError(
      'INVALID_INPUT',
      `Block ${id} belongs to the scope ${other}, the new one does not.`,
      {
        recovery: `Remember it there: remember({ …, scope: '${other}' }).`,
        details,
      },
    )
  if (status === 'archived')
    throw new ElfmemError('WRONG_STATUS', `Block ${id} is archived: recall shows it no more.`, {
      recovery: 'Leave supersedes out; nothing is left to replace.',
      details,
    })
}

/** Refuses that a text takes the place of the very block that says it. */
export function refuseItself(replaced: Block, by: Block): void {
  if (replaced.id !== by.id) return
  // Two passwords leave the same words.
  if (by.content.includes(REDACTED))
    throw new ElfmemError(
      'INVALID_INPUT',
      'Without what was taken out as secret the words are those of the block that they were to replace.',
      {
        recovery: `Keep secrets elsewhere, and remember where. To note the change, say it: "The password changed on 3 March" with supersedes: '${by.id}'.`,
        details: { blockId: by.id },
      },
    )
  throw new ElfmemError('INVALID_INPUT', 'A block cannot supersede itself: the contents are the same.', {
    recovery: 'Leave supersedes out, or use edit() to change the block that is there.',
    details: { blockId: by.id },
  })
}
