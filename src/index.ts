export type { Project, ProjectRequest } from './adapters/project/project.ts'
export { resolveProject } from './adapters/project/resolve.ts'
export type { SettingInForce } from './adapters/project/settings/settings-in-force.ts'
export type { Capability, Progress } from './engine/engine.ts'
export type { FrameName } from './engine/frames.ts'
export {
  type Memory,
  type MemoryLifetime,
  type MemorySettings,
  type OpenOptions,
  openMemory,
  openProject,
  type Watched,
  type WatchOptions,
} from './engine/memory.ts'
export { type MemoryAt, type MovedMemory, moveMemory } from './engine/move.ts'
export type {
  Clock,
  Embedder,
  EmbeddingUsage,
  EmbedOptions,
  Ids,
  JsonSchema,
  LanguageModel,
  ModelAnswer,
  ModelRequest,
  ModelUsage,
  Timer,
} from './engine/ports.ts'
export type { Settings, SettingsInput } from './engine/settings.ts'
export type { MissedEntries, WatchedEntry } from './engine/watch.ts'
export {
  type CodedError,
  ElfmemError,
  ERROR_CODES,
  type ErrorCode,
  type ErrorDetails,
  type ErrorOptions,
} from './errors.ts'
export {
  BlockNotActiveError,
  ConnectError,
  DegreeLimitError,
  SelfLoopError,
} from './graph/connect-errors.ts'
export type { CallContext } from './operations/call-context.ts'
export type {
  DeleteItem,
  FoundItem,
  Item,
  ItemKey,
  ItemPage,
  ItemStep,
  Items,
  ItemsOptions,
  ListItems,
  PutItem,
  SearchItems,
  WrittenItem,
} from './operations/items/bound-items.ts'
export type * from './operations/methods.generated.ts'
export type { Cost, Effect, Guide, Operation } from './operations/operation.ts'
export { operations } from './operations/table.ts'
export type { ReadTransaction, Store, Transaction } from './store/transaction.ts'
