import { isDeepStrictEqual } from 'node:util'
import { ElfmemError } from '../../src/errors.ts'
import type { Memory } from '../../src/memory.ts'
import type { Case } from './cases.ts'
import { type Dump, differences, dumpOf, essenceOf, problemsBeside } from './dump.ts'
import { installFaults, lastWrite, statementLine } from './failing-statements.ts'
import { COMMIT } from './failing-store.ts'
import { FAULT_CODES, type Fault, type FaultLine } from './fault.ts'
import { copyOf, type Opened, openSame, type Prepared } from './prepared.ts'
import { UNNAMED } from './whole.ts'

/** What fails: a call of the store's port, or a statement of SQLite. */
export type Level = 'call' | 'statement'

export interface Walked {
  readonly faults: number
  readonly problems: readonly string[]
  /** Whether the disk had synced what was committed last when nothing failed. */
  readonly lastWriteIsDurable: boolean
}

/** How it goes when nothing fails. */
interface Course {
  readonly steps: readonly string[]
  /** The file before, and after each transaction. */
  readonly states: readonly Dump[]
  readonly essence: unknown
  readonly durable: boolean
}

/** Lets every step of a call fail, one after the other, each on a memory of its own. */
export async function walk(prepared: Prepared, each: Case, level: Level): Promise<Walked> {
  installFaults()
  const course = await followed(prepared, each, level)
  const problems: string[] = []
  const faults = faultsOf(course.steps)
  for (const fault of faults) {
    const found = await struck(prepared, each, { level, fault, course })
    const where = `step ${fault.at} ${fault.when} ${course.steps[fault.at - 1]?.slice(0, 60)} ${fault.code}`
    problems.push(...found.map((problem) => `${where}: ${problem}`))
  }
  return { faults: faults.length, problems, lastWriteIsDurable: course.durable }
}

/** Of a run of the same step so many fail at each end. */
const ENDS = 5
/** Of those between every so manieth fails; no multiple of the number of codes, so that each comes. */
const BETWEEN = 15

/**
 * Each step fails in one of the ways in turn; the end of a transaction also after it was done. Where one step is done again
 * and again, as 256 rows are inserted, only ends and samples fail: each one more has nothing to take back but a row more.
 */
function faultsOf(steps: readonly string[]): Fault[] {
  return steps.flatMap((step, i) => {
    const near = steps.slice(Math.max(0, i - ENDS), i + ENDS + 1)
    const isInside = near.length > 2 * ENDS && near.every((each) => each === step)
    if (isInside && i % BETWEEN > 0) return []
    const code = FAULT_CODES[i % FAULT_CODES.length] ?? 'STORE_FAILED'
    const before: Fault = { at: i + 1, code, when: 'before' }
    return step === COMMIT ? [before, { at: i + 1, code: 'STORE_FAILED', when: 'after' }] : [before]
  })
}

function lineOf({ calls }: Opened, level: Level): FaultLine {
  return level === 'call' ? calls : statementLine
}

async function followed(prepared: Prepared, each: Case, level: Level): Promise<Course> {
  const path = copyOf(prepared)
  const opened = await openSame(path, each)
  const states = [dumpOf(path)]
  const line = lineOf(opened, level)
  line.arm(undefined, () => states.push(dumpOf(path)))
  await each.run(opened.memory, prepared.known)
  const { steps } = line.disarm()
  const course = { steps, states, essence: essenceOf(path), durable: lastWrite.durable }
  await opened.close()
  return course
}

interface Strike {
  readonly level: Level
  readonly fault: Fault
  readonly course: Course
}

