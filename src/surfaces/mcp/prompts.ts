import { randomBytes } from 'node:crypto'
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server'
import type * as z from 'zod'
import { ElfmemError } from '../../errors.ts'
import type { CallContext } from '../../flow/engine/engine.ts'
import type { CallableMemory } from '../../opening/open-memory.ts'
import { nearest } from '../../operations/wording.ts'
import { listTools } from './tool-list.ts'
import { type Served, toolName } from './tool-names.ts'

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

/** The prompts that a client may ask for, as it lists them: a dream is handed in with a tool. */
export async function promptsOf(served: Served): Promise<Prompt[]> {
  const tools = await listTools(served)
  return tools.some(({ name }) => name === toolName('dream')) ? [DREAM] : []
}

/** A prompt a client asked for, as the wire spells it. */
export interface PromptCall {
  readonly name: string
  readonly arguments?: Readonly<Record<string, string>> | undefined
  readonly context: CallContext
}

/** The prompt with what waits in the memory now. */
export async function getPrompt(
  memory: CallableMemory,
  served: Served,
  { name, arguments: given = {}, context }: PromptCall,
): Promise<GetPromptResult> {
  const names = (await promptsOf(served)).map((each) => each.name)
  if (!names.includes(name)) {
    const near = nearest(name, names)
    throw new ElfmemError('NOT_FOUND', `There is no prompt "${name}".`, {
      recovery: near === undefined ? 'prompts/list names the prompts.' : `Ask for ${near}.`,
    })
  }
  const input = {
    identity: true,
    limit: countOf(given.max_count),
    pairs: PAIRS,
    pendingJudgement: DUE,
    ...(given.scope === undefined || given.scope === '' ? {} : { scope: given.scope }),
  }
  const told = { ...context, showsNoSummary: true }
  const { dreamPrompt } = await import('../../operations/dream/dream-prompt.ts')
  const { inbox } = await import('../../operations/dream/inbox.ts')
  const waiting = (await memory.call(inbox, input, told)) as z.output<typeof inbox.output>
  const text = dreamPrompt(waiting, randomBytes(8).toString('hex'))
  return { description: waiting.summary, messages: [{ role: 'user', content: { type: 'text', text } }] }
}

function countOf(given: string | undefined): number {
  if (given === undefined || given.trim() === '') return BLOCKS
  const count = Number(given)
  if (Number.isInteger(count) && count >= 1 && count <= BLOCKS_MAX) return count
  throw new ElfmemError('INVALID_INPUT', `max_count is a whole number from 1 to ${BLOCKS_MAX}.`, {
    recovery: 'Leave it out for 10.',
  })
}
