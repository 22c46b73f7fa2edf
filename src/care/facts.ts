import { boundsOf } from '../block/item-place.ts'
import { type JudgingState, judgingState } from '../dream/drift.ts'
import { readShadowLock, type ShadowLock } from '../dream/reembed.ts'
import { type DreamAdvice, dreamAdvice } from '../dream/rest.ts'
import { HOOK_COUNTS, HOOK_COUNTS_MOST, type HookCounts, sumOfHooks } from '../engine/counts.ts'
import { type EmbeddingLock, readEmbeddingLock } from '../engine/embedding.ts'
import type { Engine } from '../engine/engine.ts'
import { lastTrouble, type Trouble, tokensOfDay } from '../engine/mutate.ts'
import { hasUnfinishedErasing } from '../history/erase.ts'
import type { Counts } from '../store/database.ts'
import { readDecisionCounts } from '../store/graph.ts'
import { readItemPage } from '../store/items.ts'
import type { ReadTransaction } from '../store/transaction.ts'

/** The state of a memory, as status and doctor judge it. */
export interface Facts {
  readonly counts: Counts
  readonly advice: DreamAdvice
  /** Whose vectors are in use. */
  readonly lock: EmbeddingLock | undefined
  readonly shadow: ShadowLock | undefined
  readonly judging: JudgingState
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
export async function readFacts(engine: Engine, tx: ReadTransaction): Promise<Facts> {
  const counts = await tx.queries.counts()
  return {
    counts,
    advice: dreamAdvice(engine, counts.inbox),
    lock: await readEmbeddingLock(tx),
    shadow: await readShadowLock(tx),
    judging: await judgingState(engine, tx, counts.active),
    openProposals: (await readDecisionCounts(tx)).proposal,
    unfinishedErasing: engine.scope === undefined && (await hasUnfinishedErasing(tx)),
    lastTrouble: engine.languageModel && (await lastTrouble(tx)),
    hooks: await hookCounts(tx),
    today: await tokensOfDay(tx, new Date(engine.clock.now()).toISOString()),
  }
}

async function hookCounts(tx: ReadTransaction): Promise<HookCounts | undefined> {
  const { space, namespace } = HOOK_COUNTS
  const range = { space, bounds: boundsOf(namespace), limit: HOOK_COUNTS_MOST }
  return sumOfHooks((await readItemPage(tx, range)).map(({ value }) => value))
}