/** What is wrong after one step failed. */
async function struck(prepared: Prepared, each: Case, { level, fault, course }: Strike): Promise<string[]> {
  const path = copyOf(prepared)
  const opened = await openSame(path, each)
  const { memory } = opened
  const line = lineOf(opened, level)
  line.arm(fault)
  const error = await failureOf(each.run(memory, prepared.known))
  const { met } = line.disarm()
  const after = dumpOf(path)
  const place = course.states.findLastIndex((state) => isDeepStrictEqual(state, after))
  const isDone = place === course.states.length - 1
  const problems = [
    ...(met ? [] : ['the step was not reached']),
    ...(error === undefined && !isDone && each.tells !== true
      ? ['it was acknowledged and is not there']
      : []),
    ...(error === undefined ? [] : wordsOf(error, fault)),
    ...(place < 0 && each.goesOn !== true
      ? [`between two transactions: ${nearest(course.states, after)}`]
      : []),
    ...problemsOf(path, each),
    ...(await indexOf(memory, path, each)),
    ...(await again(opened, prepared, each, { path, course, isDone, isBegun: place > 0 })),
  ]
  await opened.close()
  return problems
}

function problemsOf(path: string, { unlogged }: Case): string[] {
  return problemsBeside(path).filter((problem) => unlogged !== true || !problem.startsWith(UNNAMED))
}

function nearest(states: readonly Dump[], after: Dump): string {
  const all = states.map((state) => differences(state, after))
  return all.sort((one, other) => one.length - other.length)[0]?.join(', ') ?? ''
}

function wordsOf(error: unknown, { code }: Fault): string[] {
  if (!ElfmemError.is(error)) return [`not an error of elfmem: ${String(error)}`]
  if (error.code !== code) return [`${error.code} instead of ${code}`]
  return error.recovery === '' ? ['no recovery'] : []
}

/** What is held in memory must be what is in the file. */
async function indexOf(memory: Memory, path: string, each: Case): Promise<string[]> {
  const fresh = await openSame(path, { ...each, name: 'fresh' })
  const [held, stored] = [await lastLook(memory), await lastLook(fresh.memory)]
  await fresh.close()
  return isDeepStrictEqual(held, stored) ? [] : [`recall differs from that of a memory opened anew`]
}

/**
 * What recall finds, with the scores once what waits has its vectors, of which each look makes some; where much waits, only
 * what is found.
 */
async function lastLook(memory: Memory): Promise<unknown> {
  for (let more = LOOKS_MOST; ; more--) {
    const found = await memory
      .recall({
        query: 'the red ferry and the lamp',
        topK: 1_000,
        tokenBudget: 100_000,
        minStrength: 0,
        reinforce: false,
      })
      .catch((error: unknown) => (ElfmemError.is(error) ? error.code : String(error)))
    if (typeof found === 'string') return found
    const { blocks, waitingWithoutVector = 0 } = found
    if (waitingWithoutVector === 0 && more < LOOKS_MOST)
      return [blocks, await unasked(memory)].map((all) => all.map(({ id, score }) => ({ id, score })))
    if (more === 0) return blocks.map(({ id }) => id).sort()
  }
}

const LOOKS_MOST = 4

/** Without a question the memory ranks by what it holds of each block. */
async function unasked(memory: Memory) {
  return (await memory.recall({ topK: 1_000, tokenBudget: 100_000, reinforce: false })).blocks
}

interface Struck {
  readonly path: string
  readonly course: Course
  readonly isDone: boolean
  /** Whether anything was committed before it failed. */
  readonly isBegun: boolean
}

/** The same call again on the same memory brings what it would have brought. */
async function again(
  { memory }: Opened,
  { known }: Prepared,
  each: Case,
  { path, course, isDone, isBegun }: Struck,
): Promise<string[]> {
  const refused = await failureOf(each.run(memory, known))
  if (refused !== undefined) {
    const code = ElfmemError.is(refused) ? refused.code : String(refused)
    const mayBe = isDone || each.goesOn === true
    return mayBe && code === each.againRefused ? [] : [`asked again, it was refused: ${code}`]
  }
  const isSame = (isBegun && each.counts === true) || isDeepStrictEqual(essenceOf(path), course.essence)
  return [
    ...(isSame ? [] : ['asked again, it ends otherwise']),
    ...problemsOf(path, each),
    ...(await indexOf(memory, path, each)),
  ]
}

function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error ?? new Error('nothing was thrown'),
  )
}
