import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { beganTrace, withEvent } from '../../src/domain/attribution/trace.ts'
import { openMemory } from '../../src/memory.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { createDice } from './dice.ts'
import { runAndDie } from './run-and-die.ts'
import { problemsIn } from './whole.ts'

const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 24)
const SEED = Number(process.env.FAULT_SEED ?? 20_261_126)

const child = join(import.meta.dirname, 'children/settle.ts')

const open = (path: string) => openMemory(path, { embedder: createHashingEmbedder() })

const ran = (input: string, ok: boolean) => ({
  ...{ kind: 'tool' as const, tool: 'Bash', isCommand: true },
  input,
  ok,
})

/** The evidence of some blocks, and the entries of the log that settled something. */
async function learned(path: string, ids: readonly string[]) {
  const memory = await open(path)
  const evidence = []
  for (const blockId of ids) {
    const { block, outcomes } = await memory.show({ blockId })
    const { successes, failures } = block
    evidence.push({
      successes,
      failures,
      reports: outcomes?.map(({ source, weight }) => ({ source, weight })),
    })
  }
  const { operations } = await memory.history({ operation: 'settle' })
  await memory.close()
  return { evidence, entries: operations.map(({ reason, blockIds }) => ({ reason, blockIds })) }
}

test(`a settling killed at any of ${ROUNDS} moments is done or not begun, and the retry counts once`, async () => {
  const root = temporaryFolder()
  const made = join(root, 'made')
  const memory = await open(join(made, 'memory.db'))
  const contents = Array.from(
    { length: 20 },
    (_, at) => `Crate ${at} of staging listens on port ${4210 + at}.`,
  )
  for (const content of contents) await memory.remember({ content })
  await memory.dream()
  const { blocks } = await memory.recall({ query: 'crates of staging and their ports', topK: 20 })
  await memory.close()
  const asked = 'ship every crate please'
  let trace = beganTrace({ conversation: 'c', message: 'm', asked, blocks })
  trace = withEvent(trace, ran('npm test', false))
  for (let at = 0; at < 20; at += 1) trace = withEvent(trace, ran(`ship --port ${4210 + at}`, true))
  trace = withEvent(trace, ran('npm test', true))
  const ids = blocks.map(({ id }) => id)
  const copyOf = (name: string) => {
    cpSync(made, join(root, name), { recursive: true })
    return join(root, name, 'memory.db')
  }
  const before = await learned(copyOf('before'), ids)
  const whole = copyOf('whole')
  const given = JSON.stringify(trace)
  const { said } = await runAndDie(child, [whole, given], Number.POSITIVE_INFINITY)
  expect(said).toEqual(['begins', 'done'])
  const after = await learned(whole, ids)
  expect(after.entries).toHaveLength(1)
  expect(after).not.toEqual(before)
  // The first one compiled what the others find compiled.
  const { took } = await runAndDie(child, [copyOf('again'), given], Number.POSITIVE_INFINITY)
  const dice = createDice(SEED)
  const ends = new Set<string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const path = copyOf(String(round))
    // A round may take longer than the one that was measured: some moments are to lie behind its end.
    const { said: heard } = await runAndDie(child, [path, given], dice() * took * 1.5)
    expect([round, problemsIn(path)]).toEqual([round, []])
    const found = await learned(path, ids)
    const isDone = found.entries.length === 1
    ends.add(isDone ? 'done' : 'not begun')
    expect([round, found]).toEqual([round, isDone ? after : before])
    // What was acknowledged is there.
    if (heard.includes('done')) expect([round, isDone]).toEqual([round, true])
    const again = await open(path)
    const result = await again.settle(trace, { origin: 'hooks' })
    expect([round, result.passedOver]).toEqual([round, isDone ? 'before' : undefined])
    await again.close()
    expect([round, await learned(path, ids)]).toEqual([round, after])
  }
  expect(ends).toEqual(new Set(['done', 'not begun']))
}, 600_000)
