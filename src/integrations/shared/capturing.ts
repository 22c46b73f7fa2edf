import { createHash } from 'node:crypto'
import { defined } from '../../block/text.ts'
import { Capture, type Captured, type CaptureMemory } from '../../frames/capture.ts'
import { isConversationName } from './conversation-name.ts'

/** The options of adapters that keep what a user says for good. */
export interface CapturingOptions {
  /**
   * False keeps no instruction or preference of the user, and true any; the setting `capture.instructions` of the memory decides unless given,
   * and where a function hears what was kept, so that the program can tell its `line`.
   */
  readonly capture?: boolean | ((captured: Captured) => void)
  /** True: messages of the user are the owner's own words, in a memory that was opened as the owner; else those of a document. */
  readonly trustUser?: boolean
}

/** A message of a user. */
interface UserText {
  /** Tells the conversation from all others. */
  readonly session: string
  readonly text: string
  readonly scope: string | undefined
}

/** Keeps what a message of the user says for good, in a memory that can. */
export async function captureFrom(
  memory: Partial<CaptureMemory>,
  { session, text, scope }: UserText,
  { capture, trustUser = false }: CapturingOptions,
): Promise<void> {
  if (capture === false || memory.rememberMany === undefined || memory.ls === undefined) return
  const isOn = capture === true ? true : undefined
  const kept = await new Capture(memory as CaptureMemory, {
    isTrusted: trustUser,
    ...defined({ scope, isOn }),
  }).taken(isConversationName(session) ? session : sha256(session), text)
  if (typeof capture === 'function' && kept.ids.length > 0) capture(kept)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
