export { type AiSdkEmbeddingModel, type AiSdkOptions, fromAiSdk } from './sdk-embedder.ts'
export { type AiSdkLanguageModel, type AiSdkModelOptions, languageModelFromAiSdk } from './sdk-model.ts'
