import * as z from 'zod'

export const FRAME_NAMES = ['self', 'attention', 'task', 'simulate'] as const
export type FrameName = (typeof FRAME_NAMES)[number]

const unit = z.number().min(0).max(1)

const weights = z
  .object({ similarity: unit, confidence: unit, recency: unit, centrality: unit, reinforcement: unit })
  .refine((w) => Math.abs(Object.values(w).reduce((sum, each) => sum + each, 0) - 1) <= 1e-4, {
    message: 'the five weights must sum to 1',
  })

/** What a frame looks at and how it weighs it. */
const frame = z.object({
  /** Additive weights, used when there is no question (and always by the self frame). */
  weights,
  /** Weight of belief when a question multiplies: score = similarity · (1 + belief·(2·b − 1) + recency·e). */
  belief: unit,
  /** Weight of the recency of the last useful outcome in the same formula. */
  recency: unit,
  /** Only blocks with such a tag: literals, or prefixes ending in `*`. */
  include: z.array(z.string()),
  /** Never blocks with such a tag. */
  exclude: z.array(z.string()),
  /** Always the active blocks with such a tag, outside topK. */
  guarantee: z.array(z.string()),
  /** Estimated tokens of the rendered text. */
  tokenBudget: z.number().int().min(16),
  /** Factors on the score by `tag:<prefix>` or category; the largest that applies. */
  boosts: z.record(z.string(), z.number().positive()),
  /** Ignores the question: identity does not depend on what is asked. */
  queryless: z.boolean(),
})
export type FrameSettings = z.output<typeof frame>

const learned = { belief: 0.5, recency: 0.1 }

const FRAMES: Record<FrameName, FrameSettings> = {
  self: {
    weights: { similarity: 0.1, confidence: 0.3, recency: 0.05, centrality: 0.25, reinforcement: 0.3 },
    ...learned,
    include: ['self/*'],
    exclude: [],
    guarantee: ['self/constitutional'],
    tokenBudget: 600,
    boosts: {},
    queryless: true,
  },
  attention: {
    weights: { similarity: 0.35, confidence: 0.15, recency: 0.25, centrality: 0.15, reinforcement: 0.1 },
    ...learned,
    include: [],
    exclude: ['self/constitutional'],
    guarantee: [],
    tokenBudget: 2_000,
    boosts: {},
    queryless: false,
  },
  task: {
    weights: { similarity: 0.2, confidence: 0.2, recency: 0.2, centrality: 0.2, reinforcement: 0.2 },
    ...learned,
    include: [],
    exclude: ['self/constitutional'],
    guarantee: ['self/goal'],
    tokenBudget: 800,
    boosts: {},
    queryless: false,
  },
  simulate: {
    weights: { similarity: 0.25, confidence: 0.25, recency: 0.15, centrality: 0.2, reinforcement: 0.15 },
    ...learned,
    include: [],
    exclude: [],
    guarantee: ['self/constitutional', 'mind/*'],
    tokenBudget: 2_000,
    boosts: { 'tag:self/': 10, mind: 6, decision: 5 },
    queryless: false,
  },
}

/** Every frame with its measured defaults; a config file may change single fields of one. */
export const frameSettings = z.object({
  self: overridable('self'),
  attention: overridable('attention'),
  task: overridable('task'),
  simulate: overridable('simulate'),
})

function overridable(name: FrameName) {
  const fallback = FRAMES[name]
  return frame
    .partial()
    .default({})
    .transform((given): FrameSettings => ({ ...fallback, ...(given as Partial<FrameSettings>) }))
}
