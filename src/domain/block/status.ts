import type { BlockStatus } from './block.ts'

const MOVES: Readonly<Record<BlockStatus, readonly BlockStatus[]>> = {
  inbox: ['active', 'archived'],
  active: ['archived'],
  archived: ['active', 'inbox'],
}

/**
 * True if a block may go from one status to another: dream promotes, forget and curate archive, restore brings an
 * archived block back to where it was archived from. Nothing returns from active to the inbox.
 */
export function canMove(from: BlockStatus, to: BlockStatus): boolean {
  return MOVES[from].includes(to)
}
