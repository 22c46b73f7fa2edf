export type { Project, ProjectRequest } from './adapters/project/project.ts'
export { resolveProject } from './adapters/project/resolve.ts'
export type { SettingInForce } from './adapters/project/settings/settings-in-force.ts'
export type { FrameName } from './config/frames.ts'
export type { Settings, SettingsInput } from './config/settings.ts'
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
} from './flow/connect/connect-errors.ts'
export type { Progress } from './flow/engine/engine.ts'
export type { Capability } from './flow/guard/caller.ts'
export type { MissedEntries, WatchedEntry } from './flow/journal/new-entries.ts'
export {
  type Memory,
  type MemoryLifetime,
  type MemorySettings,
  type OpenOptions,
  openMemory,
  openProject,
  type Watched,
  type WatchOptions,
} from './memory.ts'
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
export type { Clock, Timer } from './ports/clock.ts'
export type { Embedder, EmbeddingUsage, EmbedOptions } from './ports/embedder.ts'
export type { Ids } from './ports/ids.ts'
export type {
  JsonSchema,
  LanguageModel,
  ModelAnswer,
  ModelFailureKind,
  ModelRequest,
  ModelUsage,
} from './ports/language-model.ts'
export type { Store } from './ports/store/store.ts'
export type { ReadTransaction, Transaction } from './store/transaction.ts'
