import type { Label } from '../../domain/graph/label.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { resolveIds } from '../guard/resolve-ids.ts'
import type { LabelledPair } from './apply-labels.ts'
import type { Enrichment } from './pair-labels.ts'

/** A label by the host for two blocks, named by their ids or unambiguous prefixes of them. */
export interface HostLabel {
  readonly a: string
  readonly b: string
  readonly relation: Label
  /** 0..1 */
  readonly confidence: number
  readonly enrichment?: Enrichment
}

export interface FoundLabels {
  readonly pairs: readonly LabelledPair[]
  /** Those that are not about two active blocks, as they were given. */
  readonly unused: readonly HostLabel[]
}

/** Which blocks labels are about. Two statements for all. */
export async function findLabelled(tx: StoreReader, labels: readonly HostLabel[]): Promise<FoundLabels> {
  const given = labels.flatMap(({ a, b }) => [a, b])
  const { ids, byGiven } = await resolveIds(tx, given, { ambiguous: 'report' })
  const blocks = await tx.blocks(ids)
  const active = new Set(blocks.flatMap(({ id, status }) => (status === 'active' ? [id] : [])))
  const pairs: LabelledPair[] = []
  const unused: HostLabel[] = []
  for (const label of labels) {
    const [from, to] = [byGiven.get(label.a.trim()), byGiven.get(label.b.trim())]
    const usable = from !== undefined && to !== undefined && from !== to && active.has(from) && active.has(to)
    if (usable) pairs.push({ from, to, label })
    else unused.push(label)
  }
  return { pairs, unused }
}
