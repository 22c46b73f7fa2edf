import type { Block } from '../../domain/block/block.ts'
import { grantableByModel, MODEL_TAGS } from '../../domain/block/tags.ts'
import type { PairLabel } from '../../domain/graph/label.ts'
import { defined } from '../../domain/text/text.ts'
import type { LanguageModel } from '../../ports/language-model.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { tokensOfDay, UsageMeter } from '../engine/usage.ts'
import { recall } from '../recall/recall.ts'
import { analyseBlocks } from './block-analysis.ts'
import type { HostAnalysis } from './host-analysis.ts'
import { Judge } from './judge.ts'
import { labelPairs, type TextPair } from './pair-labels.ts'

/** Tokens of the self frame that blocks are judged against. */
const IDENTITY_TOKENS = 600

/** A judge with what it has to know, for one dream. */
export interface OpenedJudge {
  readonly judge: Judge
  /** Returns the model's analyses by block id; blocks it gave no usable answer for are left out. */
  readonly analyse: (blocks: readonly Block[]) => Promise<ReadonlyMap<string, HostAnalysis>>
  /** How the model says that pairs relate, by key; those it gave no usable answer for are left out. */
  readonly label: (pairs: readonly TextPair[]) => Promise<ReadonlyMap<string, PairLabel>>
}

/**
 * The judge of a dream. Its time ends with the dream's, so that a model that
 * does not answer keeps nobody waiting longer. Reads the self frame once.
 *
 * @param seconds how long questions may be asked
 */
export async function openJudge(
  engine: Engine,
  model: LanguageModel,
  { context, seconds }: { readonly context: CallContext; readonly seconds: number },
): Promise<OpenedJudge> {
  const { settings, ids, clock, analysisPrompt } = engine
  const today = new Date(clock.now()).toISOString()
  const spentToday = await engine.store.read((tx) => tokensOfDay(tx, today))
  const { text: identity } = await recall(
    engine,
    // What is to be judged is no measure of itself.
    { frame: 'self', reinforce: false, suggest: false, active: true, tokenBudget: IDENTITY_TOKENS },
    context,
  )
  const timeUp = AbortSignal.timeout(Math.min(seconds * 1000, LONGEST_TIMER_MS))
  const signal = context.signal ? AbortSignal.any([context.signal, timeUp]) : timeUp
  const nonce = () => ids.random()
  const meter = context.meter ?? new UsageMeter()
  const judge = new Judge({ model, settings: settings.llm, spentToday, signal, meter })
  const tags = MODEL_TAGS.filter(grantableByModel)
  const prompt = defined({ prompt: analysisPrompt })
  return {
    judge,
    analyse: (blocks) => analyseBlocks(judge, blocks, { identity, tags, nonce, ...prompt }),
    label: (pairs) => labelPairs(judge, pairs, nonce),
  }
}

/** Timers of Node count their milliseconds in 31 bits. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
