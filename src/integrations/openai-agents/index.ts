export { type ToolOptions, ToolRefusal } from '../shared/tools.ts'
export { type RecallInputOptions, recallInput } from './recall-input.ts'
export { ElfmemSession, type ElfmemSessionOptions } from './session.ts'
export { agentTools } from './tools.ts'
