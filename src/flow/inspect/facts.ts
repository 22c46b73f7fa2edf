import { rescoreAdvice } from '../../domain/advice/health.ts'
import {
  HOOK_COUNTS,
  HOOK_COUNTS_MOST,
  type HookCounts,
  sumOfHooks,
} from '../../domain/advice/hook-counts.ts'
import { boundsOf } from '../../domain/block/item-place.ts'
import type { Counts, StoreReader } from '../../ports/store/transaction.ts'
import { type DreamAdvice, dreamAdvice } from '../engine/dream-policy.ts'
import { type EmbeddingLock, readEmbeddingLock } from '../engine/embedding.ts'
import type { Engine } from '../engine/engine.ts'
import { lastTrouble, type Trouble, tokensOfDay } from '../engine/usage.ts'
import { hasUnfinishedErasing } from '../erase/unfinished.ts'
import { type JudgingState, judgingState } from '../judge/pending-judgements.ts'
import { readShadowLock, type ShadowLock } from '../reembed/shadow-lock.ts'

/** The state of a memory, as status and doctor judge it. */
export interface Facts {
  readonly counts: Counts
  readonly advice: DreamAdvice
  /** Whose vectors are in use. */
  readonly lock: EmbeddingLock | undefined
  readonly shadow: ShadowLock | undefined
  readonly judging: JudgingState & { /** The step to take when judgements drift. */ readonly advice: string }
  readonly openProposals: number
  /** True while files may hold words of blocks that are erased. */
  readonly unfinishedErasing: boolean
  /** Of the configured model. */
  readonly lastTrouble: Trouble | undefined
  /** Tokens of language models on this UTC day. */
  readonly today: number
  /** Of coding agents in this scope; undefined if none came. */
  readonly hooks: HookCounts | undefined
}

/** Reads the facts in the snapshot of `tx`. */
export async function readFacts(engine: Engine, tx: StoreReader): Promise<Facts> {
  const counts = await tx.counts()
  const judging = await judgingState(engine, tx, counts.active)
  return {
    counts,
    advice: await dreamAdvice(tx, engine, counts.inbox),
    lock: await readEmbeddingLock(tx),
    shadow: await readShadowLock(tx),
    judging: { ...judging, advice: rescoreAdvice({ active: counts.active, ...judging }) },
    openProposals: (await tx.decisionCounts()).proposal,
    unfinishedErasing: engine.scope === undefined && (await hasUnfinishedErasing(tx)),
    lastTrouble: engine.languageModel && (await lastTrouble(tx)),
    hooks: await hookCounts(tx),
    today: await tokensOfDay(tx, new Date(engine.clock.now()).toISOString()),
  }
}

async function hookCounts(tx: StoreReader): Promise<HookCounts | undefined> {
  const { space, namespace } = HOOK_COUNTS
  const range = { space, bounds: boundsOf(namespace), limit: HOOK_COUNTS_MOST }
  return sumOfHooks((await tx.itemPage(range)).map(({ value }) => value))
}
