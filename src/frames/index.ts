export { fenced, holdsFence, type Unfenced, withoutFences } from '../block/text.ts'
export {
  beganTrace,
  type ShownBlock,
  type Step,
  type ToolCall,
  type Trace,
  type TraceEvent,
  withEvent,
} from '../outcome/trace.ts'
export { Capture, type Captured, type CaptureMemory, type CaptureOptions } from './capture.ts'
export {
  type ConversationFrames,
  conversationFrames,
  type FramingOptions,
  messageKey,
  type UserMessage,
} from './conversation.ts'
export { type Framed, type Frames, framesInItems, framesInMemory } from './frames.ts'
