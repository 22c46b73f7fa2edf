import type { FrameName } from '../../config/frames.ts'
import type { Entry, Gathered } from './gather.ts'
import type { Dropped } from './rank.ts'
import { renderedBlock, renderFrame, withVersions } from './render.ts'

/** An entry that has room in the text. */
export interface FittedEntry extends Entry {
  /** Its text was cut to fit the budget. */
  readonly cut: boolean
  /** Ids of its versions whose words stand in the text. */
  readonly told: readonly string[]
}

interface Fit {
  readonly text: string
  readonly shown: readonly FittedEntry[]
  readonly dropped: readonly Dropped[]
  /** Tokens of the text. */
  readonly used: number
}

/** The text of an answer within its budget, and what found no room in it. */
export function fitAnswer(
  { found, entries, counterpoints, leftWith }: Gathered,
  { frame, agentName, budget }: { frame: FrameName; agentName: string; budget: number },
): Fit {
  const entryOf = new Map(entries.map((entry) => [entry.block.id, entry]))
  const fitted = renderFrame(
    [
      ...entries.map((entry) => {
        const isNearest = found.quality === 'unsure' && !entry.guaranteed
        const rendered = renderedBlock(entry.block)
        return withVersions(isNearest ? { ...rendered, nearest: true } : rendered, entry)
      }),
      ...counterpoints.map(({ block }) => ({
        ...renderedBlock(block),
        counterpoint: true as const,
      })),
    ],
    { frame, agentName, budget },
  )
  return {
    text: fitted.text,
    shown: fitted.shown.flatMap(({ id, counterpoint, told = [] }, i) => {
      const entry = entryOf.get(id)
      return entry && counterpoint === undefined ? [{ ...entry, told, cut: fitted.cutFirst && i === 0 }] : []
    }),
    dropped: fitted.dropped.flatMap(({ id, counterpoint }) =>
      counterpoint === undefined ? leftWith(id, 'token_budget') : [],
    ),
    used: fitted.used,
  }
}
