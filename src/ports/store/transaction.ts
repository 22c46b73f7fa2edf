export type { StoreReader, StoreWriter } from '../../store/methods.ts'
export type {
  BlockVitality,
  DatedBlock,
  InsertedBlock,
  NewBlock,
  SaidText,
} from '../../store/rules/blocks.ts'
export type { ArchivedEdges, EdgeNote, EdgeWithDecay, Links } from '../../store/rules/graph.ts'
export type { NewOperation, OutcomeRecord, QueuedOutcome, SessionRecord } from '../../store/rules/log.ts'
export type {
  BlockFilter,
  BlockPage,
  Changes,
  ClockReading,
  Counts,
  IndexedBlock,
  NewestWords,
  OperationFilter,
  OperationRecord,
  ScopeCounts,
  Strengths,
} from './queries.ts'
