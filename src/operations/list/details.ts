import * as z from 'zod'
import type { Block } from '../../block/block.ts'
import { count, defined } from '../../block/text.ts'
import type { Engine } from '../../engine/engine.ts'
import { DECAY_TIERS, decayTier, fadeRule, freshnessOf, hoursUntilArchived } from '../../outcome/formulas.ts'
import type { ReadTransaction } from '../../store/transaction.ts'

/** The schema of how a block fades. */
export const fading = {
  freshness: z.number().describe('What is left since its last use, 0..1'),
  tier: z.enum(DECAY_TIERS).describe('How slowly it fades, without what reports changed'),
  archivedAfterHours: z
    .number()
    .optional()
    .describe(
      'Active hours without use until curate archives it, unless it holds parts of the graph together; absent: it never does',
    ),
}

/** The line that freshness is measured against. */
export const archiveFloor = z.number().describe('Below this freshness curate archives a block that may fade')

/** The fields of `fading`. */
export function toFading(
  { settings }: Pick<Engine, 'settings'>,
  block: Block,
  hours: number,
): z.output<z.ZodObject<typeof fading>> {
  return {
    freshness: freshnessOf(block, hours),
    tier: decayTier(block.tags, block.category),
    ...defined({ archivedAfterHours: hoursUntilArchived(block, fadeRule(settings), hours) }),
  }
}

/** The schema of the details of a listed block. */
export const details = z.object({
  belief: z.number().describe('Its belief for all questions, 0..1; .5 without reports'),
  successes: z.number().describe('Sum of outcome signals in its favour'),
  failures: z.number().describe('Sum of outcome signals against it'),
  ...fading,
  degree: z.int().describe('Number of its edges'),
  strength: z.number().describe('Sum of the weights of its edges, with their use'),
})

/** Details of some blocks, by id. One statement, and what was reported since the last reading. */
export async function readDetails(
  tx: ReadTransaction,
  { engine, hours }: { readonly engine: Engine; readonly hours: number },
  blocks: readonly Block[],
): Promise<ReadonlyMap<string, z.output<typeof details>>> {
  const { experience } = engine
  const ids = blocks.map(({ id }) => id)
  const joined = await tx.queries.strengths(ids)
  await experience.refresh(tx, engine.index.generation)
  return new Map(
    blocks.map((block) => [
      block.id,
      {
        belief: (1 + experience.general(block.id)) / 2,
        ...{ successes: block.successes, failures: block.failures },
        ...toFading(engine, block, hours),
        ...(joined.get(block.id) ?? { degree: 0, strength: 0 }),
      },
    ]),
  )
}

/** Details on a line of a list: `belief .67 (2 reports), fresh .40 standard, archived after 62 h, 3 edges`. */
export function detailWords(found: z.output<typeof details>): string {
  const { belief, successes, failures, freshness, tier, archivedAfterHours, degree } = found
  const share = (value: number) => value.toFixed(2).replace(/^0/, '')
  const reports = Math.round((successes + failures) * 10) / 10
  const gone = archivedAfterHours === undefined ? '' : `, archived after ${Math.ceil(archivedAfterHours)} h`
  return `belief ${share(belief)} (${count(reports, 'report')}), fresh ${share(freshness)} ${tier}${gone}, ${count(degree, 'edge')}`
}
