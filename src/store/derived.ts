import { integer, type Table, table, text } from './description.ts'

const blockId = text().always()
const scope = text().maybe({ blank: '' })
const sum = integer.always()

/** The tags of blocks, by tag. */
export const blockTags = table(
  'block_tags',
  { tag: text().always(), blockId, scope },
  { key: ['tag', 'blockId'], within: ['tag, block_id'] },
)

/** The weights of a block's edges with their use, in whole billionths so that sums are exact in any order, and their number. */
export const blockStrengths = table(
  'block_strengths',
  { blockId, strength: sum, degree: sum },
  { key: ['blockId'], indexes: ['strength DESC, block_id'] },
)

/** The strengths within each scope, without edges that lead out of it. */
export const scopeStrengths = table(
  'scope_strengths',
  { blockId, scope, strength: sum, degree: sum },
  { key: ['blockId'], indexes: ['scope, strength DESC, block_id'] },
)

/** The numbers of edges. */
export const edgeCounts = table(
  'edge_counts',
  { scope, relation: text().always(), origin: text().always(), total: sum },
  { key: ['scope', 'relation', 'origin'] },
)

/** The entries of the log, by the blocks they name. */
export const operationBlocks = table(
  'operation_blocks',
  { blockId, operationId: sum },
  { key: ['blockId', 'operationId'] },
)

/** Tables whose rows follow from other rows. No export, undo or list of rows has them; `derivedFrom` keeps them. */
export const DERIVED: readonly Table[] = [
  ...[blockTags, blockStrengths, scopeStrengths, edgeCounts, operationBlocks],
]

/** Number of recalls that are listed in `operation_blocks` at a time, because one alone would cost an answer some ten pages. */
export const LISTED_AT_ONCE = 32
