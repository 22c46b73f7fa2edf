import type { LoggedChange } from '../../../src/operations/methods.generated.ts'
import { plural } from '../../format.ts'
import type { IconName } from '../../parts/icon.tsx'

/** How many blocks of a report helped, misled, or were beside the point. */
export interface Verdict {
  readonly helped: number
  readonly misled: number
  readonly beside: number
}

/** The verdict in the changes of a report: of each block, which evidence grew more. */
export function verdictOf(changes: readonly LoggedChange[]): Verdict {
  const growth = new Map<string, number>()
  for (const { block, field, before, after } of changes) {
    const grown = grownBy(field, before, after)
    if (block !== undefined && grown !== undefined) growth.set(block, (growth.get(block) ?? 0) + grown)
  }
  const all = [...growth.values()]
  return {
    helped: all.filter((grown) => grown > 0).length,
    misled: all.filter((grown) => grown < 0).length,
    beside: all.filter((grown) => grown === 0).length,
  }
}

/** How far one change speaks for its block; undefined if it is no part of a report. */
function grownBy(field: string, before: unknown, after: unknown): number | undefined {
  const [was, is] = [asNumber(before), asNumber(after)]
  if (field === 'evidence for') return is - was
  if (field === 'evidence against') return was - is
  // A block that waits for a dream keeps its report until then.
  if (field === 'a report that waits') return is >= EVEN ? 1 : -1
  return field === 'belief' ? 0 : undefined
}

/** The signal of a report that says neither. */
const EVEN = 0.5

const asNumber = (value: unknown) => (typeof value === 'number' ? value : 0)

/** A single report of a block: its verdict, as the library tells one that was beside the point. */
export function verdictOfOutcome({
  signal,
  confidenceBefore,
  confidenceAfter,
}: {
  readonly signal: number
  readonly confidenceBefore: number
  readonly confidenceAfter: number
}): keyof Verdict {
  if (signal === 0 && confidenceAfter === confidenceBefore) return 'beside'
  return signal >= EVEN ? 'helped' : 'misled'
}

/** A verdict in words, `2 blocks helped, 1 misled`; empty where nothing is known. */
export function verdictWords({ helped, misled, beside }: Verdict): string {
  const counts = [
    [helped, 'helped'],
    [misled, 'misled'],
    [beside, beside === 1 ? 'was beside the point' : 'were beside the point'],
  ] as const
  return counts
    .filter(([count]) => count > 0)
    .map(([count, words], at) => `${at === 0 ? plural(count, 'block') : count} ${words}`)
    .join(', ')
}

/** The mark of a verdict: up, down, or both in one report. */
export function verdictMark({ helped, misled }: Verdict): readonly [IconName, ('good' | 'bad' | 'warn')?] {
  if (helped > 0 && misled > 0) return ['alert', 'warn']
  if (misled > 0) return ['down', 'bad']
  return helped > 0 ? ['up', 'good'] : ['check']
}
