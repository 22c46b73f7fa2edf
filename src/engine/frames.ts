import { OWN_CLASSES, SOURCE_CLASSES, type SourceClass } from '../block/block.ts'

export const FRAME_NAMES = ['self', 'attention', 'task', 'simulate', 'world', 'short_term'] as const
/** The name of a frame; a recall uses `attention` unless another is given. */
export type FrameName = (typeof FRAME_NAMES)[number]

/** The shares of the five signals when nothing is asked, and always in the self frame; together 1. */
interface SignalWeights {
  readonly similarity: number
  readonly confidence: number
  readonly recency: number
  readonly centrality: number
  readonly reinforcement: number
}

/** One frame: what it shows, the signals it uses and how it weighs them. */
export interface Frame {
  readonly weights: SignalWeights
  /** The most that reports about all questions may count, 0..1, in similarity · (1 + belief·E + recency·e). */
  readonly belief: number
  /** The weight of how lately a block helped, 0..1, in the same formula. */
  readonly recency: number
  /** The share of its similarity, 0..1, that a match hands on along edges of a relation; before the common ones. */
  readonly relations: Readonly<Record<string, number>>
  /** Tags of which every block has one; a trailing `*` matches a prefix. Empty: all blocks. */
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly classes: readonly SourceClass[]
  /** Tags whose active blocks are always there, outside topK. */
  readonly guarantee: readonly string[]
  readonly tokenBudget: number
  /** Factors on the score by `tag:<prefix>` or category; the largest that applies. */
  readonly boosts: Readonly<Record<string, number>>
  /** True: it ignores the question, since identity does not depend on what is asked. */
  readonly queryless: boolean
  /** True: only what the running session took in or used, the newest first when nothing is asked. */
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

/** Every frame with its measured weights; its budget is a setting. */
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
