import { OWN_CLASSES, SOURCE_CLASSES, type SourceClass } from '../block/block.ts'

export const FRAME_NAMES = ['self', 'attention', 'task', 'simulate', 'world', 'short_term'] as const
/** A frame name chooses a frame; a recall uses `attention` unless another is given. */
export type FrameName = (typeof FRAME_NAMES)[number]

/** The shares of the five signals without a question, and always in the self frame; together 1. */
interface SignalWeights {
  readonly similarity: number
  readonly confidence: number
  readonly recency: number
  readonly centrality: number
  readonly reinforcement: number
}

/** A frame decides which blocks are shown, which signals count and with which weights. */
export interface Frame {
  readonly weights: SignalWeights
  /** Largest weight of reports on all questions, 0..1, in similarity · (1 + belief·E + recency·e). */
  readonly belief: number
  /** Weight of the recency of a block's last help, 0..1, in the same formula. */
  readonly recency: number
  /** Share of its similarity, 0..1, that a match hands on along edges of a relation; it overrides the common shares. */
  readonly relations: Readonly<Record<string, number>>
  /** Tags of which every block must have one; a trailing `*` matches a prefix. Empty: all blocks. */
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly classes: readonly SourceClass[]
  /** Tags whose active blocks are always shown, outside topK. */
  readonly guarantee: readonly string[]
  readonly tokenBudget: number
  /** Factors on the score by `tag:<prefix>` or category; the largest that fits counts. */
  readonly boosts: Readonly<Record<string, number>>
  /** True if the frame ignores the question, since identity does not depend on it. */
  readonly queryless: boolean
  /** True if only blocks are shown that the running session took in or used, the newest first without a question. */
  readonly sessionOnly: boolean
}

const COMMON = {
  belief: 0.5,
  recency: 0.1,
  relations: {},
  sessionOnly: false,
  include: [],
  exclude: [],
  classes: [...SOURCE_CLASSES],
  guarantee: [],
  tokenBudget: 2_000,
  boosts: {},
  queryless: false,
}

const attention: Frame = {
  weights: { similarity: 0.35, confidence: 0.15, recency: 0.25, centrality: 0.15, reinforcement: 0.1 },
  ...COMMON,
  relations: { elaborates: 0.95 },
  exclude: ['self/constitutional'],
}

/** The frames have measured weights; their budgets are settings. */
export const FRAMES: Readonly<Record<FrameName, Frame>> = {
  self: {
    weights: { similarity: 0.1, confidence: 0.3, recency: 0.05, centrality: 0.25, reinforcement: 0.3 },
    ...COMMON,
    include: ['self/*'],
    classes: [...OWN_CLASSES],
    guarantee: ['self/constitutional'],
    tokenBudget: 600,
    queryless: true,
  },
  attention,
  task: {
    weights: { similarity: 0.2, confidence: 0.2, recency: 0.2, centrality: 0.2, reinforcement: 0.2 },
    ...COMMON,
    relations: { supports: 1 },
    exclude: ['self/constitutional'],
    guarantee: ['self/goal'],
    tokenBudget: 800,
  },
  simulate: {
    weights: { similarity: 0.25, confidence: 0.25, recency: 0.15, centrality: 0.2, reinforcement: 0.15 },
    ...COMMON,
    guarantee: ['self/constitutional', 'mind/*'],
    boosts: { 'tag:self/': 10, mind: 6, decision: 5 },
  },
  world: { ...attention, exclude: ['self/*'] },
  short_term: { ...attention, sessionOnly: true },
}
