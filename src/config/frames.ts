import * as z from 'zod'
import { OWN_CLASSES, SOURCE_CLASSES, type SourceClass } from '../domain/block/source-class.ts'
import { unit } from './setting.ts'

/** The names of all frames, as callers pass them. */
export const FRAME_NAMES = ['self', 'attention', 'task', 'simulate', 'world', 'short_term'] as const
/** The name of a frame; a recall uses `attention` unless another is given. */
export type FrameName = (typeof FRAME_NAMES)[number]

/** Frames change what an answer shows, never what is kept or sent, so a project may set them. */
function told<T extends z.ZodType>(schema: T, unit: string, description: string): T {
  return schema.meta({ unit, description, project: 'any' })
}

const weights = z
  .object({ similarity: unit, confidence: unit, recency: unit, centrality: unit, reinforcement: unit })
  .refine((w) => Math.abs(Object.values(w).reduce((sum, each) => sum + each, 0) - 1) <= 1e-4, {
    message: 'must sum to 1 over its five weights',
  })

function classesOf(allowed: readonly SourceClass[]) {
  return told(
    z.array(z.enum(allowed)).min(1),
    'source classes',
    'only what one of them speaks in; self takes the owner and the agent alone',
  )
}

/** One frame: the signals it uses and how it weighs them. */
const frame = z.object({
  /** Additive weights, used when there is no question (and always by the self frame). */
  weights: told(weights, 'shares of 1', 'of the five signals when nothing is asked, and always in self'),
  belief: told(
    unit,
    'weight',
    'the most that what reports say of all questions may count, in similarity · (1 + w·E + recency·e); 0: nothing is learned',
  ),
  recency: told(unit, 'weight', 'of how lately it helped, in the same formula'),
  centrality: told(
    unit,
    'weight',
    'of how well a block is joined, against the corpus, in the same formula; 0 as measured',
  ),
  relations: told(
    z.record(z.string(), unit),
    'shares',
    'of its similarity a match hands on along edges of a relation; overrides the common ones',
  ),
  include: told(z.array(z.string()), 'tags', 'only blocks with one of them; a trailing * matches a prefix'),
  exclude: told(z.array(z.string()), 'tags', 'never blocks with one of them'),
  classes: classesOf(SOURCE_CLASSES),
  guarantee: told(z.array(z.string()), 'tags', 'always the active blocks with one of them, outside topK'),
  tokenBudget: told(z.number().int().min(16), 'estimated tokens', 'of the rendered text'),
  boosts: told(
    z.record(z.string(), z.number().positive()),
    'factors',
    'on the score by `tag:<prefix>` or category; the largest that applies',
  ),
  queryless: told(z.boolean(), 'on/off', 'ignores the question: identity does not depend on what is asked'),
  sessionOnly: told(
    z.boolean(),
    'on/off',
    'only what the running session took in or used, the newest first when nothing is asked',
  ),
})
/** The settings of one frame, checked and with all defaults filled in. */
export type FrameSettings = z.output<typeof frame>

const COMMON = {
  belief: 0.5,
  recency: 0.1,
  centrality: 0,
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

const attention: FrameSettings = {
  weights: { similarity: 0.35, confidence: 0.15, recency: 0.25, centrality: 0.15, reinforcement: 0.1 },
  ...COMMON,
  relations: { elaborates: 0.95 },
  exclude: ['self/constitutional'],
}

const FRAMES: Record<FrameName, FrameSettings> = {
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
