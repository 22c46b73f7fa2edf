import type { Block } from '../domain/block.ts'
import type { Engine } from './engine.ts'

/** Which of the waiting blocks. */
export interface InboxInput {
  readonly maxCount: number
  /** The `cursor` of the page before. */
  readonly cursor?: string | undefined
}

export interface InboxResult {
  /** Oldest first. */
  readonly blocks: readonly Block[]
  /** How many wait behind these. */
  readonly remaining: number
  readonly cursor?: string
}

/** What waits for a dream, so that a host can read it and judge it itself. Changes nothing. */
export function inbox(engine: Engine, { maxCount, cursor }: InboxInput): Promise<InboxResult> {
  const { seen, inner } = opened(cursor)
  return engine.store.read(async (tx) => {
    const page = await tx.page({
      status: 'inbox',
      order: 'arrival',
      limit: maxCount,
      ...(inner === undefined ? {} : { cursor: inner }),
    })
    if (page.cursor === undefined) return { blocks: page.blocks, remaining: 0 }
    const shown = seen + page.blocks.length
    return {
      blocks: page.blocks,
      remaining: Math.max(1, (await tx.waiting()) - shown),
      cursor: `${shown}:${page.cursor}`,
    }
  })
}

/** Ours counts what was shown before the store's own cursor. */
function opened(cursor: string | undefined): { readonly seen: number; readonly inner?: string } {
  const match = /^(\d+):(.*)$/s.exec(cursor ?? '')
  if (match === null) return cursor === undefined ? { seen: 0 } : { seen: 0, inner: cursor }
  return { seen: Number(match[1]), inner: match[2] ?? '' }
}
