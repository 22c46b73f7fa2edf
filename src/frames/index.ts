export {
  beganTrace,
  type ShownBlock,
  type Step,
  type ToolCall,
  type Trace,
  type TraceEvent,
  withEvent,
} from '../domain/attribution/trace.ts'
export { fenced, holdsFence, type Unfenced, withoutFences } from '../domain/safety/visible.ts'
export {
  type ConversationFrames,
  conversationFrames,
  type FramingOptions,
  messageKey,
  type UserMessage,
} from './conversation.ts'
export { type Framed, type Frames, framesInItems, framesInMemory } from './frames.ts'
export { type PrefixBreak, prefixBreak } from './prefix.ts'
