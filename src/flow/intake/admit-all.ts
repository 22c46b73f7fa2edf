import type { Block } from '../../domain/block/block.ts'
import { ElfmemError } from '../../errors.ts'
import type { NewBlock, StoreReader } from '../../ports/store/transaction.ts'
import { reindex } from '../blocks/reindex.ts'
import { firstLifeId, hasSameContent, laterLifeIds } from '../blocks/same-content.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { type Admitted, created, type Draft, mergedInto, newBlock, textOf } from './admit.ts'

/** Some of the texts a caller gave, and the place of the first among them. */
export interface Drafts {
  readonly drafts: readonly Draft[]
  readonly first: number
}

/** Blocks by id, as they would be by now. */
type Blocks = Map<string, Block>

/**
 * Puts drafts into the inbox as `admit` would, one after the other: the same ids, places and merges. At most eight
 * statements, however many there are. What refuses one refuses all and says which.
 */
export async function admitAll(
  engine: Engine,
  mutation: Mutation,
  { drafts, first }: Drafts,
): Promise<Admitted[]> {
  const { tx } = mutation
  const firstIds = drafts.map((draft) => firstLifeId(textOf(engine, draft), engine.ids))
  const blocks = await livesOf(engine, tx, { drafts, firstIds })
  const fresh = new Map<string, NewBlock>()
  const changed = new Map<string, Block>()
  const recued = new Set<string>()
  const admitted = drafts.map((draft, i): Admitted => {
    const { same, free } = placeOf(engine, blocks, { draft, firstId: firstIds[i] as string })
    const block = same ?? { ...newBlock(engine, mutation, draft, free), position: 0 }
    const each = same ? forItem(first + i, () => mergedInto(engine, same, draft)) : created(block)
    blocks.set(each.block.id, each.block)
    if (each.created || fresh.has(block.id)) fresh.set(block.id, each.block)
    else if (each.before) changed.set(block.id, each.block)
    if (each.mergedCue) recued.add(block.id)
    return each
  })
  for (const { block } of await tx.insertBlocks([...fresh.values()])) blocks.set(block.id, block)
  await tx.saveBlocks([...changed.values()])
  await reindex(
    tx,
    [...changed.values()].filter(({ id }) => recued.has(id)),
    engine.analysis,
  )
  return admitted.map((each) => ({ ...each, block: blocks.get(each.block.id) as Block }))
}

/** The blocks that have, or once had, the texts of the drafts. */
async function livesOf(
  engine: Engine,
  tx: StoreReader,
  { drafts, firstIds }: { readonly drafts: readonly Draft[]; readonly firstIds: readonly string[] },
): Promise<Blocks> {
  const blocks = new Map((await tx.blocks(firstIds)).map((block) => [block.id, block]))
  const others = drafts.filter(({ content }, i) => {
    const there = blocks.get(firstIds[i] as string)
    return there !== undefined && !hasSameContent(there, content)
  })
  if (others.length === 0) return blocks
  for (const block of await tx.blocks(
    others.flatMap((draft) => laterLifeIds(textOf(engine, draft), engine.ids)),
  ))
    blocks.set(block.id, block)
  return blocks
}

/** The living block that says the same as a draft, or the id the draft gets. */
function placeOf(
  engine: Engine,
  blocks: Blocks,
  { draft, firstId }: { readonly draft: Draft; readonly firstId: string },
): { readonly same?: Block | undefined; readonly free: string } {
  const { content } = draft
  const there = blocks.get(firstId)
  if (there === undefined) return { free: firstId }
  const later = hasSameContent(there, content) ? [] : laterLifeIds(textOf(engine, draft), engine.ids)
  const same = [firstId, ...later]
    .flatMap((id) => blocks.get(id) ?? [])
    .find((life) => hasSameContent(life, content))
  return { same, free: later.find((id) => !blocks.has(id)) ?? engine.ids.random() }
}

/** Does what is to be done for one of many; a refusal says for which, counted from 0. */
export function forItem<T>(index: number, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    throw new ElfmemError(error.code, `blocks[${index}]: ${error.message}`, {
      recovery: error.recovery,
      details: { ...error.details, index },
      cause: error,
    })
  }
}
