import { randomBytes } from 'node:crypto'
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server'
import type * as z from 'zod'
import type { CallContext } from '../../engine/engine.ts'
import type { CallableMemory } from '../../engine/open-memory.ts'
import { ElfmemError } from '../../errors.ts'
import { nearest } from '../../operations/wording.ts'
import { listTools } from './tool-list.ts'
import { type Served, toolName } from './tool-names.ts'

/** A prompt, the operations without which it is of no use, and its text. */
interface Offered {
  readonly prompt: Prompt
  readonly needs: readonly string[]
  readonly textFor: (
    asking: Asking,
    given: Given,
  ) => Promise<Pick<GetPromptResult, 'description'> & { text: string }>
}

interface Asking {
  readonly memory: CallableMemory
  readonly context: CallContext
  readonly offers: (operation: string) => boolean
}

type Given = Readonly<Record<string, string>>

const SCOPE = { name: 'scope', description: 'Keep to this scope, a project or conversation' }

const PROMPTS: readonly Offered[] = [
  {
    prompt: {
      name: 'dream',
      title: 'Dream',
      description:
        'Walks you through a dream in which you are the mind: what waits in your memory, to be judged by you and handed in with elfmem_dream. Needs no model and no key.',
      arguments: [
        { name: 'max_count', description: 'At most so many waiting blocks (1 to 50, 10 unless given)' },
        SCOPE,
      ],
    },
    needs: ['dream'],
    textFor: dream,
  },
  {
    prompt: {
      name: 'self',
      title: 'Who am I',
      description: 'What you know of yourself: values, style, goals and principles, from your memory.',
      arguments: [SCOPE],
    },
    needs: ['recall'],
    textFor: async (asking, given) => {
      const { selfPrompt } = await import('../../operations/recall/session-prompts.ts')
      const { summary, ...answered } = await recalled(asking, given, 'self')
      return { description: summary, text: selfPrompt(answered, asking.offers('remember')) }
    },
  },
  {
    prompt: {
      name: 'reflect',
      title: 'Reflect',
      description: 'Looks back on this session and keeps what a later one should know. For its end.',
      arguments: [SCOPE],
    },
    needs: ['remember'],
    textFor: async (asking, given) => {
      const { reflectPrompt } = await import('../../operations/recall/session-prompts.ts')
      const { offers } = asking
      const recent = offers('recall')
        ? await recalled(asking, given, 'short_term')
        : { text: '', blockIds: [] }
      const tools = { many: offers('rememberMany'), outcome: offers('outcome') }
      return { description: 'What this session taught.', text: reflectPrompt(recent, tools) }
    },
  },
]

/** Pairs and older blocks beside the waiting ones. */
const PAIRS = 10
const DUE = 5
const BLOCKS = 10
const BLOCKS_MAX = 50

async function offered(served: Served): Promise<readonly Offered[]> {
  const offers = await offersOf(served)
  return PROMPTS.filter(({ needs }) => needs.every(offers))
}

async function offersOf(served: Served): Promise<Asking['offers']> {
  const tools = new Set((await listTools(served)).map(({ name }) => name))
  return (operation) => tools.has(toolName(operation))
}

/** The prompts that a client may ask for, as it lists them: those whose tools it has. */
export async function promptsOf(served: Served): Promise<Prompt[]> {
  return (await offered(served)).map(({ prompt }) => prompt)
}

/** A prompt a client asked for, as the wire spells it. */
export interface PromptCall {
  readonly name: string
  readonly arguments?: Readonly<Record<string, string>> | undefined
  readonly context: CallContext
}

/** The prompt with what the memory holds for it now. */
export async function getPrompt(
  memory: CallableMemory,
  served: Served,
  { name, arguments: given = {}, context }: PromptCall,
): Promise<GetPromptResult> {
  const all = await offered(served)
  const found = all.find(({ prompt }) => prompt.name === name)
  if (found === undefined) {
    const near = nearest(
      name,
      all.map(({ prompt }) => prompt.name),
    )
    throw new ElfmemError('NOT_FOUND', `There is no prompt "${name}".`, {
      recovery: near === undefined ? 'prompts/list names the prompts.' : `Ask for ${near}.`,
    })
  }
  const told = { ...context, showsNoSummary: true }
  const asking = { memory, context: told, offers: await offersOf(served) }
  const { text, ...rest } = await found.textFor(asking, given)
  return { ...rest, messages: [{ role: 'user', content: { type: 'text', text } }] }
}

async function dream({ memory, context }: Asking, given: Given) {
  const input = {
    identity: true,
    limit: countOf(given.max_count),
    pairs: PAIRS,
    pendingJudgement: DUE,
    ...scopeIn(given),
  }
  const { dreamPrompt } = await import('../../operations/dream/dream-prompt.ts')
  const { inbox } = await import('../../operations/dream/inbox.ts')
  const waiting = (await memory.call(inbox, input, context)) as z.output<typeof inbox.output>
  return { description: waiting.summary, text: dreamPrompt(waiting, randomBytes(8).toString('hex')) }
}

async function recalled({ memory, context }: Asking, given: Given, frame: 'self' | 'short_term') {
  const { recall } = await import('../../operations/recall/recall.ts')
  const input = { frame, reinforce: false, ...scopeIn(given) }
  return (await memory.call(recall, input, context)) as z.output<typeof recall.output>
}

function scopeIn({ scope }: Given): { readonly scope?: string } {
  return scope === undefined || scope === '' ? {} : { scope }
}

function countOf(given: string | undefined): number {
  if (given === undefined || given.trim() === '') return BLOCKS
  const count = Number(given)
  if (Number.isInteger(count) && count >= 1 && count <= BLOCKS_MAX) return count
  throw new ElfmemError('INVALID_INPUT', `max_count is a whole number from 1 to ${BLOCKS_MAX}.`, {
    recovery: 'Leave it out for 10.',
  })
}
