import { type DreamAdvice, dreamAdvice } from '../rest/rest.ts'
import { rescoreAdvice } from '../../domain/advice/health.ts'
import { HOOK_COUNTS } from '../../domain/advice/counts.ts'
import { HOOK_COUNTS_MOST } from '../../domain/advice/counts.ts'
import { type HookCounts } from '../../domain/advice/counts.ts'
import { sumOfHooks } from '../../domain/advice/counts.ts'
import { boundsOf } from '../../domain/block/item-place.ts'
import type { Counts, StoreReader } from '../../ports/store/transaction.ts'
import { type EmbeddingLock, readEmbeddingLock } from '../engine/embedding.ts'
import type { Engine } from '../engine/engine.ts'
import { lastTrouble, type Trouble, tokensOfDay } from '../engine/usage.ts'
import { hasUnfinishedErasing } from '../erase/erase.ts'
import { type JudgingState } from '../judge/judgement.ts'
import { judgingState } from '../judge/judgement.ts'
import { readShadowLock } from '../reembed/reembed.ts'
import { type ShadowLock } from '../reembed/reembed.ts'

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
    advice: dreamAdvice(engine, counts.inbox),
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
