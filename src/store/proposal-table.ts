import { SOURCE_CLASSES } from '../domain/block/source-class.ts'
import { PROPOSAL_KINDS, PROPOSAL_STATES } from '../domain/decision/proposal.ts'
import { integer, table, text, word } from '../ports/store/description.ts'

const moment = text().maybe({ isTime: true })
const block = text().maybe({ block: 'mention' })

/**
 * The proposals to the owner, decided ones too, in the order they came. A proposal that holds words of an erased block, or names
 * it, goes with them.
 */
export const proposals = table(
  'proposals',
  {
    arrival: integer.always(),
    id: text().always(),
    kind: word(...PROPOSAL_KINDS).always(),
    target: block,
    content: text().maybe(),
    sourceClass: word(...SOURCE_CLASSES).maybe(),
    reason: text().maybe(),
    proposer: text().always(),
    state: word(...PROPOSAL_STATES).always(),
    createdAt: text().always({ isTime: true }),
    decidedAt: moment,
    decidedBy: text().maybe(),
    answer: text().maybe(),
    result: block,
    scope: text().maybe({ blank: '' }),
  },
  {
    key: ['arrival'],
    isNumbered: true,
    unique: ['id'],
    undo: { whenChanged: 'refuse' },
    goesWithWords: true,
    indexes: [
      'proposals_by_state (state, arrival)',
      "proposals_of_scope (scope, state, arrival) WHERE scope <> ''",
    ],
  },
)
