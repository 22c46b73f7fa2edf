import { isDeepStrictEqual } from 'node:util'
import { ElfmemError } from '../../src/errors.ts'
import type { Case } from './cases.ts'
import { type Dump, differences, dumpOf, essenceOf, problemsBeside } from './dump.ts'
import { arm, disarm, FAULT_CODES, type Fault, installFaults, lastWrite } from './failing-statements.ts'
import { copyOf, type Opened, openSame, type Prepared } from './prepared.ts'
import { UNNAMED } from './whole.ts'

export interface Walked {
  readonly faults: number
  readonly problems: readonly string[]
  /** Whether the disk had synced the last commit when nothing failed. */
  readonly lastWriteIsDurable: boolean
}

/** How the call goes when nothing fails. */
interface Course {
  readonly steps: readonly string[]
  /** The file before the call, and after each of its transactions. */
  readonly states: readonly Dump[]
  readonly essence: unknown
  readonly durable: boolean
}

const LATER_HOURS = 1

/** Lets statements of a call fail, one at a time, each on a memory of its own. */
export async function walk(prepared: Prepared, each: Case): Promise<Walked> {
  installFaults()
  const course = await followed(prepared, each)
  const problems: string[] = []
  const faults = faultsOf(course.steps)
  for (const fault of faults) {
    const found = await struck(prepared, each, fault, course)
    const where = `step ${fault.at} ${fault.when} ${course.steps[fault.at - 1]?.slice(0, 60)} ${fault.code}`
    problems.push(...found.map((problem) => `${where}: ${problem}`))
  }
  return { faults: faults.length, problems, lastWriteIsDurable: course.durable }
}

/** The walk fails at most this many statements of a call, and in addition each commit. */
const MOST = Number(process.env.FAULT_STATEMENTS ?? 24)

/** Each statement fails with one of the codes in turn, and a commit fails also after it was done. */
function faultsOf(steps: readonly string[]): Fault[] {
  const every = Math.max(1, Math.ceil(steps.length / MOST))
  return steps.flatMap((step, i) => {
    const code = FAULT_CODES[i % FAULT_CODES.length] ?? 'STORE_FAILED'
    const before: Fault = { at: i + 1, code, when: 'before' }
    if (step === 'COMMIT') return [before, { at: i + 1, code: 'STORE_FAILED', when: 'after' }]
    return i % every === 0 ? [before] : []
  })
}

async function followed(prepared: Prepared, each: Case): Promise<Course> {
  const path = copyOf(prepared)
  const opened = await openSame(path, { hours: LATER_HOURS })
  const states = [dumpOf(path)]
  arm(undefined, () => states.push(dumpOf(path)))
  await each.run(opened.memory, prepared.known)
  const { steps } = disarm()
  const course = { steps, states, essence: essenceOf(path), durable: lastWrite.durable }
  await opened.close()
  return course
}

/** Lists what is wrong after one statement failed. */
async function struck(prepared: Prepared, each: Case, fault: Fault, course: Course): Promise<string[]> {
  const path = copyOf(prepared)
  const opened = await openSame(path, { hours: LATER_HOURS })
  arm(fault)
  const error = await failureOf(each.run(opened.memory, prepared.known))
  const { met } = disarm()
  const after = dumpOf(path)
  const place = course.states.findLastIndex((state) => isDeepStrictEqual(state, after))
  const isDone = place === course.states.length - 1
  const problems = [
    ...(met ? [] : ['the step was not reached']),
    ...(error === undefined && !isDone && !each.tells ? ['it was acknowledged and is not there'] : []),
    ...(error === undefined ? [] : wrongError(error, fault)),
    ...(place < 0 && !each.goesOn ? [`between two transactions: ${nearest(course.states, after)}`] : []),
    ...problemsOf(path, each),
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

function wrongError(error: unknown, { code }: Fault): string[] {
  if (!ElfmemError.is(error)) return [`not an error of elfmem: ${String(error)}`]
  if (error.code !== code) return [`${error.code} instead of ${code}`]
  return error.recovery === '' ? ['no recovery'] : []
}

interface Struck {
  readonly path: string
  readonly course: Course
  readonly isDone: boolean
  /** Whether anything was committed before the call failed. */
  readonly isBegun: boolean
}

/** Repeats the failed call on the same memory and lists how its result differs from that of a call that never failed. */
async function again(opened: Opened, { known }: Prepared, each: Case, struck: Struck): Promise<string[]> {
  const { path, course, isDone, isBegun } = struck
  const refused = await failureOf(each.run(opened.memory, known))
  if (refused !== undefined) {
    const code = ElfmemError.is(refused) ? refused.code : String(refused)
    const mayBe = isDone || each.goesOn === true
    return mayBe && code === each.againRefused ? [] : [`asked again, it was refused: ${code}`]
  }
  const isSame = (isBegun && each.counts === true) || isDeepStrictEqual(essenceOf(path), course.essence)
  return [...(isSame ? [] : ['asked again, it ends otherwise']), ...problemsOf(path, each)]
}

function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error ?? new Error('nothing was thrown'),
  )
}
