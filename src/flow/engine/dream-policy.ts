import type { Settings } from '../../config/settings.ts'
import {
  POLICY,
  type PolicyOptions,
  recordResult,
  restorePolicy,
  shouldConsolidate,
} from '../../domain/advice/policy.ts'
import type { StoreReader, StoreWriter } from '../../ports/store/transaction.ts'
import { STATE_KEYS } from '../../ports/store/undo.ts'
import { type Engine, ownKey } from './engine.ts'

type Policed = Pick<Engine, 'settings' | 'scope' | 'rest'>

/** Advice on when to dream, as every answer about the inbox gives it. */
export interface DreamAdvice {
  readonly pending: number
  /** True if a dream is due and this memory does not dream by itself. */
  readonly shouldDream: boolean
  /** Waiting blocks from which a dream is due now. */
  readonly threshold: number
}

/** Advice about `pending` waiting blocks. */
export async function dreamAdvice(tx: StoreReader, engine: Policed, pending: number): Promise<DreamAdvice> {
  const { isDue, threshold } = await dreamDue(tx, engine, pending)
  return { pending, shouldDream: isDue && engine.rest.mode === 'off', threshold }
}

/** Judges `pending` waiting blocks by the configured threshold, or by the learned one under the adaptive policy. */
export async function dreamDue(
  tx: StoreReader,
  engine: Policed,
  pending: number,
): Promise<{ readonly isDue: boolean; readonly threshold: number }> {
  const { memory } = engine.settings
  if (!memory.adaptivePolicy)
    return { isDue: pending >= memory.inboxThreshold, threshold: memory.inboxThreshold }
  const options = policyOptions(memory)
  const policy = await storedPolicy(tx, ownKey(engine, STATE_KEYS.policy), options)
  return { isDue: shouldConsolidate(policy, pending, options), threshold: policy.threshold }
}

/** Lets the adaptive policy learn from a dream; without it nothing is kept. */
export async function recordDream(
  tx: StoreWriter,
  engine: Policed,
  dream: { readonly processed: number; readonly promoted: number },
): Promise<void> {
  const { memory } = engine.settings
  if (!memory.adaptivePolicy || dream.processed === 0) return
  const options = policyOptions(memory)
  const key = ownKey(engine, STATE_KEYS.policy)
  const { threshold } = recordResult(await storedPolicy(tx, key, options), dream, options)
  await tx.saveMeta(key, String(threshold))
}

async function storedPolicy(tx: StoreReader, key: string, options: PolicyOptions) {
  const stored = Number(await tx.meta(key))
  return restorePolicy(Number.isFinite(stored) ? stored : undefined, options)
}

function policyOptions({ inboxThreshold }: Settings['memory']): PolicyOptions {
  return {
    ...POLICY,
    base: inboxThreshold,
    min: Math.min(POLICY.min, inboxThreshold),
    max: Math.max(POLICY.max, inboxThreshold),
  }
}
