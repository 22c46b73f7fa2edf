import { createHash } from 'node:crypto'
import { defined } from '../../block/text.ts'
import { Capture, type Captured, type CaptureMemory } from '../../frames/capture.ts'
import { isConversationName } from './turns.ts'

/** The options of adapters that keep what a user says for good. */
export interface CapturingOptions {
  /**
   * `true` keeps instructions and preferences of the user, and `false` keeps none. A function is called with each captured message, so that
   * the program can show its `line`. With a function, or with nothing, the setting `capture.instructions` of the memory decides.
   */
  readonly capture?: boolean | ((captured: Captured) => void)
  /** True: messages of the user are the owner's own words, in a memory that was opened as the owner; else those of a document. */
  readonly trustUser?: boolean
}

/** Keeps what a message of the user says for good, in a memory that can. */
export async function captureFrom(
  memory: Partial<CaptureMemory>,
  said: { readonly session: string; readonly text: string; readonly scope: string | undefined },
  { capture, trustUser = false }: CapturingOptions,
): Promise<void> {
  if (capture === false || memory.rememberMany === undefined || memory.ls === undefined) return
  const isOn = capture === true ? true : undefined
  const sourceClass = trustUser ? undefined : ('document' as const)
  const options = defined({ scope: said.scope, isOn, sourceClass })
  // Each id of a conversation has a session, also one that is too long for a name.
  const session = isConversationName(said.session)
    ? said.session
    : createHash('sha256').update(said.session).digest('hex')
  const kept = await new Capture(memory as CaptureMemory, options).taken(session, said.text)
  if (typeof capture === 'function' && kept.ids.length > 0) capture(kept)
}
