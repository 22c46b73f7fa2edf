import { isConstitutional } from '../../domain/block/tags.ts'
import { ElfmemError } from '../../errors.ts'
import { archive } from '../blocks/archive.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import { mustNotBeAbove } from '../guard/claimed-class.ts'
import { refusePrinciple } from '../guard/owner-only.ts'
import { requireBlock } from '../guard/resolve-ids.ts'

export interface ForgetInput {
  readonly blockId: string
  /** For the log. */
  readonly reason?: string | undefined
  readonly allowConstitutional: boolean
}

export interface ForgetResult {
  readonly blockId: string
  readonly status: 'forgotten' | 'already_archived'
}

/** Archives a block because somebody asked; `OWNER_ONLY` if it is trusted more than the caller. Nothing is lost: `restore` brings back tags, edges and pairs. */
export function forget(engine: Engine, context: CallContext, input: ForgetInput): Promise<ForgetResult> {
  return mutate(engine, context, async ({ tx, log }) => {
    const block = await requireBlock(tx, input.blockId)
    refusePrinciple(engine, context, block, `elfmem forget ${block.id} --allow-constitutional`)
    if (block.status !== 'archived' && isConstitutional(block.tags) && !input.allowConstitutional)
      throw new ElfmemError('PROTECTED', `Block ${block.id} is a principle of the constitution.`, {
        recovery: 'Pass allowConstitutional: true when it was agreed to let it go; restore brings it back.',
        details: { blockId: block.id },
      })
    mustNotBeAbove(engine, context, {
      block,
      done: 'archived',
      command: `elfmem forget ${block.id}`,
      otherwise: `Say otherwise beside it with remember({ content, supersedes: '${block.id}' }): that is a proposal to the owner.`,
    })
    const archived = await archive(tx, [block], { reason: 'forgotten' })
    const status = archived.length > 0 ? 'forgotten' : 'already_archived'
    await log({
      operation: 'forget',
      blockIds: [block.id],
      summary: status === 'forgotten' ? `archived an ${block.status} block` : 'was archived already',
      ...(input.reason ? { reason: input.reason } : {}),
      ...(status === 'forgotten' ? { before: { status: block.status } } : {}),
    })
    return { blockId: block.id, status }
  })
}
