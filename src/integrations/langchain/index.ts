export { type ToolOptions, ToolRefusal } from '../shared/tools.ts'
export { type ElfmemMiddlewareOptions, elfmemMiddleware } from './middleware.ts'
export { langchainTools } from './tools.ts'
