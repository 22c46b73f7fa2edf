import { count } from '../block/text.ts'
import { healthOf } from '../dream/drift.ts'
import type { Engine } from '../engine/engine.ts'
import { CHECKS_OF_FACTS, checksOf } from './checks.ts'
import type { Facts } from './facts.ts'

interface Health {
  /** `attention`: something waits for somebody; `degraded`: something does not work as it should. */
  readonly health: 'good' | 'attention' | 'degraded'
  /** Why it is not good. */
  readonly reasons: readonly string[]
  /** The next step to take. */
  readonly suggestion: string
}

/** Judges by the checks of doctor how a memory is, why it is not good, and which step to take next. */
export function judgeHealth(facts: Facts, engine: Engine): Health {
  const { counts, advice } = facts
  const found = checksOf(CHECKS_OF_FACTS, facts, engine).filter(
    ({ name, outcome }) => name !== 'keys' && (outcome === 'warn' || outcome === 'fail'),
  )
  const reasons = found.map(({ message }) => message)
  const worst = found.find((each) => each.waits !== true) ?? found[0]
  if (worst !== undefined)
    return {
      health: worst.waits === true ? 'attention' : 'degraded',
      reasons,
      suggestion: worst.recovery ?? '',
    }
  const { health, finding } = healthOf(counts.inbox, advice.threshold, counts.active)
  // A memory that dreams by itself needs nobody's attention for what waits.
  if (finding.startsWith('inbox') && engine.rest.mode !== 'off')
    return { health: 'good', reasons, suggestion: BY_ITSELF }
  if (finding === 'fine' && counts.openPairs > 0)
    return {
      health,
      reasons,
      suggestion: `Nothing is due; resolve() decides about ${count(counts.openPairs, 'open pair')}, which inbox({ openPairs: 20 }) lists.`,
    }
  return { health, reasons, suggestion: SUGGESTIONS[finding] }
}

const BY_ITSELF = 'Nothing to do: it dreams by itself when all is quiet; dream() does it now.'

const SUGGESTIONS = {
  inbox_full: 'Call dream() at the next pause.',
  inbox_nearly_full: 'Call dream() soon.',
  empty: 'Begin with setup() (identity, values, seed) or remember() something.',
  fine: 'Nothing to do.',
} as const satisfies Record<ReturnType<typeof healthOf>['finding'], string>
