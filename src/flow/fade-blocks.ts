import type { Settings } from '../config/settings.ts'
import { bridgeThreshold, isBridge } from '../domain/bridge.ts'
import { recency } from '../domain/decay.ts'
import { isConstitutional } from '../domain/tags.ts'
import type { BlockVitality, StoreWriter } from '../ports/store.ts'
import { archive } from './archive.ts'

const PAGE = 1_000

/**
 * Archives, reversibly, the active blocks that faded below the limit; bridges of the graph and permanent blocks stay.
 * Returns the archived ids. One statement per 1,000 blocks and a few for those that leave.
 */
export async function fadeBlocks(
  tx: StoreWriter,
  { memory, decay }: Pick<Settings, 'memory' | 'decay'>,
  hours: number,
): Promise<string[]> {
  const { faint, degrees } = await survey(tx, (block) => {
    const left = recency(block.decayLambda, hours - block.lastReinforcedAt)
    return block.decayLambda > decay.permanent && left < memory.archiveRecency
  })
  if (faint.length === 0) return []
  const threshold = bridgeThreshold(degrees, memory.bridgeQuantile)
  const blocks = await tx.blocks(
    faint.filter(({ degree }) => !isBridge(degree, threshold)).map(({ id }) => id),
  )
  const leaving = blocks.filter(({ tags }) => !isConstitutional(tags))
  return (await archive(tx, leaving, { reason: 'decayed' })).map(({ id }) => id)
}

async function survey(tx: StoreWriter, isFaint: (block: BlockVitality) => boolean) {
  const faint: BlockVitality[] = []
  const degrees: number[] = []
  for (let after = ''; ; ) {
    const page = await tx.vitalityPage(after, PAGE)
    faint.push(...page.filter(isFaint))
    degrees.push(...page.map(({ degree }) => degree))
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return { faint, degrees }
    after = last.id
  }
}
