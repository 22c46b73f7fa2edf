import type { Block } from '../../domain/block/block.ts'
import { isLessTrusted } from '../../domain/block/source-class.ts'
import { isLaterWord } from '../../domain/block/standing.ts'
import type { StoreWriter } from '../../ports/store/transaction.ts'
import { endedBy } from './archive.ts'

/**
 * Ends the living blocks whose places others take, each when the other begins; what is trusted less, or dated before, only
 * proposes to, and ends nothing. Two statements, none where nothing takes a place.
 */
export async function endReplaced(tx: StoreWriter, taking: readonly Block[]): Promise<void> {
  const newer = taking.filter(({ supersedes, status }) => supersedes !== undefined && status !== 'archived')
  if (newer.length === 0) return
  const found = await tx.blocks([...new Set(newer.map(({ supersedes }) => supersedes as string))])
  const older = new Map(found.map((block) => [block.id, block]))
  const ended = new Map<string, Block>()
  for (const block of newer) {
    const known = ended.get(block.supersedes as string) ?? older.get(block.supersedes as string)
    if (known === undefined || known.status === 'archived') continue
    // By its date the other is the newer: it goes on until somebody decides.
    if (!isLessTrusted(block.sourceClass, known.sourceClass) && !isLaterWord(known, block))
      ended.set(known.id, { ...known, ...endedBy(known, block) })
  }
  await tx.saveBlocks([...ended.values()])
}

/** Lets the living block go on whose place one had taken that is wrong, or that leaves it its own. Two statements at most. */
export async function letGoOn(tx: StoreWriter, { supersedes }: Pick<Block, 'supersedes'>): Promise<void> {
  if (supersedes !== undefined) await goOn(tx, supersedes)
}

/** Lets a living block go on, whatever had taken its place. Two statements at most. */
export async function goOn(tx: StoreWriter, id: string): Promise<void> {
  const [older] = await tx.blocks([id])
  if (older?.supersededAt === undefined || older.status === 'archived') return
  const { supersededAt: _end, ...going } = older
  await tx.saveBlocks([going])
}
