/** The finding of `status` about the inbox and the memory's size. */
type HealthFinding = 'inbox_full' | 'inbox_nearly_full' | 'empty' | 'fine'

/** Health of a memory: `attention` if it needs its agent, with the reason (Python elfmem). */
export interface Health {
  readonly health: 'good' | 'attention'
  readonly finding: HealthFinding
}

const NEARLY = 0.8

/** Judges an inbox of `inbox` blocks against the threshold from which a dream is due (> 0). */
export function healthOf(inbox: number, threshold: number, active: number): Health {
  if (inbox >= threshold) return { health: 'attention', finding: 'inbox_full' }
  if (inbox >= threshold * NEARLY) return { health: 'good', finding: 'inbox_nearly_full' }
  return { health: 'good', finding: active === 0 && inbox === 0 ? 'empty' : 'fine' }
}
