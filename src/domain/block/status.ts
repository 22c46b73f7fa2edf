import type { BlockStatus } from './block.ts'

const MOVES: Readonly<Record<BlockStatus, readonly BlockStatus[]>> = {
  inbox: ['active', 'archived'],
  active: ['archived'],
  archived: ['active', 'inbox'],
}

/**
 * Whether a block may go from one status to another: dream promotes, forget and curate archive, restore brings an
 * archived block back to where it was archived from. Nothing returns from active to the inbox.
 */
export function canMove(from: BlockStatus, to: BlockStatus): boolean {
  return MOVES[from].includes(to)
}

/** Whether recall may show the block. */
export function isRecallable(status: BlockStatus): boolean {
  return status === 'active'
}

/** Whether an edge may end at the block. */
export function isConnectable(status: BlockStatus): boolean {
  return status === 'active'
}

/** Whether the block's own words may be edited; an archived block is restored first. */
export function isEditable(status: BlockStatus): boolean {
  return status !== 'archived'
}
