import { MemorySession } from '@openai/agents'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/engine/memory.ts'
import { ElfmemSession } from '../../../src/integrations/openai-agents/index.ts'

const text = fc.constantFrom('tea', 'Tea', '', 'port 4210', '__proto__', '\0 \ud83e\udd86')
const message = fc.oneof(
  fc.record({ type: fc.constant('message'), role: fc.constantFrom('user', 'system'), content: text }),
  fc.record({
    ...{ type: fc.constant('message'), role: fc.constant('assistant'), status: fc.constant('completed') },
    content: fc.array(fc.record({ type: fc.constant('output_text'), text }), { maxLength: 2 }),
  }),
  fc.record({
    ...{ type: fc.constant('function_call'), callId: text, name: text, status: fc.constant('completed') },
    arguments: fc.constantFrom('{}', '{"a":1}'),
  }),
)
const items = fc.array(message, { maxLength: 3 })
const call = fc.oneof(
  { weight: 3, arbitrary: fc.record({ name: fc.constant('addItems' as const), given: items }) },
  fc.record({
    name: fc.constant('getItems' as const),
    given: fc.constantFrom(undefined, 0, -1, 1, 2, 99, 1.5),
  }),
  fc.record({ name: fc.constant('popItem' as const), given: fc.constant(undefined) }),
  fc.record({ name: fc.constant('clearSession' as const), given: fc.constant(undefined) }),
)

type Call = ReturnType<typeof call.generate>['value']
type AnySession = Record<Call['name'], (given: unknown) => Promise<unknown>>

async function resultOf(session: object, { name, given }: Call): Promise<unknown> {
  try {
    return (await (session as AnySession)[name](structuredClone(given))) ?? 'nothing'
  } catch {
    return 'refused'
  }
}

/** Fails if, over generated calls, a session in a memory answers otherwise than the one of the SDK that keeps all in memory. */
export async function mustAnswerAlike(runs: number): Promise<void> {
  const embedder = createHashingEmbedder()
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 14 }), async (calls) => {
      await using memory = await openMemory(':memory:', { embedder })
      const ours = new ElfmemSession(memory, { sessionId: 's' })
      const theirs = new MemorySession({ sessionId: 's' })
      const other = new ElfmemSession(memory, { sessionId: 'S' })
      await other.addItems([{ role: 'user', content: 'another conversation' }])
      for (const each of calls) {
        const answer = await resultOf(ours, each)
        expect(answer).toEqual(await resultOf(theirs, each))
        expect(await ours.getItems()).toEqual(await theirs.getItems())
      }
      expect((await other.getItems()).length).toBe(1)
    }),
    { numRuns: runs },
  )
}
