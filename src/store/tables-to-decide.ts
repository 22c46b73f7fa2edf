import { SOURCE_CLASSES } from '../block/block.ts'
import { PROPOSAL_KINDS, PROPOSAL_STATES } from '../graph/edge.ts'
import { flag, integer, real, table, text, word } from './description.ts'

const mention = text().maybe({ block: 'mention' })
const scope = text().maybe({ blank: '' })
const time = text().always({ isTime: true })
const moment = text().maybe({ isTime: true })

/** The proposals to the owner, decided ones too. One that names an erased block or holds its words is erased as well. */
export const proposals = table(
  'proposals',
  {
    arrival: integer.always(),
    id: text().always(),
    kind: word(...PROPOSAL_KINDS).always(),
    target: mention,
    content: text().maybe(),
    sourceClass: word(...SOURCE_CLASSES).maybe(),
    reason: text().maybe(),
    proposer: text().always(),
    state: word(...PROPOSAL_STATES).always(),
    createdAt: time,
    decidedAt: moment,
    decidedBy: text().maybe(),
    answer: text().maybe(),
    result: mention,
    scope,
  },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['id'],
    undo: 'refuse',
    goesWithWords: true,
    indexes: ['state, arrival'],
    within: ['state, arrival'],
  },
)

const DUE = 'expected_by, block_id WHERE settled_at IS NULL'
const SETTLED = 'settled_at WHERE settled_at IS NOT NULL'

/** The predictions of blocks, settled ones too: how probable the statement of a block is to come true by a time. */
export const predictions = table(
  'predictions',
  {
    blockId: text().always({ block: 'id' }),
    expectedBy: text().always({ isTime: true }),
    probability: real.always({ least: 0, most: 1 }),
    createdAt: time,
    settledAt: moment,
    cameTrue: flag().maybe(),
    scope,
  },
  {
    key: ['blockId'],
    undo: 'refuse',
    indexes: [DUE, SETTLED],
    within: [DUE, SETTLED],
  },
)
