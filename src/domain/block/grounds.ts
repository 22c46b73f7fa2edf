import { isSameText } from '../text/same-text.ts'
import type { Block } from './block.ts'
import { everHeld, hasEnded } from './validity/validity.ts'

/** How it is known that one block rests on another: whoever remembered it said so, or a host judged so. */
export type GroundFoundBy = 'given' | 'host'

/** A block and another that it rests on. */
export interface Ground {
  readonly blockId: string
  readonly ground: string
  readonly foundBy: GroundFoundBy
  /** ISO-8601 UTC. */
  readonly createdAt: string
}

/** A block that holds no more, and on which another rests. */
export interface OutdatedGround {
  readonly ground: Block
  /** Ids from the block's own ground to this one, which is the last. */
  readonly path: readonly string[]
  /** How the last step is known. */
  readonly foundBy: GroundFoundBy
}

/** The known grounds and blocks. */
export interface KnownGrounds {
  readonly groundsOf: (id: string) => readonly Ground[]
  readonly block: (id: string) => Block | undefined
}

/** Longer chains of what rests on what are not followed. */
export const GROUND_STEPS_MOST = 8

/**
 * Returns the grounds of a block that hold no more at a time, the nearest first, each once. The search goes from ground to
 * ground and ends at one that holds no more: it is what is wrong.
 *
 * @param at ISO-8601 UTC
 */
export function outdatedGrounds(id: string, known: KnownGrounds, at: string): OutdatedGround[] {
  const found: OutdatedGround[] = []
  const seen = new Set([id])
  let steps: readonly Step[] = [{ id, path: [] }]
  for (let step = 0; step < GROUND_STEPS_MOST && steps.length > 0; step++) {
    const reached = steps
      .flatMap((from) => stepsFrom(from, known))
      .filter(({ id: ground }) => {
        const isNew = !seen.has(ground)
        seen.add(ground)
        return isNew
      })
    const ended = reached.filter(({ block }) => isOutdated(block, at))
    found.push(...ended.map(({ block, path, foundBy }) => ({ ground: block, path, foundBy })))
    steps = reached.filter(({ block }) => !isOutdated(block, at))
  }
  return found
}

/** A place on a way from ground to ground. */
interface Step {
  readonly id: string
  readonly path: readonly string[]
}

function stepsFrom({ id, path }: Step, known: KnownGrounds) {
  return known.groundsOf(id).flatMap(({ ground, foundBy }) => {
    const block = sayingNow(ground, known)
    return block === undefined ? [] : [{ id: block.id, path: [...path, block.id], foundBy, block }]
  })
}

/** True of a block that held and holds no more: it ended, or something took its place. What was forgotten is no ground any more. */
export function isOutdated(block: Block, at: string): boolean {
  if (block.status === 'archived' && block.archiveReason !== 'superseded') return false
  return (block.status === 'archived' || hasEnded(block, at)) && everHeld(block)
}

/** The block that says what a ground says: its last life, or the one that had said the same before, if it is archived. */
function sayingNow(id: string, { block: blockOf }: KnownGrounds): Block | undefined {
  let block = blockOf(id)
  for (const seen = new Set<string>(); block !== undefined && !seen.has(block.id); ) {
    seen.add(block.id)
    const later = lifeAfter(block, blockOf)
    if (later === undefined) break
    block = later
  }
  return block
}

/** The block that took the place of another and says the same. */
function lifeAfter({ supersededBy, content }: Block, blockOf: KnownGrounds['block']): Block | undefined {
  const other = supersededBy === undefined ? undefined : blockOf(supersededBy)
  return other && isSameText(content, other.content) ? other : undefined
}
