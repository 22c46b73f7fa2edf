import type { Settings } from '../config/settings.ts'
import {
  POLICY,
  type PolicyOptions,
  recordResult,
  restorePolicy,
  shouldConsolidate,
} from '../domain/policy.ts'
import type { StoreReader, StoreWriter } from '../ports/store.ts'

const THRESHOLD_KEY = 'consolidation_policy_threshold'

/** Whether it is time to dream, as every answer about the inbox says it. */
export interface DreamAdvice {
  readonly pending: number
  readonly shouldDream: boolean
  /** Waiting blocks from which a dream is due now. */
  readonly threshold: number
}

/** Judges `pending` waiting blocks by the configured threshold, or by the learned one under the adaptive policy. */
export async function dreamAdvice(
  tx: StoreReader,
  { memory }: Settings,
  pending: number,
): Promise<DreamAdvice> {
  if (!memory.adaptivePolicy)
    return { pending, shouldDream: pending >= memory.inboxThreshold, threshold: memory.inboxThreshold }
  const options = policyOptions(memory)
  const policy = await storedPolicy(tx, options)
  return { pending, shouldDream: shouldConsolidate(policy, pending, options), threshold: policy.threshold }
}

/** Lets the adaptive policy learn from a dream; without it nothing is kept. */
export async function recordDream(
  tx: StoreWriter,
  { memory }: Settings,
  dream: { readonly processed: number; readonly promoted: number },
): Promise<void> {
  if (!memory.adaptivePolicy || dream.processed === 0) return
  const options = policyOptions(memory)
  const { threshold } = recordResult(await storedPolicy(tx, options), dream, options)
  await tx.saveMeta(THRESHOLD_KEY, String(threshold))
}

async function storedPolicy(tx: StoreReader, options: PolicyOptions) {
  const stored = Number(await tx.meta(THRESHOLD_KEY))
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
