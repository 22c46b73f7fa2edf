import { randomBytes } from 'node:crypto'
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server'
import type * as z from 'zod'
import type { CallContext } from '../../engine/engine.ts'
import type { CallableMemory } from '../../engine/open-memory.ts'
import { ElfmemError } from '../../errors.ts'
import { listTools } from './tool-list.ts'
import { type Served, toolName } from './tool-names.ts'

/** The prompt of a dream in which the host agent judges. */
const DREAM: Prompt = {
  name: 'dream',
  title: 'Dream',
  description:
    'Walks you through a dream in which you are the mind: what waits in your memory, to be judged by you and handed in with elfmem_dream. Needs no model and no key.',
  arguments: [
    { name: 'max_count', description: 'At most so many waiting blocks (1 to 50, 10 unless given)' },
    { name: 'scope', description: 'Keep to this scope, a project or conversation' },
  ],
}

/** Pairs and older blocks beside the waiting ones. */
const PAIRS = 10
const DUE = 5
const BLOCKS = 10
const BLOCKS_MAX = 50

/** Returns the prompts that a client may ask for: that of the dream if it has the tool that takes the judgement. */
export async function promptsOf(served: Served): Promise<Prompt[]> {
  return (await listTools(served)).some(({ name }) => name === toolName('dream')) ? [DREAM] : []
}

/** A prompt a client asked for, as the wire spells it. */
export interface PromptCall {
  readonly name: string
  readonly arguments?: Readonly<Record<string, string>> | undefined
  readonly context: CallContext
}

/** Returns the prompt with what the memory holds for it now. */
export async function getPrompt(
  memory: CallableMemory,
  served: Served,
  { name, arguments: given = {}, context }: PromptCall,
): Promise<GetPromptResult> {
  const [offered] = await promptsOf(served)
  if (offered?.name !== name)
    throw new ElfmemError('NOT_FOUND', `There is no prompt "${name}".`, {
      recovery: offered === undefined ? 'prompts/list names the prompts.' : `Ask for ${offered.name}.`,
    })
  const { max_count, scope } = given
  const input = { identity: true, limit: countOf(max_count), pairs: PAIRS, pendingJudgement: DUE }
  const { dreamPrompt } = await import('../../operations/dream/dream-prompt.ts')
  const { inbox } = await import('../../operations/dream/inbox.ts')
  const asked = { ...input, ...(scope ? { scope } : {}) }
  const waiting = (await memory.call(inbox, asked, context)) as z.output<typeof inbox.output>
  const text = dreamPrompt(waiting, randomBytes(8).toString('hex'))
  return {
    description: waiting.summary,
    messages: [{ role: 'user', content: { type: 'text', text } }],
  }
}

function countOf(given: string | undefined): number {
  if (given === undefined || given.trim() === '') return BLOCKS
  const count = Number(given)
  if (Number.isInteger(count) && count >= 1 && count <= BLOCKS_MAX) return count
  throw new ElfmemError('INVALID_INPUT', `max_count is a whole number from 1 to ${BLOCKS_MAX}.`, {
    recovery: 'Leave it out for 10.',
  })
}
