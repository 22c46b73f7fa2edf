import type { FrameName, FrameSettings } from '../../config/frames.ts'
import type { Block } from '../../domain/block.ts'
import type { Filter } from '../../search/filter.ts'
import type { CallContext, Engine } from '../engine.ts'
import type { Candidate, Dropped } from './candidate.ts'
import { choose } from './choose.ts'
import { noteRecalled } from './effects.ts'
import { find, type MatchQuality, match } from './find.ts'
import { type RenderedBlock, renderFrame, stampOf } from './render.ts'

export interface RecallRequest {
  readonly query?: string
  readonly frame: FrameName
  readonly topK?: number
  readonly reinforce: boolean
  readonly tags?: readonly string[]
  readonly category?: string
  readonly session?: string
  readonly minStrength?: number
  readonly tokenBudget?: number
}

export interface RecalledBlock {
  readonly block: Block
  readonly candidate: Candidate
  readonly guaranteed: boolean
  /** Its text was cut to fit the budget. */
  readonly cut: boolean
}

export interface RecallAnswer {
  readonly text: string
  readonly blocks: readonly RecalledBlock[]
  readonly dropped: readonly Dropped[]
  readonly quality: MatchQuality
  /** Of the best match, 0..1; absent without a question. */
  readonly strength?: number
  readonly budgetUsed: number
  readonly budgetTotal: number
  /** Active blocks the frame leaves out by their tags. */
  readonly excludedByFilter: number
  readonly edgesPromoted: number
  /** Why words alone were used, when they were. */
  readonly wordsOnly?: string
}

/**
 * Active → what to say now: gather, learn, choose, render, and remember that it was used. At most 8 statements
 * whatever the corpus; with `reinforce` false nothing is written.
 */
export async function recall(
  engine: Engine,
  request: RecallRequest,
  context: CallContext,
): Promise<RecallAnswer> {
  const frame = engine.settings.frames[request.frame]
  const topK = request.topK ?? engine.settings.recall.topK
  const question = frame.queryless ? undefined : request.query?.trim() || undefined
  const filter = filterOf(frame, request)

  const reading = await engine.store.read((tx) => engine.index.refresh(tx))
  const { hours } = engine.session.moment(reading)
  const asked = question === undefined ? undefined : await match(engine, question, { topK, filter, context })
  const { found, choice, blocks } = await engine.store.read(async (tx) => {
    const found = await find(engine, tx, {
      frame,
      filter,
      hours,
      asked,
      topK,
      minStrength: request.minStrength ?? engine.settings.recall.nothingBelow,
    })
    const choice = choose(found.ranked, {
      guaranteed: found.guaranteed,
      pairs: engine.settings.recall.twins ? found.pairs : [],
      topK,
    })
    return { found, choice, blocks: await tx.blocks(choice.chosen.map(({ facts }) => facts.id)) }
  })

  const fitted = fitAnswer(engine, request, choice.chosen, blocks)
  const shown = fitted.shown.map(({ candidate }) => candidate)
  // What a question alone would have dropped, an edge may have brought back.
  const shownIds = new Set(shown.map(({ facts }) => facts.id))
  const guaranteed = new Set(found.guaranteed.map(({ facts }) => facts.id))
  const edgesPromoted =
    request.reinforce && shown.length > 0
      ? await noteRecalled(engine, context, shown, {
          guaranteed,
          reading,
          summary: `${request.frame}: ${shown.length} shown`,
        })
      : 0
  return {
    text: fitted.text,
    blocks: fitted.shown.map(({ block, candidate, cut }) => ({
      block,
      candidate,
      cut,
      guaranteed: guaranteed.has(block.id),
    })),
    dropped: [...found.dropped, ...choice.dropped, ...fitted.dropped].filter(({ id }) => !shownIds.has(id)),
    quality: found.quality,
    ...(found.strength === undefined ? {} : { strength: found.strength }),
    budgetUsed: fitted.used,
    budgetTotal: fitted.budget,
    excludedByFilter: engine.index.tagged(frame.exclude).length,
    edgesPromoted,
    ...(found.wordsOnly === undefined ? {} : { wordsOnly: found.wordsOnly }),
  }
}

function filterOf(frame: FrameSettings, { tags, category, session }: RecallRequest): Filter {
  return {
    ...(frame.include.length > 0 ? { include: frame.include } : {}),
    ...(frame.exclude.length > 0 ? { exclude: frame.exclude } : {}),
    ...(tags && tags.length > 0 ? { tags } : {}),
    ...(category === undefined ? {} : { category }),
    ...(session === undefined ? {} : { session }),
  }
}

interface Fit {
  readonly text: string
  readonly shown: readonly { readonly block: Block; readonly candidate: Candidate; readonly cut: boolean }[]
  readonly dropped: readonly Dropped[]
  readonly used: number
  readonly budget: number
}

function fitAnswer(
  engine: Engine,
  request: RecallRequest,
  chosen: readonly Candidate[],
  blocks: readonly Block[],
): Fit {
  const byId = new Map(blocks.map((block) => [block.id, block]))
  const budget = request.tokenBudget ?? engine.settings.frames[request.frame].tokenBudget
  const present = chosen.filter(({ facts }) => byId.has(facts.id))
  const fitted = renderFrame(
    present.map(({ facts }): RenderedBlock => {
      const block = byId.get(facts.id) as Block
      return {
        id: block.id,
        text: block.content,
        tags: block.tags,
        category: block.category,
        stamp: stampOf(block),
      }
    }),
    { frame: request.frame, agentName: engine.settings.project.agentName, budget },
  )
  const candidates = new Map(present.map((candidate) => [candidate.facts.id, candidate]))
  return {
    text: fitted.text,
    shown: fitted.shown.map(({ id }, i) => ({
      block: byId.get(id) as Block,
      candidate: candidates.get(id) as Candidate,
      cut: fitted.cutFirst && i === 0,
    })),
    dropped: fitted.dropped.map(({ id }) => ({
      id,
      reason: 'token_budget',
      score: (candidates.get(id) as Candidate).score,
    })),
    used: fitted.used,
    budget,
  }
}
