import { grantableByModel, MODEL_TAGS } from '../../domain/tags.ts'
import type { CallContext, Engine } from '../engine.ts'
import { recall } from '../recall/recall.ts'
import { tokensOfDay } from '../usage-ledger.ts'
import { UsageMeter } from '../usage-meter.ts'
import type { AnalysisBrief } from './block-analysis.ts'
import { Judge } from './judge.ts'
import type { LabelBrief } from './pair-labels.ts'

/** Tokens of the self frame that blocks are judged against. */
const IDENTITY_TOKENS = 600

/** A judge with what it has to know, for one dream. */
export interface OpenedJudge {
  readonly judge: Judge
  readonly analysis: AnalysisBrief
  readonly labels: LabelBrief
}

/**
 * The judge of a dream, or nothing when no model is configured. Its time ends with the dream's, so that a model that
 * does not answer keeps nobody waiting longer. Reads the self frame once.
 *
 * @param seconds how long questions may be asked
 */
export async function openJudge(
  engine: Engine,
  context: CallContext,
  seconds: number,
): Promise<OpenedJudge | undefined> {
  const { languageModel: model, settings, ids, clock, analysisPrompt } = engine
  if (model === undefined) return undefined
  const today = new Date(clock.now()).toISOString()
  const spentToday = await engine.store.read((tx) => tokensOfDay(tx, today))
  const { text: identity } = await recall(
    engine,
    { frame: 'self', reinforce: false, suggest: false, tokenBudget: IDENTITY_TOKENS },
    context,
  )
  const timeUp = AbortSignal.timeout(Math.min(seconds * 1000, LONGEST_TIMER_MS))
  const signal = context.signal ? AbortSignal.any([context.signal, timeUp]) : timeUp
  const { blocksPerCall, charactersPerBlock, pairsPerCall, charactersPerSide, evolve } = settings.llm
  const nonce = () => ids.random()
  return {
    judge: new Judge({
      model,
      settings: settings.llm,
      spentToday,
      signal,
      meter: context.meter ?? new UsageMeter(),
    }),
    analysis: {
      identity,
      tags: (settings.prompts.validSelfTags ?? MODEL_TAGS).filter(grantableByModel),
      blocksPerCall,
      charactersPerBlock,
      nonce,
      ...(analysisPrompt === undefined ? {} : { prompt: analysisPrompt }),
    },
    labels: { pairsPerCall, charactersPerSide, evolve, nonce },
  }
}

/** Timers of Node count their milliseconds in 31 bits. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
