import { useState } from 'preact/hooks'
import type { Decision, DecisionsResult } from '../../../src/operations/methods.generated.ts'
import { type Answer, call } from '../../api.ts'
import { changes } from '../../live.ts'
import { type Loaded, useLoad } from '../../load.ts'
import { KIND_NAMES, type Kind, needsPerson } from './kinds.ts'

/** Decisions of one page. */
const PAGE = 50

/** The decisions so far, and how many there are of each kind. */
interface Found {
  /** The kind that was asked for. */
  readonly kind: Kind | undefined
  readonly decisions: readonly Decision[]
  readonly counts: Readonly<Record<string, number>>
  readonly hasMore: boolean
}

/** The decisions of a kind, or all that only a person settles, page by page. */
export interface Pages extends Loaded<Found> {
  readonly hasMore: boolean
  /** How many there are of each kind; those of the former kind while another is on its way. */
  readonly counts: Found['counts'] | undefined
  readonly more: () => void
  /** How many of any kind a person settles. */
  readonly waiting: number
  /** How many there are in all. */
  readonly totalOf: (loaded: number) => number
}

/** Loads decisions, and all loaded pages again whenever the memory changes. */
export function usePages(kind: Kind | undefined): Pages {
  const [wanted, setWanted] = useState({ kind, pages: 1 })
  const pages = wanted.kind === kind ? wanted.pages : 1
  const loaded = useLoad((signal) => load(kind, pages, signal), [kind, pages, changes.value])
  const { data: newest, ...rest } = loaded
  // Those of the former kind stay until the others come, and are not about this one.
  const data = newest !== undefined && newest.kind === kind ? newest : undefined
  const hasMore = data?.hasMore ?? false
  return {
    ...rest,
    ...(data === undefined ? {} : { data }),
    hasMore,
    counts: newest?.counts,
    waiting: data ? countOf(data.counts, undefined) : 0,
    more: () => {
      if (hasMore && !loaded.isLoading) setWanted({ kind, pages: pages + 1 })
    },
    totalOf: (shown) => (hasMore && data ? countOf(data.counts, kind) : shown),
  }
}

function countOf(counts: Found['counts'], kind: Kind | undefined): number {
  const kinds = kind === undefined ? KIND_NAMES.filter(needsPerson) : [kind]
  return kinds.reduce((sum, each) => sum + (counts[each] ?? 0), 0)
}

async function load(kind: Kind | undefined, pages: number, signal: AbortSignal): Promise<Answer<Found>> {
  const decisions: Decision[] = []
  let first: DecisionsResult | undefined
  let cursor: string | undefined
  for (let page = 0; page < pages; page++) {
    const asked = { limit: PAGE, ...(kind && { kind }), ...(cursor && { cursor }) }
    const answer = await call('decisions', asked, { signal })
    if (!answer.ok) return answer
    first ??= answer.value
    decisions.push(...answer.value.decisions)
    cursor = answer.value.cursor
    if (cursor === undefined) break
  }
  // Those that a person settles come first, so that behind the first other one there are none.
  const own = kind === undefined ? decisions.filter((each) => needsPerson(each.kind)) : decisions
  const hasMore = cursor !== undefined && own.length === decisions.length
  return { ok: true, value: { kind, decisions: own, counts: first?.counts ?? {}, hasMore } }
}
