import { bytes, integer, real, table, text } from '../ports/store/description.ts'

const scope = text().maybe({ blank: '' })
const blockId = text().always({ block: 'id' })

const outcome = {
  id: integer.always(),
  blockId,
  signal: real.always(),
  weight: real.always(),
  source: text().always({ erasedTo: 'erased' }),
}

/** The applied reports about blocks; confidence before and after is 0..1. */
export const outcomes = table(
  'block_outcomes',
  {
    ...outcome,
    confidenceBefore: real.always(),
    confidenceAfter: real.always({ called: 'belief', former: 'confidenceBefore' }),
    at: text().always({ isTime: true }),
  },
  {
    key: ['id'],
    isNumbered: true,
    undo: { whenChanged: 'refuse' },
    told: { of: 'block', names: ['blockId'], whole: ['confidenceAfter'] },
    indexes: ['block_outcomes_by_block (block_id, id)'],
  },
)

/** The reports about blocks that still wait for a dream. */
export const queuedOutcomes = table(
  'queued_outcomes',
  { ...outcome, signal: real.always({ called: 'a report that waits' }) },
  {
    key: ['id'],
    isNumbered: true,
    undo: { whenChanged: 'refuse' },
    told: { of: 'block', names: ['blockId'], whole: ['signal'] },
    indexes: ['queued_outcomes_by_block (block_id, id)'],
  },
)

/** The questions with reports; the vector is int8 of a unit vector. */
export const questions = table(
  'questions',
  {
    id: text().always(),
    text: text().maybe({ erasedTo: null }),
    vector: bytes.maybe(),
    hours: real.always({ isHours: true }),
    scope,
  },
  {
    key: ['id'],
    undo: { whenChanged: 'leave' },
    indexes: ["questions_of_scope (scope, id) WHERE scope <> ''"],
  },
)

/** The questions of the newest recalls, so that a report can say what it is about. */
export const recentQuestions = table(
  'recent_questions',
  {
    operationId: integer.always({ isEntry: true }),
    text: text().maybe({ erasedTo: null }),
    vector: bytes.maybe(),
    scope,
  },
  {
    key: ['operationId'],
    staysHome: true,
    indexes: ["recent_questions_of_scope (scope, operation_id) WHERE scope <> ''"],
  },
)

/** The reports about a block after a question; of no question known the name is empty. */
export const questionEvidence = table(
  'question_evidence',
  {
    question: text().always(),
    blockId,
    helped: real.always({ least: 0 }),
    misled: real.always({ least: 0 }),
    graded: real.always({ least: 0 }),
    beside: real.always({ least: 0 }),
    scope,
  },
  {
    key: ['question', 'blockId'],
    undo: { whenChanged: 'refuse' },
    indexes: [
      'question_evidence_by_block (block_id)',
      "question_evidence_of_scope (scope, question, block_id) WHERE scope <> ''",
    ],
  },
)
