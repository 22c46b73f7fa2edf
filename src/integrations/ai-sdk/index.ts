export {
  type AiSdkEmbeddingModel,
  type AiSdkLanguageModel,
  type AiSdkModelOptions,
  type AiSdkOptions,
  fromAiSdk,
  languageModelFromAiSdk,
} from '../../adapters/remote/ai-sdk.ts'
export type { Framed, Frames } from '../../frames/index.ts'
export { type ToolOptions, ToolRefusal } from '../shared/tools.ts'
export { type AiSdkTool, type AiSdkToolOutput, type AiSdkToolSchema, memoryTools } from './memory-tools.ts'
export { type MemoryMiddleware, type WithMemoryOptions, withMemory } from './with-memory.ts'
