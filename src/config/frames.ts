import * as z from 'zod'
import { OWN_CLASSES, SOURCE_CLASSES, type SourceClass } from '../domain/block/source-class.ts'

export const FRAME_NAMES = ['self', 'attention', 'task', 'simulate', 'world', 'short_term'] as const
export type FrameName = (typeof FRAME_NAMES)[number]

const unit = z.number().min(0).max(1)

/** Frames change what an answer shows, never what is kept or sent, so a project may set them. */
const meta = (unit: string, description: string) => ({ unit, description, project: 'any' as const })

const weights = z
  .object({ similarity: unit, confidence: unit, recency: unit, centrality: unit, reinforcement: unit })
  .refine((w) => Math.abs(Object.values(w).reduce((sum, each) => sum + each, 0) - 1) <= 1e-4, {
    message: 'must sum to 1 over its five weights',
  })

function classesOf(allowed: readonly SourceClass[]) {
  return z
    .array(z.enum(allowed))
    .min(1)
    .meta(meta('source classes', 'only what one of them speaks in; self takes the owner and the agent alone'))
}

/** One frame: the signals it uses and how it weighs them. */
const frame = z.object({
  /** Additive weights, used when there is no question (and always by the self frame). */
  weights: weights.meta(meta('shares of 1', 'of the five signals when nothing is asked, and always in self')),
  belief: unit.meta(
    meta('weight', 'of what outcomes say, in similarity · (1 + belief·(2·b − 1) + recency·e)'),
  ),
  recency: unit.meta(meta('weight', 'of how lately it helped, in the same formula')),
  centrality: unit.meta(
    meta('weight', 'of how well a block is joined, against the corpus, in the same formula; 0 as measured'),
  ),
  relations: z
    .record(z.string(), unit)
    .meta(
      meta(
        'shares',
        'of its similarity a match hands on along edges of a relation; overrides the common ones',
      ),
    ),
  include: z
    .array(z.string())
    .meta(meta('tags', 'only blocks with one of them; a trailing * matches a prefix')),
  exclude: z.array(z.string()).meta(meta('tags', 'never blocks with one of them')),
  classes: classesOf(SOURCE_CLASSES),
  guarantee: z
    .array(z.string())
    .meta(meta('tags', 'always the active blocks with one of them, outside topK')),
  tokenBudget: z.number().int().min(16).meta(meta('estimated tokens', 'of the rendered text')),
  boosts: z
    .record(z.string(), z.number().positive())
    .meta(meta('factors', 'on the score by `tag:<prefix>` or category; the largest that applies')),
  queryless: z
    .boolean()
    .meta(meta('on/off', 'ignores the question: identity does not depend on what is asked')),
  sessionOnly: z
    .boolean()
    .meta(
      meta('on/off', 'only what the running session took in or used, the newest first when nothing is asked'),
    ),
})
export type FrameSettings = z.output<typeof frame>

const COMMON = {
  belief: 0.5,
  recency: 0.1,
  centrality: 0,
  relations: {},
  include: [],
  exclude: [],
  classes: [...SOURCE_CLASSES],
  guarantee: [],
  tokenBudget: 2_000,
  boosts: {},
  queryless: false,
  sessionOnly: false,
}

const attention: FrameSettings = {
  ...COMMON,
  weights: { similarity: 0.35, confidence: 0.15, recency: 0.25, centrality: 0.15, reinforcement: 0.1 },
  relations: { elaborates: 0.95 },
  exclude: ['self/constitutional'],
}

const FRAMES: Record<FrameName, FrameSettings> = {
  self: {
    ...COMMON,
    weights: { similarity: 0.1, confidence: 0.3, recency: 0.05, centrality: 0.25, reinforcement: 0.3 },
    include: ['self/*'],
    classes: [...OWN_CLASSES],
    guarantee: ['self/constitutional'],
    tokenBudget: 600,
    queryless: true,
  },
  attention,
  task: {
    ...COMMON,
    weights: { similarity: 0.2, confidence: 0.2, recency: 0.2, centrality: 0.2, reinforcement: 0.2 },
    relations: { supports: 1 },
    exclude: ['self/constitutional'],
    guarantee: ['self/goal'],
    tokenBudget: 800,
  },
  simulate: {
    ...COMMON,
    weights: { similarity: 0.25, confidence: 0.25, recency: 0.15, centrality: 0.2, reinforcement: 0.15 },
    guarantee: ['self/constitutional', 'mind/*'],
    boosts: { 'tag:self/': 10, mind: 6, decision: 5 },
  },
  world: { ...attention, exclude: ['self/*'] },
  short_term: { ...attention, sessionOnly: true },
}

/** Every frame with its measured defaults; a config file may change single fields of one. */
export const frameSettings = z.object({
  self: overridable('self', frame.extend({ classes: classesOf(OWN_CLASSES) })),
  attention: overridable('attention'),
  task: overridable('task'),
  simulate: overridable('simulate'),
  world: overridable('world'),
  short_term: overridable('short_term'),
})

function overridable(name: FrameName, schema = frame) {
  const fallback = FRAMES[name]
  return schema
    .partial()
    .default({})
    .transform((given): FrameSettings => ({ ...fallback, ...(given as Partial<FrameSettings>) }))
}
